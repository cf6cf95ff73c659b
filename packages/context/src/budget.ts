import type { Candidate } from './collect.ts';
import type { ContentReader, Facts } from './content.ts';
import type { Section } from './formats.ts';
import { showPath } from './formats.ts';
import { outlineOf } from './outline.ts';
import type { TokenCounter } from './tokens.ts';

/** What the header and the fences of a file, and a line of the list of what was left out, cost beside their path. */
const FRAME_TOKENS = 8;

/** A file that is to be written. */
export interface PlannedFile {
  readonly path: string;
  readonly size: number;
  readonly tokens: number;
  readonly candidate: Candidate;
  /** What is written in its place. */
  readonly outline: { readonly facts: Facts; readonly bytes: Buffer } | undefined;
}

export interface BudgetOptions {
  readonly maxTokens: number;
  readonly counter: TokenCounter;
  /** Sections that are written in any case. */
  readonly head: readonly Section[];
  readonly reader: ContentReader;
}

interface Fitted {
  readonly files: readonly PlannedFile[];
  /** What was reduced, and what was left out; undefined when nothing was. */
  readonly left: Section | undefined;
}

/**
 * Fits files to a number of tokens. In steps, each only as far as it must: the largest file first, every file is
 * replaced by its outline; then, again the largest first, what is left is left out. All of this is listed.
 */
export function fitToBudget(files: readonly PlannedFile[], options: BudgetOptions): Fitted {
  const { maxTokens, counter, head } = options;
  const count = (text: string) => counter.count(Buffer.from(text));
  const fixed = head.reduce((sum, { title, text }) => sum + count(title) + count(text) + FRAME_TOKENS, 0);
  const lineCost = ({ path }: PlannedFile) => count(path) + FRAME_TOKENS;
  const cost = (file: PlannedFile) => lineCost(file) + file.tokens;
  const chosen = new Map(files.map((file) => [file.path, file]));
  const outlined = new Map<string, string>();
  const dropped = new Map<string, string>();
  let written = files.reduce((sum, file) => sum + cost(file), fixed);
  if (written <= maxTokens) return { files, left: undefined };
  let list = FRAME_TOKENS * 3;
  // The list is cut where it alone would take half of all.
  const isTooMuch = () => written + Math.min(list, maxTokens / 2) > maxTokens;
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
  const text = listLeft([...outlined.values()], [...dropped.values()], options);
  return { files: [...chosen.values()], left: { title: 'left-out', text } };
}

function largestFirst(files: readonly PlannedFile[]): PlannedFile[] {
  return files.toSorted((a, b) => b.tokens - a.tokens || (a.path < b.path ? -1 : 1));
}

function makeOutline(file: PlannedFile, { reader, counter }: BudgetOptions): PlannedFile | undefined {
  try {
    const bytes = file.candidate.readLater((open) => {
      const { encoding } = reader.inspect(open);
      const [first] = reader.chunks(open, encoding);
      return Buffer.from(outlineOf(first?.toString() ?? ''));
    });
    const facts: Facts = { encoding: 'utf-8', longestFence: 0 };
    return { ...file, tokens: counter.count(bytes), outline: { facts, bytes } };
  } catch {
    return undefined; // It is left out when it is read, with a warning.
  }
}

function listed({ path, tokens }: PlannedFile): string {
  return `${showPath(path)}: ${tokens} tokens`;
}

/** The list, cut where it alone would be more than half of what may be written. */
function listLeft(
  outlined: readonly string[],
  dropped: readonly string[],
  { maxTokens, counter }: BudgetOptions,
): string {
  const lines = [
    `The document was fitted to ${maxTokens} tokens.`,
    ...(outlined.length > 0 ? ['outlines only:', ...outlined.map((line) => `  ${line}`)] : []),
    ...(dropped.length > 0 ? ['left out:', ...dropped.map((line) => `  ${line}`)] : []),
  ];
  let spent = 0;
  const end = lines.findIndex((line) => {
    spent += counter.count(Buffer.from(line)) + 1;
    return spent > maxTokens / 2 - FRAME_TOKENS;
  });
  return (end <= 0 ? lines : [...lines.slice(0, end), `  and ${lines.length - end} more`]).join('\n');
}
