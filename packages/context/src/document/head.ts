import { showPath } from '../targets/show-path.ts';
import type { Section } from './formats.ts';

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

/** Makes the sections before the files: totals, and a tree of the paths. */
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

/** The share of each section in a budget. A section that is not in the table has content, and may take half of it. */
const SHARES: Readonly<Record<string, number>> = { tree: 0.1, summary: 0.1 };
const CONTENT_SHARE = 0.5;

/**
 * Cuts sections, at ends of lines, to their share of a budget. Also returns how much is left of each section that was
 * cut.
 */
export function cutHead(sections: readonly Section[], budget: number, costOf: (section: Section) => number) {
  const head: Section[] = [];
  const cuts: string[] = [];
  let rest = budget * CONTENT_SHARE;
  for (const section of sections) {
    const most = Math.min(rest, budget * (SHARES[section.title] ?? CONTENT_SHARE));
    const kept = cutSection(section, most, costOf);
    rest -= kept ? costOf(kept) : 0;
    if (kept) head.push(kept);
    if (kept !== section) cuts.push(`Cut: ${section.title}, ${linesIn(kept)} of ${linesIn(section)} lines`);
  }
  return { head, cuts };
}

function cutSection(section: Section, budget: number, costOf: (section: Section) => number): Section | undefined {
  let kept: Section | undefined = section;
  for (let cost = costOf(section); kept && cost > budget; cost = kept ? costOf(kept) : 0) {
    // Cuts a little more than the excess, since tokens are not spread evenly.
    const length = Math.floor(kept.text.length * Math.min(0.95, (budget / cost) * 0.98));
    const end = kept.text.lastIndexOf('\n', length - 1);
    kept = budget <= 0 || end <= 0 ? undefined : { ...section, text: kept.text.slice(0, end) };
  }
  return kept;
}

function linesIn(section: Section | undefined): number {
  return section ? section.text.split('\n').length : 0;
}

type Branch = Map<string, Branch | undefined>;

/** Draws paths as a tree, in their order. Directories end in a slash. */
export function drawTree(paths: readonly string[]): string {
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
