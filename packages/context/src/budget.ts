import type { Candidate } from './candidate.ts';
import type { ContentReader, Facts } from './content.ts';
import { renderContent, type Style } from './document-writer.ts';
import { kindOf } from './file-kind.ts';
import { factsOf } from './file-text.ts';
import type { Section } from './formats.ts';
import { cutHead } from './head.ts';
import { listByDirectory } from './left-out.ts';
import { essentialFiles, type RankSignals, rankFiles } from './rank-files.ts';
import type { TokenCounter } from './tokens.ts';

/** The share of the budget for the list of what was left out, and the tokens that it always gets. */
const LIST_SHARE = 0.05;
const LIST_LEAST = 45;
/** How much the list may grow when other files are left out. */
const LIST_MARGIN = 30;
const LIST = 'left-out';
/** What essential files may take whole, and one of them that does not fit with its beginning. */
const ESSENTIAL_SHARE = 0.9;
const BEGINNING_SHARE = 0.2;
/** What whole files may take before any outlines, and the most of one of these. */
const WHOLE_SHARE = 0.75;
const ONE_SHARE = 0.35;
/** An outline must be this much smaller than its file. */
const OUTLINE_RATIO = 0.4;
/** So many files are read for their outlines, and so many for their beginnings. */
const MOST_OUTLINES = 400;
const MOST_BEGINNINGS = 8;
/** With fewer tokens, the beginning of a file says too little. */
const LEAST_BEGINNING = 60;

/** A file that will be written. */
export interface PlannedFile {
  readonly path: string;
  readonly size: number;
  readonly tokens: number;
  readonly candidate: Candidate;
  readonly facts: Facts;
  /** What is written instead of its content. */
  readonly instead: Substitute | undefined;
}

/** The outline or the beginning of a file, or its text without the bodies of functions. */
export interface Substitute {
  readonly kind: 'outline' | 'beginning' | 'compressed';
  readonly facts: Facts;
  readonly bytes: Buffer;
}

export interface BudgetOptions {
  readonly maxTokens: number;
  readonly counter: TokenCounter;
  /** Sections that come before the files. */
  readonly head: readonly Section[];
  readonly reader: ContentReader;
  readonly style: Style;
  /** Asked for only if not everything fits. */
  readonly signals: () => Promise<RankSignals>;
  /** A sentence at the end of the list that says how to get more. */
  readonly more?: ((leftOut: readonly string[]) => string) | undefined;
}

interface Fitted {
  readonly files: readonly PlannedFile[];
  /** Ends with a list of what was cut, outlined and left out, if anything was. */
  readonly head: readonly Section[];
}

/**
 * Fits files to a number of tokens. The READMEs and manifests of the project come first, whole where they fit; then
 * whole files in the order of their rank, up to 75 % of what there is; then outlines of the next ones; then more whole
 * files, and the beginnings of some where nothing else fits. A list, of at most 5 % of the tokens, says what was left
 * out.
 */
export async function fitToBudget(files: readonly PlannedFile[], options: BudgetOptions): Promise<Fitted> {
  const fit = new Fit(options);
  const whole = options.head.reduce((sum, section) => sum + fit.costOfSection(section), 0);
  if (files.reduce((sum, file) => sum + fit.costOf(file), fit.frame) + whole <= options.maxTokens) {
    return { files, head: options.head };
  }
  return fit.run(files);
}

class Fit {
  readonly frame: number;
  readonly #options: BudgetOptions;
  readonly #chosen = new Map<string, PlannedFile>();
  /** Tokens that are left for files. */
  #left = 0;

  constructor(options: BudgetOptions) {
    this.#options = options;
    const { format } = options.style;
    this.frame = this.#count(format.begin()) + this.#count(format.end(1));
  }

  async run(files: readonly PlannedFile[]): Promise<Fitted> {
    const { maxTokens } = this.#options;
    const listed = Math.max(LIST_LEAST, Math.floor(maxTokens * LIST_SHARE));
    const { head, cuts } = cutHead(this.#options.head, maxTokens - listed, (section) => this.costOfSection(section));
    const headCost = head.reduce((sum, section) => sum + this.costOfSection(section), 0);
    const room = maxTokens - this.frame - headCost - listed;
    this.#left = room;
    const ranked = rankFiles(files, await this.#options.signals());
    const essential = essentialFiles(files);
    this.#takeWhole(essential, { downTo: room * (1 - ESSENTIAL_SHARE), largest: room });
    this.#takeBeginnings(essential, room * BEGINNING_SHARE);
    this.#takeWhole(ranked, { downTo: room * (1 - WHOLE_SHARE), largest: room * ONE_SHARE });
    await this.#takeOutlines(ranked);
    this.#takeWhole(ranked, { downTo: 0, largest: room });
    this.#takeBeginnings(ranked, room);
    const list = this.#fillUp(ranked, listed, (most) => this.#list(files, cuts, most));
    return { files: files.flatMap(({ path }) => this.#chosen.get(path) ?? []), head: [...head, list] };
  }

  /** Gives what the list leaves of its room to more files. Returns the list. */
  #fillUp(ranked: readonly PlannedFile[], listed: number, list: (most: number) => Section): Section {
    const first = list(listed);
    const used = this.costOfSection(first) + LIST_MARGIN;
    if (listed - used < LEAST_BEGINNING) return first;
    this.#left += listed - used;
    this.#takeWhole(ranked, { downTo: 0, largest: this.#left });
    this.#takeBeginnings(ranked, this.#left);
    return list(Math.min(listed, used + this.#left));
  }

  costOfSection(section: Section): number {
    return this.#count(this.#options.style.format.section(section, AMONG)) + 1;
  }

  costOf({ path, tokens, facts, instead }: PlannedFile): number {
    const { format } = this.#options.style;
    const { longestFence: longest, hasReturn } = instead?.facts ?? facts;
    const frame = { path, longestFence: longest, hasReturn };
    const header = this.#count(format.openFile(frame, AMONG));
    return tokens + header + this.#count(format.closeFile({ ...frame, endsInNewline: false })) + 1;
  }

  /** Takes files in their order if they fit, and leaves at least `downTo` tokens. An outline gives way to its file. */
  #takeWhole(files: readonly PlannedFile[], { downTo, largest }: { downTo: number; largest: number }): void {
    for (const file of files) {
      const before = this.#chosen.get(file.path);
      if (before === file) continue;
      const cost = this.costOf(file);
      const more = cost - (before ? this.costOf(before) : 0);
      if (cost > largest || this.#left - more < downTo) continue;
      this.#left -= more;
      this.#chosen.set(file.path, file);
    }
  }

  async #takeOutlines(files: readonly PlannedFile[]): Promise<void> {
    const candidates = files.filter((file) => !this.#chosen.has(file.path) && !file.instead && mayBeOutlined(file));
    for (const file of candidates.slice(0, MOST_OUTLINES)) {
      if (this.#left < LEAST_BEGINNING) return;
      const outline = await makeOutline(file, this.#options);
      if (!outline) continue;
      const cost = this.costOf(outline);
      if (cost > this.costOf(file) * OUTLINE_RATIO || cost > this.#left) continue;
      this.#left -= cost;
      this.#chosen.set(file.path, outline);
    }
  }

  /** Takes the beginnings of files that are not chosen yet, each with its share of what is left. */
  #takeBeginnings(files: readonly PlannedFile[], most: number): void {
    const rest = files.filter((file) => !this.#chosen.has(file.path) && !file.instead).slice(0, MOST_BEGINNINGS);
    for (const [i, file] of rest.entries()) {
      const share = Math.min(most, Math.floor(this.#left / Math.min(2, rest.length - i)));
      const beginning = share < LEAST_BEGINNING ? undefined : this.#makeBeginning(file, share);
      if (!beginning) continue;
      this.#left -= this.costOf(beginning);
      this.#chosen.set(file.path, beginning);
    }
  }

  #makeBeginning(file: PlannedFile, share: number): PlannedFile | undefined {
    const text = readFirst(file, this.#options)?.toString();
    if (text === undefined) return undefined;
    for (let most = share; most >= LEAST_BEGINNING / 2; most = Math.floor(most * 0.8)) {
      const end = text.lastIndexOf('\n', Math.floor((text.length * most) / Math.max(1, file.tokens)));
      if (end <= 0) return undefined;
      const cut = `${text.slice(0, end)}\n[the first ${Buffer.byteLength(text.slice(0, end + 1))} of ${file.size} bytes]`;
      const beginning = replaced(file, { kind: 'beginning', bytes: Buffer.from(cut) }, this.#options);
      if (this.costOf(beginning) <= share) return beginning;
    }
    return undefined;
  }

  /** Says what is not whole, in at most so many tokens. */
  #list(files: readonly PlannedFile[], cuts: readonly string[], most: number): Section {
    const left = files.filter(({ path }) => !this.#chosen.has(path));
    const { more } = this.#options;
    const first = `Fitted to ${this.#options.maxTokens} tokens: ${this.#summarize(left.length)}.`;
    const last = more ? [more(left.map(({ path }) => path))] : [];
    const fits = (lines: readonly string[]) => this.costOfSection({ title: LIST, text: lines.join('\n') }) <= most;
    const isRoomy = fits([first, ...cuts, ...last]);
    const [before, after] = isRoomy ? [[first, ...cuts], last] : [[first], []];
    const lines = listByDirectory(left, (some) => fits([...before, 'Left out:', ...some, ...after]));
    const text = [...before, ...(lines.length > 0 ? ['Left out:'] : []), ...lines, ...after].join('\n');
    return { title: LIST, text };
  }

  #summarize(leftOut: number): string {
    const chosen = [...this.#chosen.values()];
    const countOf = (kind: Substitute['kind']) => chosen.filter(({ instead }) => instead?.kind === kind).length;
    const [outlines, beginnings] = [countOf('outline'), countOf('beginning')];
    const whole = chosen.length - outlines - beginnings;
    const parts = [
      `${whole} ${whole === 1 ? 'file' : 'files'} whole`,
      outlines > 0 && `${outlines} as ${outlines === 1 ? 'an outline' : 'outlines'}`,
      beginnings > 0 && `${beginnings} cut`,
      `${leftOut} left out`,
    ];
    return parts.filter(Boolean).join(', ');
  }

  #count(text: string): number {
    return this.#options.counter.count(Buffer.from(text));
  }
}

/** A position that is not the first: what stands between two pieces counts for each of them. */
const AMONG = { pieces: 1, files: 1 };

function mayBeOutlined({ path }: PlannedFile): boolean {
  return ['readme', 'source', 'document', 'example', 'test'].includes(kindOf(path));
}

/** The outline of a file; undefined if it has none. */
export async function makeOutline(file: PlannedFile, options: Replacing): Promise<PlannedFile | undefined> {
  const text = readFirst(file, options)?.toString();
  if (text === undefined) return undefined;
  const { outlineOf } = await import('./outline.ts');
  const outline = await outlineOf(text, file.path);
  return outline.includes('\n') ? replaced(file, { kind: 'outline', bytes: Buffer.from(outline) }, options) : undefined;
}

/** The file without the bodies of its functions; undefined for one that has no syntax tree, or is over a megabyte. */
export async function makeCompressed(file: PlannedFile, options: Replacing): Promise<PlannedFile | undefined> {
  const content = readFirst(file, options);
  if (!content || content.length < file.size) return undefined;
  const { compress } = await import('./compress.ts');
  const bytes = await compress(content, file.path);
  return bytes && replaced(file, { kind: 'compressed', bytes }, options);
}

type Replacing = Pick<BudgetOptions, 'reader' | 'counter' | 'style'>;

/** The first megabyte of a file as UTF-8; undefined if it cannot be read. Reading it for the document fails too, and warns. */
function readFirst(file: PlannedFile, { reader }: Pick<BudgetOptions, 'reader'>): Buffer | undefined {
  try {
    return file.candidate.readLater((open) => {
      const { encoding } = reader.inspect(open);
      const [first] = reader.chunks(open, encoding);
      return Buffer.from(first ?? []);
    });
  } catch {
    return undefined;
  }
}

function replaced(
  file: PlannedFile,
  { kind, bytes }: { kind: Substitute['kind']; bytes: Buffer },
  { counter, style }: Pick<BudgetOptions, 'counter' | 'style'>,
): PlannedFile {
  const facts = factsOf(bytes);
  const written = Buffer.concat([...renderContent([bytes], style, facts)]);
  return { ...file, tokens: counter.count(written), instead: { kind, facts, bytes } };
}
