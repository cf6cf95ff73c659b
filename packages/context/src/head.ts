import type { Section } from './formats.ts';
import { showPath } from './show-path.ts';

interface HeadOptions {
  readonly tree?: boolean | undefined;
  readonly summary?: boolean | undefined;
}

interface HeadFile {
  readonly path: string;
  readonly size: number;
  readonly tokens: number;
}

const LARGEST = 5;

/** The sections before the files: totals, and a tree of the paths. */
export function headSections(files: readonly HeadFile[], { tree, summary }: HeadOptions): Section[] {
  const sections: Section[] = [];
  if (summary) sections.push({ title: 'summary', text: summarize(files) });
  if (tree) sections.push({ title: 'tree', text: drawTree(files.map(({ path }) => path)) });
  return sections;
}

function summarize(files: readonly HeadFile[]): string {
  const sum = (of: (file: HeadFile) => number) => files.reduce((total, file) => total + of(file), 0);
  const largest = files.toSorted((a, b) => b.tokens - a.tokens).slice(0, LARGEST);
  return [
    `files: ${files.length}`,
    `bytes: ${sum(({ size }) => size)}`,
    `tokens: ${sum(({ tokens }) => tokens)}`,
    'largest:',
    ...largest.map(({ path, tokens }) => `  ${showPath(path)}: ${tokens} tokens`),
  ].join('\n');
}

type Branch = Map<string, Branch | undefined>;

/** Draws paths as a tree, in their order. Directories end in a slash. */
function drawTree(paths: readonly string[]): string {
  const root: Branch = new Map();
  for (const path of paths) {
    const names = path.split('/');
    const file = names.pop() ?? '';
    let at = root;
    for (const name of names) {
      const next = at.get(name) ?? new Map();
      at.set(name, next);
      at = next;
    }
    at.set(file, undefined);
  }
  const lines: string[] = [];
  draw(root, '', lines);
  return lines.join('\n');
}

function draw(branch: Branch, indent: string, lines: string[]): void {
  const last = branch.size - 1;
  let i = 0;
  for (const [name, below] of branch) {
    const isLast = i++ === last;
    lines.push(`${indent}${isLast ? '└── ' : '├── '}${showPath(name)}${below ? '/' : ''}`);
    if (below) draw(below, `${indent}${isLast ? '    ' : '│   '}`, lines);
  }
}
