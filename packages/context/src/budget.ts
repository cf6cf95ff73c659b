import type { Candidate } from './candidate.ts';
import type { ContentReader, Facts } from './content.ts';
import { renderContent, type Style } from './document-writer.ts';
import type { Section } from './formats.ts';
import { outlineOf } from './outline.ts';
import { showPath } from './show-path.ts';
import type { TokenCounter } from './tokens.ts';

/** Tokens of the words around the list of what was left out, and of the frame of the document. */
const LIST_TOKENS = 40;

/** A file that will be written. */
export interface PlannedFile {
  readonly path: string;
  readonly size: number;
  readonly tokens: number;
  readonly candidate: Candidate;
  /** What is written instead of its content. */
  readonly outline: { readonly facts: Facts; readonly bytes: Buffer } | undefined;
}

export interface BudgetOptions {
  readonly maxTokens: number;
  readonly counter: TokenCounter;
  /** Sections that come before the files. */
  readonly head: readonly Section[];
  readonly reader: ContentReader;
  readonly style: Style;
}

interface Fitted {
  readonly files: readonly PlannedFile[];
  /** Ends with a list of what was cut, outlined and left out, if anything was. */
  readonly head: readonly Section[];
}

/**
 * Fits files to a number of tokens, in these steps and each only as far as necessary: the head is cut to half of the
 * tokens; files are replaced by their outlines, the largest first; files are left out, the largest first. A list says
 * what was done.
 */
export function fitToBudget(files: readonly PlannedFile[], options: BudgetOptions): Fitted {
  const { maxTokens, counter, style } = options;
  const { format } = style;
  const count = (text: string) => counter.count(Buffer.from(text));
  const at = { pieces: 1, files: 1 };
  const frame = count(format.begin()) + count(format.end(1));
  const costOf = (section: Section) => count(format.section(section, at));
  const lineCost = (file: PlannedFile) => count(`  ${listed(file)}\n`) + 1;
  const cost = ({ path, tokens }: PlannedFile) =>
    tokens +
    count(format.openFile({ path, longestFence: 0 }, at)) +
    count(format.closeFile({ path, longestFence: 0, endsInNewline: false })) +
    1;
  const chosen = new Map(files.map((file) => [file.path, file]));
  const outlined = new Map<string, string>();
  const dropped = new Map<string, string>();
  const body = files.reduce((sum, file) => sum + cost(file), frame);
  const whole = options.head.reduce((sum, section) => sum + costOf(section), 0);
  if (body + whole <= maxTokens) return { files, head: options.head };
  const { head, cuts } = cutHead(options.head, maxTokens / 2 - LIST_TOKENS, costOf);
  const headCost = head.reduce((sum, section) => sum + costOf(section), 0);
  let written = headCost + body;
  let list = LIST_TOKENS + cuts.reduce((sum, line) => sum + count(`  ${line}\n`) + 1, 0);
  // The list gets at most half of what the head leaves.
  const maxList = (maxTokens - headCost) / 2;
  const isTooMuch = () => written + Math.min(list, maxList) > maxTokens;
  for (const file of largestFirst(files)) {
    if (!isTooMuch()) break;
    const outline = makeOutline(file, options);
    if (!outline || cost(outline) + lineCost(file) >= cost(file)) continue;
    written += cost(outline) - cost(file);
    list += lineCost(file);
    chosen.set(file.path, outline);
    outlined.set(file.path, listed(file));
  }
  for (const file of largestFirst([...chosen.values()])) {
    if (!isTooMuch()) break;
    written -= cost(file);
    if (!outlined.has(file.path)) list += lineCost(file);
    chosen.delete(file.path);
    dropped.set(file.path, outlined.get(file.path) ?? listed(file));
    outlined.delete(file.path);
  }
  const lists = { cut: cuts, 'outlines only': [...outlined.values()], 'left out': [...dropped.values()] };
  const text = listLeft(lists, Math.max(maxList, maxTokens - written), options);
  return { files: [...chosen.values()], head: [...head, { title: 'left-out', text }] };
}

/** Cuts sections, at ends of lines, to a number of tokens together. Returns also how much of each is left. */
function cutHead(sections: readonly Section[], budget: number, costOf: (section: Section) => number) {
  const head: Section[] = [];
  const cuts: string[] = [];
  let rest = budget;
  for (const section of sections) {
    const kept = cutSection(section, rest, costOf);
    rest -= kept ? costOf(kept) : 0;
    if (kept) head.push(kept);
    if (kept !== section) cuts.push(`${section.title}: ${linesIn(kept)} of ${linesIn(section)} lines`);
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

function largestFirst(files: readonly PlannedFile[]): PlannedFile[] {
  return files.toSorted((a, b) => b.tokens - a.tokens || (a.path < b.path ? -1 : 1));
}

function makeOutline(file: PlannedFile, { reader, counter, style }: BudgetOptions): PlannedFile | undefined {
  try {
    const bytes = file.candidate.readLater((open) => {
      const { encoding } = reader.inspect(open);
      const [first] = reader.chunks(open, encoding);
      return Buffer.from(outlineOf(first?.toString() ?? ''));
    });
    const facts: Facts = { encoding: 'utf-8', longestFence: 0 };
    const written = Buffer.concat([...renderContent([bytes], style)]);
    return { ...file, tokens: counter.count(written), outline: { facts, bytes } };
  } catch {
    return undefined; // Reading it for the document fails too, and warns.
  }
}

function listed({ path, tokens }: PlannedFile): string {
  return `${showPath(path)}: ${tokens} tokens`;
}

/** The lists under their headings, cut to a number of tokens. */
function listLeft(
  lists: Readonly<Record<string, readonly string[]>>,
  budget: number,
  { maxTokens, counter }: BudgetOptions,
): string {
  let spent = 0;
  const fits = (line: string) => {
    spent += counter.count(Buffer.from(`${line}\n`)) + 1;
    return spent <= budget - LIST_TOKENS;
  };
  const title = `The document was fitted to ${maxTokens} tokens.`;
  fits(title);
  return [title, ...Object.entries(lists).flatMap(([heading, lines]) => listUnder(heading, lines, fits))].join('\n');
}

/** Lists as many files as fit, and says how many more there are. */
function listUnder(heading: string, files: readonly string[], fits: (line: string) => boolean): string[] {
  if (files.length === 0) return [];
  const end = files.findIndex((file) => !fits(`  ${file}`));
  if (end < 0) return [`${heading}:`, ...files.map((file) => `  ${file}`)];
  if (end === 0) return [`${heading}: ${files.length} ${files.length === 1 ? 'file' : 'files'}`];
  return [`${heading}:`, ...files.slice(0, end).map((file) => `  ${file}`), `  and ${files.length - end} more`];
}
