import { showPath } from '../targets/show-path.ts';

interface CountedFile {
  readonly path: string;
  readonly tokens: number;
}

interface Branch {
  readonly name: string;
  readonly below: Map<string, Branch>;
  tokens: number;
  files: number;
}

/** Draws files as a tree with the tokens of each and the totals of each directory, the largest first. */
export function drawTokenTree(files: readonly CountedFile[]): string {
  const root: Branch = { name: '', below: new Map(), tokens: 0, files: 0 };
  for (const { path, tokens } of files) {
    let at = root;
    add(at, tokens);
    for (const name of path.split('/')) {
      const next: Branch = at.below.get(name) ?? { name, below: new Map(), tokens: 0, files: 0 };
      at.below.set(name, next);
      at = next;
      add(at, tokens);
    }
  }
  return [`${root.tokens} tokens, ${countFiles(root)}`, ...draw(root, '')].join('\n');
}

function add(branch: Branch, tokens: number): void {
  branch.tokens += tokens;
  branch.files++;
}

function* draw({ below }: Branch, indent: string): Iterable<string> {
  const sorted = [...below.values()].toSorted((a, b) => b.tokens - a.tokens || (a.name < b.name ? -1 : 1));
  for (const [i, branch] of sorted.entries()) {
    const isLast = i === sorted.length - 1;
    const isDirectory = branch.below.size > 0;
    const total = isDirectory ? `/  ${branch.tokens} tokens, ${countFiles(branch)}` : `  ${branch.tokens} tokens`;
    yield `${indent}${isLast ? '└── ' : '├── '}${showPath(branch.name)}${total}`;
    yield* draw(branch, `${indent}${isLast ? '    ' : '│   '}`);
  }
}

function countFiles({ files }: Branch): string {
  return `${files} ${files === 1 ? 'file' : 'files'}`;
}
