import type { Candidate } from './collect.ts';
import type { ContentReader, Facts } from './content.ts';
import { renderContent, type Style } from './document-writer.ts';
import type { Section } from './formats.ts';
import { outlineOf } from './outline.ts';
import { showPath } from './show-path.ts';
import type { TokenCounter } from './tokens.ts';

/** What the words around the list of what was left out, and the frame of the whole document, cost. */
const LIST_TOKENS = 40;

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
  readonly style: Style;
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
  const { maxTokens, counter, head, style } = options;
  const { format } = style;
  const count = (text: string) => counter.count(Buffer.from(text));
  const at = { pieces: 1, files: 1 };
  const fixed = head.reduce(
    (sum, section) => sum + count(format.section(section, at)),
    count(format.begin()) + count(format.end(1)),
  );
  const lineCost = (file: PlannedFile) => count(`  ${listed(file)}\n`) + 1;
  const cost = ({ path, tokens }: PlannedFile) =>
    tokens +
    count(format.openFile({ path, longestFence: 0 }, at)) +
    count(format.closeFile({ path, longestFence: 0, endsInNewline: false })) +
    1;
  const chosen = new Map(files.map((file) => [file.path, file]));
  const outlined = new Map<string, string>();
  const dropped = new Map<string, string>();
  let written = files.reduce((sum, file) => sum + cost(file), fixed);
  if (written <= maxTokens) return { files, left: undefined };
  let list = LIST_TOKENS;
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
  let spent = 0;
  const fits = (line: string) => {
    spent += counter.count(Buffer.from(`${line}\n`)) + 1;
    return spent <= maxTokens / 2 - LIST_TOKENS;
  };
  const title = `The document was fitted to ${maxTokens} tokens.`;
  fits(title);
  return [title, ...listUnder('outlines only', outlined, fits), ...listUnder('left out', dropped, fits)].join('\n');
}

/** As many as fit, and how many more there are. */
function listUnder(heading: string, files: readonly string[], fits: (line: string) => boolean): string[] {
  if (files.length === 0) return [];
  const end = files.findIndex((file) => !fits(`  ${file}`));
  if (end < 0) return [`${heading}:`, ...files.map((file) => `  ${file}`)];
  if (end === 0) return [`${heading}: ${files.length} ${files.length === 1 ? 'file' : 'files'}`];
  return [`${heading}:`, ...files.slice(0, end).map((file) => `  ${file}`), `  and ${files.length - end} more`];
}
