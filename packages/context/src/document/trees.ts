import { escapePath } from '../targets/escape-path.ts';
import type { DocumentSection } from './formats.ts';

interface Branch {
  readonly name: string;
  below?: Map<string, Branch>;
  readonly first: number;
  files: number;
  tokens: number;
}

function toBranches(files: readonly { readonly path: string; readonly tokens?: number }[]): Branch {
  const root: Branch = { name: '', first: 0, files: 0, tokens: 0 };
  for (const [first, { path, tokens = 0 }] of files.entries()) {
    let at = root;
    at.files++;
    at.tokens += tokens;
    for (const name of path.split('/')) {
      at.below ??= new Map();
      const next = at.below.get(name) ?? { name, first, files: 0, tokens: 0 };
      at.below.set(name, next);
      at = next;
      at.files++;
      at.tokens += tokens;
    }
  }
  return root;
}

function childrenOf({ below }: Branch): Branch[] {
  return below ? [...below.values()] : [];
}

function countFiles({ files }: Branch): string {
  return `${files} ${files === 1 ? 'file' : 'files'}`;
}

/** Draws paths as a tree, in their order. Directories end in a slash. */
export function drawTree(paths: readonly string[]): string {
  const root = toBranches(paths.map((path) => ({ path })));
  return draw(root, { indent: '', order: childrenOf, noteOf: () => '' }).join('\n');
}

/** Draws files as a tree with the tokens of each and the totals of each directory, the largest first. */
export function drawTokenTree(files: readonly { readonly path: string; readonly tokens: number }[]): string {
  const root = toBranches(files);
  const order = (branch: Branch) =>
    childrenOf(branch).sort((a, b) => b.tokens - a.tokens || (a.name < b.name ? -1 : 1));
  const noteOf = (branch: Branch) => `  ${branch.tokens} tokens${branch.below ? `, ${countFiles(branch)}` : ''}`;
  return [`${root.tokens} tokens, ${countFiles(root)}`, ...draw(root, { indent: '', order, noteOf })].join('\n');
}

interface Drawing {
  readonly indent: string;
  readonly order: (branch: Branch) => readonly Branch[];
  readonly noteOf: (branch: Branch) => string;
}

function draw(branch: Branch, { indent, order, noteOf }: Drawing, lines: string[] = []): string[] {
  const children = order(branch);
  for (const [i, child] of children.entries()) {
    const isLast = i === children.length - 1;
    const name = `${escapePath(child.name)}${child.below ? '/' : ''}${noteOf(child)}`;
    lines.push(`${indent}${isLast ? '└── ' : '├── '}${name}`);
    if (child.below) draw(child, { indent: `${indent}${isLast ? '    ' : '│   '}`, order, noteOf }, lines);
  }
  return lines;
}

/** The most directories that are tried although they do not fit. */
const MOST_FAILURES = 8;

/** Draws files, the best first, as an indented tree that fits. Directories with the best files are opened first. Undefined if none fits. */
export function drawBudgetTree(
  paths: readonly string[],
  fits: (section: DocumentSection) => boolean,
): DocumentSection | undefined {
  const root = toBranches(paths.map((path) => ({ path })));
  const open = new Set<Branch>([root]);
  let drawn: DocumentSection | undefined;
  const attempt = () => {
    const section = { title: 'tree', text: [...linesOf(root, '', open)].join('\n') };
    if (!fits(section)) return false;
    drawn = section;
    return true;
  };
  if (!attempt()) return undefined;
  const waiting = directoriesIn(root);
  for (let failures = 0; waiting.length > 0 && failures < MOST_FAILURES; ) {
    waiting.sort((a, b) => a.first - b.first);
    const next = waiting.shift() as Branch;
    open.add(next);
    if (attempt()) waiting.push(...directoriesIn(next));
    else {
      open.delete(next);
      failures++;
    }
  }
  return drawn;
}

function directoriesIn(branch: Branch): Branch[] {
  return childrenOf(branch).filter(({ below }) => below);
}

function* linesOf(directory: Branch, indent: string, open: ReadonlySet<Branch>): Iterable<string> {
  for (const inner of directoriesIn(directory)) {
    const name = `${indent}${escapePath(inner.name)}/`;
    if (open.has(inner)) {
      yield name;
      yield* linesOf(inner, `${indent} `, open);
    } else yield `${name} ${countFiles(inner)}`;
  }
  const files = childrenOf(directory).filter(({ below }) => !below);
  if (files.length > 0)
    yield `${indent}${files
      .map(({ name }) => name)
      .sort()
      .map(escapePath)
      .join(' ')}`;
}
