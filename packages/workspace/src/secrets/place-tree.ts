/** Names of places, in lower case: a home may be on a file system that ignores case. */
export interface PlaceTree {
  /** True for a place itself: all that is below it belongs to it. */
  isPlace: boolean;
  /** By their first character, so that few need to be looked at for a name that is known in part. */
  readonly named: Map<string, Map<string, PlaceTree>>;
  /** What is below names with `*` in them, which stands for any text. */
  readonly patterns: Map<string, PlaceTree>;
}

export function toPlaceTree(paths: readonly string[]): PlaceTree {
  const root = emptyTree();
  for (const path of paths) {
    let at = root;
    for (const name of path.toLowerCase().split('/')) {
      const names = name.includes('*') ? at.patterns : namesLike(at, name);
      const below = names.get(name) ?? emptyTree();
      names.set(name, below);
      at = below;
    }
    at.isPlace = true;
  }
  return root;
}

/** Returns what a name points to: more than one branch if patterns match it too. */
export function branchesAt(tree: PlaceTree, name: string): PlaceTree[] {
  const folded = name.toLowerCase();
  const exact = tree.named.get(folded.charAt(0))?.get(folded);
  const found = exact ? [exact] : [];
  for (const [pattern, branch] of tree.patterns) if (matches(folded, pattern)) found.push(branch);
  return found;
}

/** Returns where the names from a position on point to, but no further than to a place. */
export function follow(tree: PlaceTree, names: readonly string[], from = 0, step = branchesAt): PlaceTree[] {
  let found = [tree];
  for (let i = from; i < names.length && found.length > 0 && !found.some(isPlace); i++) {
    found = found.flatMap((branch) => step(branch, names[i] ?? ''));
  }
  return found;
}

export function isPlace(branch: PlaceTree): boolean {
  return branch.isPlace;
}

function namesLike({ named }: PlaceTree, name: string): Map<string, PlaceTree> {
  const initial = name.charAt(0);
  const names = named.get(initial) ?? new Map();
  named.set(initial, names);
  return names;
}

function matches(name: string, pattern: string): boolean {
  const [start = '', end = ''] = pattern.split('*');
  return name.length >= start.length + end.length && name.startsWith(start) && name.endsWith(end);
}

function emptyTree(): PlaceTree {
  return { isPlace: false, named: new Map(), patterns: new Map() };
}
