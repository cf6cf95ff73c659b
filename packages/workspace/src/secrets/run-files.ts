import type { ChangedFile, MutationContext } from '../guard/mutate/mutation.ts';
import TABLE from './run-files.table';

/** Names of places, in lower case: a home may be on a file system that ignores case. */
export interface PlaceTree {
  /** True for a place itself: all that is below it belongs to it. */
  isPlace: boolean;
  /** By their first character, so that few need to be looked at for a name that is known in part. */
  readonly named: Map<string, Map<string, PlaceTree>>;
  /** What is below names with `*` in them, which stands for any text. */
  readonly patterns: Map<string, PlaceTree>;
}

export interface RunFiles {
  /** The names without `*`, as paths below the top of a project or the home. */
  readonly paths: readonly string[];
  readonly tree: PlaceTree;
  /** Returns the program that runs a file, by its path below the top of a project or the home. */
  runnerAt(path: string): string | undefined;
  /** Returns the program that runs a file, by the end of its path. */
  runnerOf(path: string): string | undefined;
  /** Reports whether this is a path of the table, or of a directory in it. */
  holds(path: string): boolean;
}

type Table = 'projects' | 'starts' | 'home';

const made = new Map<Table, RunFiles>();

/** Returns the files of a project, those that are known without the home in front of them, or all below the home. */
export function runFiles(table: Table): RunFiles {
  const files = made.get(table) ?? toRunFiles(table === 'home' ? ['starts', 'home'] : [table]);
  made.set(table, files);
  return files;
}

function toRunFiles(sections: readonly string[]): RunFiles {
  const rows = sections.flatMap((section) => readPlaces(TABLE, section));
  const trees = rows.map(({ by, paths }) => ({ by, tree: toPlaceTree(paths) }));
  const all = rows.flatMap(({ paths }) => paths);
  const tree = toPlaceTree(all);
  const runnerFrom = (names: readonly string[], from: number) =>
    trees.find((one) => follow(one.tree, names, from).some(isPlace))?.by;
  return {
    paths: all.filter((path) => !path.includes('*')),
    tree,
    runnerAt: (path) => runnerFrom(path.split('/'), 0),
    runnerOf: (path) => {
      const names = path.split('/');
      const from = names.findIndex((_, i) => follow(tree, names, i).some(isPlace));
      return from < 0 ? undefined : runnerFrom(names, from);
    },
    holds: (path) => follow(tree, path.split('/')).length > 0,
  };
}

interface PlaceRow {
  readonly by: string;
  readonly paths: readonly string[];
}

/** Reads a section of a table of places: rows below `= section`, up to the next one. */
export function readPlaces(table: string, section: string): PlaceRow[] {
  const [body = ''] = table.split(`\n= ${section}\n`)[1]?.split('\n= ') ?? [];
  const lines = body.replace(/\n +/g, ' ').split('\n');
  return lines.flatMap((line) => {
    const [by = '', paths] = line.split(' | ');
    return paths === undefined || line.startsWith('#') ? [] : [{ by, paths: paths.split(', ') }];
  });
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

/** Warns if a program runs a written file. `findLinked` returns the paths that a link is on the way to. */
export function warnOfRunners(
  ctx: MutationContext,
  files: readonly ChangedFile[],
  findLinked: (root: string, paths: readonly string[]) => readonly { path: string; real: string }[],
): void {
  const { root } = ctx.workspace;
  const written = files.filter(({ changed, after }) => changed && after);
  const linked = written.length === 0 ? [] : findLinked(root, runFiles('projects').paths);
  for (const { file } of written) {
    const link = linked.find(({ real }) => `${root}/${file.path}/`.startsWith(`${real}/`));
    const runner = runnerOf(file.path) ?? (link && runnerOf(link.path));
    if (runner === undefined) continue;
    const by = link ? ` by the link ${link.path}` : '';
    ctx.warn(
      `${file.path} is a file that ${runner} runs or takes commands from${by}: tell the user that it was changed`,
    );
  }
}

function runnerOf(path: string): string | undefined {
  return runFiles('projects').runnerOf(path) ?? runFiles('starts').runnerOf(path);
}
