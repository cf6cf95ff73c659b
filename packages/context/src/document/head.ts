import { escapePath } from '../targets/escape-path.ts';
import type { DocumentSection } from './formats.ts';
import { drawTree } from './trees.ts';

interface HeadFile {
  readonly path: string;
  readonly size: number;
  readonly tokens: number;
}

const LARGEST = 5;

/** Makes the sections before the files: totals, and a tree of the paths. */
export function headSections(
  files: readonly HeadFile[],
  { tree, summary }: { readonly tree?: boolean | undefined; readonly summary?: boolean | undefined },
): DocumentSection[] {
  const sections: DocumentSection[] = [];
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
    ...largest.map(({ path, tokens }) => `  ${escapePath(path)}: ${tokens} tokens`),
  ].join('\n');
}

/** The share of each section in a budget. A section that is not in the table has content, and may take half of it. */
const SHARES: Readonly<Record<string, number>> = { tree: 0.1, summary: 0.1 };
const CONTENT_SHARE = 0.5;

/** Cuts sections, at ends of lines, to their share of a budget. `cuts` says how much of each is left. */
export function cutHead(
  sections: readonly DocumentSection[],
  budget: number,
  costOf: (section: DocumentSection) => number,
) {
  const head: DocumentSection[] = [];
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

function cutSection(
  section: DocumentSection,
  budget: number,
  costOf: (section: DocumentSection) => number,
): DocumentSection | undefined {
  let kept: DocumentSection | undefined = section;
  for (let cost = costOf(section); kept && cost > budget; cost = kept ? costOf(kept) : 0) {
    // Cuts a little more than the excess, since tokens are not spread evenly.
    const length = Math.floor(kept.text.length * Math.min(0.95, (budget / cost) * 0.98));
    const end = kept.text.lastIndexOf('\n', length - 1);
    kept = budget <= 0 || end <= 0 ? undefined : { ...section, text: kept.text.slice(0, end) };
  }
  return kept;
}

function linesIn(section: DocumentSection | undefined): number {
  return section ? section.text.split('\n').length : 0;
}
