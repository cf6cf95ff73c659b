import { ToolError } from '@jinn/errors';
import type { Section } from '../document/formats.ts';
import { cutHead } from '../document/head.ts';
import { bytesOf, type Costs } from './costs.ts';
import { type CutContext, type CutOptions, cutFile, LEAST_PIECE, restOf } from './cut-file.ts';
import { roleOf } from './file-role.ts';
import type { BudgetOptions } from './fit-to-budget.ts';
import { listLeftOut, shortestList } from './left-out-list.ts';
import { isCut, type PlannedFile } from './planned-file.ts';

/** The share of the budget for the list of what was left out, and the tokens that it always gets. */
const LIST_SHARE = 0.05;
const LIST_LEAST = 45;
/** How much the list may grow when other files are left out. */
const LIST_MARGIN = 30;
const BYTES_OF_LIST_TOKEN = 5;
/** What essential files may take whole, and one of them that does not fit with its beginning. */
const ESSENTIAL_SHARE = 0.9;
const BEGINNING_SHARE = 0.2;
/** What whole files may take before any outlines, and the most of one of these. */
const WHOLE_SHARE = 0.75;
const ONE_SHARE = 0.35;
/** An outline must be this much smaller than its file, and have a symbol for so many of the file's tokens. */
const OUTLINE_RATIO = 0.4;
const TOKENS_OF_SYMBOL = 2_000;
/** The most that the path of a file and what stands around it may take of an outline. */
const FRAME_SHARE = 0.22;
/** So many files are read for their outlines, and so many for their beginnings. */
const MOST_OUTLINES = 400;
const MOST_BEGINNINGS = 8;
/** If more is left, the beginning of a file takes the place of its outline. */
const UNUSED_SHARE = 0.02;

export interface FittedPart {
  /** In the order of the document. */
  readonly files: readonly PlannedFile[];
  /** Ends with a list of what was cut, outlined and left out. */
  readonly head: readonly Section[];
  /** What comes in the next parts, in the order of rank. Begins with what is left of files that were cut. */
  readonly rest: readonly PlannedFile[];
}

interface PartOptions extends BudgetOptions {
  readonly costs: Costs;
  readonly number: number;
  /** All files in the order of the document; the first part begins with them. */
  readonly order: readonly PlannedFile[];
  /** The paths of READMEs and manifests. */
  readonly essential: ReadonlySet<string>;
  /** The paths of modules that are there in another form, which tells more. */
  readonly otherForms: ReadonlySet<string>;
  readonly outlineOf: (file: PlannedFile) => Promise<PlannedFile | undefined>;
}

/** Chooses the files of one part of a document, and in what form they come. */
export class BudgetPart {
  readonly #options: PartOptions;
  readonly #costs: Costs;
  readonly #cutting: CutContext;
  readonly #chosen = new Map<string, PlannedFile>();
  /** Tokens and bytes that are left for files. */
  #left = 0;
  #leftBytes: number;

  constructor(options: PartOptions) {
    this.#options = options;
    this.#costs = options.costs;
    this.#cutting = { ...options, isContinued: options.more !== undefined };
    this.#leftBytes = options.maxBytes ?? Number.POSITIVE_INFINITY;
  }

  /** Takes files in the order of their rank. */
  async fit(ranked: readonly PlannedFile[]): Promise<FittedPart> {
    const { maxTokens, order } = this.#options;
    const listed = this.#roomOfList();
    const { head, cuts } = cutHead(this.#options.head, maxTokens - listed, (section) => this.#costs.section(section));
    const room = maxTokens - this.#costs.frame - this.#costs.sections(head) - listed;
    this.#left = room;
    this.#leftBytes -= listed * BYTES_OF_LIST_TOKEN;
    await this.#choose(ranked, room);
    if (this.#chosen.size === 0 && this.#options.more) this.#forcePiece(ranked);
    const list = this.#fillUp(ranked, listed, (most) => {
      const left = ranked.filter(({ path }) => !this.#chosen.has(path));
      return listLeftOut({ ...this.#options, chosen: [...this.#chosen.values()], left, cuts, most });
    });
    const files = order.flatMap(({ path }) => this.#chosen.get(path) ?? []);
    return { files, head: [...head, list], rest: this.#restOf(ranked) };
  }

  async #choose(ranked: readonly PlannedFile[], room: number): Promise<void> {
    const continued = ranked.filter(({ instead }) => instead?.kind === 'piece');
    const essential = ranked
      .filter(({ path }) => this.#options.essential.has(path))
      .toSorted((a, b) => a.tokens - b.tokens);
    this.#takeWhole(continued, { downTo: 0, largest: room });
    this.#takeBeginnings(continued, room);
    this.#takeWhole(essential, { downTo: room * (1 - ESSENTIAL_SHARE), largest: room });
    this.#takeBeginnings(essential, room * BEGINNING_SHARE);
    this.#takeWhole(ranked, { downTo: room * (1 - WHOLE_SHARE), largest: room * ONE_SHARE });
    await this.#takeOutlines(ranked);
    this.#takeWhole(ranked, { downTo: 0, largest: room });
    this.#takeBeginnings(ranked, room);
  }

  /** Returns the tokens for the list: its share of the budget, or more if the sentence on how to go on needs more. */
  #roomOfList(): number {
    const { maxTokens } = this.#options;
    return Math.max(LIST_LEAST, Math.floor(maxTokens * LIST_SHARE), this.#costs.section(shortestList(this.#options)));
  }

  /** Gives what is left, and what the list leaves of its room, to more files. Returns the list. */
  #fillUp(ranked: readonly PlannedFile[], listed: number, list: (most: number) => Section): Section {
    const used = this.#costs.section(list(listed)) + LIST_MARGIN;
    const isRoomy = listed - used >= LEAST_PIECE;
    if (isRoomy) {
      this.#left += listed - used;
      this.#takeWhole(ranked, { downTo: 0, largest: this.#left });
      this.#takeBeginnings(ranked, this.#left);
    }
    this.#growOutlines(ranked);
    return list(isRoomy ? Math.min(listed, used + this.#left) : listed);
  }

  /** Takes files in their order if they fit, and leaves at least `downTo` tokens. An outline gives way to its file. */
  #takeWhole(files: readonly PlannedFile[], { downTo, largest }: { downTo: number; largest: number }): void {
    for (const file of files) {
      if (this.#costs.file(file) <= largest) this.#take(file, downTo);
    }
  }

  /** Takes a file in this form unless too little would be left. Returns whether it did. */
  #take(file: PlannedFile, downTo = 0): boolean {
    const before = this.#chosen.get(file.path);
    if (before === file) return true;
    const tokens = this.#left - this.#costs.file(file) + (before ? this.#costs.file(before) : 0);
    const bytes = this.#leftBytes - bytesOf(file) + (before ? bytesOf(before) : 0);
    if (tokens < downTo || bytes < 0) return false;
    this.#left = tokens;
    this.#leftBytes = bytes;
    this.#chosen.set(file.path, file);
    return true;
  }

  async #takeOutlines(files: readonly PlannedFile[]): Promise<void> {
    const { otherForms } = this.#options;
    const mayBeOutlined = ({ path, instead }: PlannedFile) => !instead && hasOutline(path) && !otherForms.has(path);
    const candidates = files.filter((file) => !this.#chosen.has(file.path) && mayBeOutlined(file));
    for (const file of candidates.slice(0, MOST_OUTLINES)) {
      if (this.#left < LEAST_PIECE) return;
      const outline = await this.#options.outlineOf(file);
      if (!outline || !hasEnoughSymbols(outline, file)) continue;
      const cost = this.#costs.file(outline);
      if (cost - outline.tokens > cost * FRAME_SHARE || cost > this.#costs.file(file) * OUTLINE_RATIO) continue;
      this.#take(outline);
    }
  }

  /** Takes the beginnings of files that are not chosen yet, each with its share of what is left. */
  #takeBeginnings(files: readonly PlannedFile[], most: number): void {
    const rest = files.filter(({ path }) => !this.#chosen.has(path)).slice(0, MOST_BEGINNINGS);
    for (const [i, file] of rest.entries()) {
      const share = Math.min(most, Math.floor(this.#left / Math.min(2, rest.length - i)));
      if (share >= LEAST_PIECE) this.#takePiece(file, { share });
    }
  }

  /** Puts the beginning of a file into the place of its outline as long as much is left. */
  #growOutlines(files: readonly PlannedFile[]): void {
    const unused = this.#options.maxTokens * UNUSED_SHARE;
    for (const file of files) {
      if (this.#left < Math.max(unused, LEAST_PIECE)) return;
      const outline = this.#chosen.get(file.path);
      if (outline === file || outline?.instead?.kind !== 'outline') continue;
      this.#takePiece(file, { share: Math.floor(this.#left) + this.#costs.file(outline), outline });
    }
  }

  /** Takes as much as possible of the first file, so that each part brings the agent further. */
  #forcePiece([first]: readonly PlannedFile[]): void {
    if (first === undefined || this.#takePiece(first, { share: this.#left, isForced: true })) return;
    throw new ToolError(
      'invalid_args',
      `max_tokens ${this.#options.maxTokens} is too small to show any of ${first.path}`,
      {
        suggestion: `ask with max_tokens ${this.#options.maxTokens * 2}`,
      },
    );
  }

  #takePiece(file: PlannedFile, options: CutOptions): boolean {
    const piece = cutFile(file, options, this.#cutting);
    return piece !== undefined && this.#take(piece);
  }

  /** Returns what is left of the files that were cut, then the files that were not chosen. */
  #restOf(ranked: readonly PlannedFile[]): readonly PlannedFile[] {
    const cut = ranked.flatMap((file) => {
      const instead = this.#chosen.get(file.path)?.instead;
      return instead?.kind === 'piece' && isCut(instead) ? [restOf(file, instead, this.#cutting)] : [];
    });
    return [...cut, ...ranked.filter(({ path }) => !this.#chosen.has(path))];
  }
}

function hasOutline(path: string): boolean {
  return ['readme', 'source', 'document', 'example', 'test'].includes(roleOf(path));
}

/** Says whether an outline has enough symbols for the size of its file. The first line of an outline is no symbol. */
function hasEnoughSymbols({ instead }: PlannedFile, file: PlannedFile): boolean {
  const symbols = (instead?.bytes.toString() ?? '').split('\n').length - 1;
  return file.tokens <= symbols * TOKENS_OF_SYMBOL;
}
