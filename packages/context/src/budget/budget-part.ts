import { ToolError } from '@jinn/core/errors';
import type { Section } from '../document/formats.ts';
import { cutHead } from '../document/head.ts';
import type { FileOutlines } from '../outline/shorten.ts';
import { bytesOf, type Costs } from './costs.ts';
import { type CutContext, type CutOptions, cutFile, LEAST_PIECE, restOf } from './cut-file.ts';
import type { BudgetOptions } from './fit-to-budget.ts';
import { drawBudgetTree } from './head/budget-tree.ts';
import { listLeftOut, shortestList } from './head/left-out-list.ts';
import { isCut, type PlannedFile } from './planned-file.ts';
import type { FileRole } from './rank/file-role.ts';

/** The share of the budget for the list of what was left out, and the tokens that it always gets. */
const LIST_SHARE = 0.03;
const LIST_LEAST = 45;
/** How much the list may grow when other files are left out. */
const LIST_MARGIN = 30;
const BYTES_OF_LIST_TOKEN = 5;
/** The share of a tree that was not asked for. */
const TREE_SHARE = 0.04;
const TREE_LEAST = 40;
/** The shares of READMEs and of manifests. */
const README_SHARE = 0.1;
const MANIFEST_SHARE = 0.06;
/** The share of all files that a reader asks for, and that of one of them. */
const ASKED_SHARE = 0.75;
const ONE_ASKED_SHARE = 0.7;
/** The share of outlines, which come before files: most of a small budget, less of a large one. */
const OUTLINE_SHARE = 0.05;
const OUTLINE_MORE = 4_200;
const MOST_OUTLINE_SHARE = 0.75;
/** The most tokens of one outline in a small budget, and the increase for each token of a larger one. */
const ONE_OUTLINE = 170;
const ONE_OUTLINE_MORE = 1 / 1_000;
/** The share of one whole file. */
const ONE_SHARE = 0.45;
/** A file that would take all of the room is ranked this many places lower. */
const PLACES_FOR_ROOM = 60;
/** With fewer tokens left, no outline is looked for. */
const LEAST_OUTLINE = 30;
/** An outline must be this much smaller than its file, and have a symbol for each of this many tokens of the file. */
const OUTLINE_RATIO = 0.6;
const TOKENS_OF_SYMBOL = 4_000;
/** The most that the path of a file, and the lines around it, may take of an outline. */
const FRAME_SHARE = 0.4;
/** How many files are read for outlines, and for beginnings. */
const MOST_OUTLINES = 400;
/** After this many files in a row whose outlines are too long for the room that is left, the room counts as full. */
const MOST_MISSES = 8;
const MOST_BEGINNINGS = 8;
/** The path of a smaller file says nearly as much as its content. */
const TINY = 60;
/** A file whose estimate is above this share of the room is not counted exactly. */
const MAX_ESTIMATE_SHARE = 1.25;
/** The kinds of files that may be whole even if others must wait. */
const MAY_FILL: ReadonlySet<FileRole> = new Set(['readme', 'manifest', 'source', 'document']);
/** The kinds of files that outlines are made of. */
const OUTLINED: ReadonlySet<FileRole> = new Set(['readme', 'source', 'document', 'tool', 'example', 'test']);
/** If more than this share is left, the beginning of a file replaces its outline. */
const UNUSED_SHARE = 0.02;
/** If this share is left at the end, the beginning of a file is worth more than its outline. */
const MUCH_UNUSED_SHARE = 0.06;

export interface FittedPart {
  /** In the order of the document. */
  readonly files: readonly PlannedFile[];
  /** The head of the part; it ends with a list of what was cut, outlined and left out. */
  readonly head: readonly Section[];
  /** The files of the next parts, in the order of rank. The rests of files that were cut come first. */
  readonly rest: readonly PlannedFile[];
}

interface PartOptions extends BudgetOptions {
  readonly costs: Costs;
  readonly number: number;
  /** All files in the order of the document. */
  readonly order: readonly PlannedFile[];
  /** The paths of READMEs, and those of manifests. */
  readonly readmes: ReadonlySet<string>;
  readonly manifests: ReadonlySet<string>;
  readonly roleOf: (path: string) => FileRole;
  /** The paths of modules that also exist in another form, which says more. */
  readonly otherForms: ReadonlySet<string>;
  /** The paths of files where programs and libraries begin. They matter even if they are very small. */
  readonly entries: ReadonlySet<string>;
  /** The paths of the files that a reader asks for. */
  readonly asked: ReadonlySet<string>;
  readonly outlinesOf: (file: PlannedFile) => Promise<FileOutlines | undefined>;
  readonly digestOf: (file: PlannedFile) => PlannedFile | undefined;
}

/** Chooses the files of one part of a document, and the form of each. */
export class BudgetPart {
  readonly #options: PartOptions;
  readonly #costs: Costs;
  readonly #cutting: CutContext;
  readonly #chosen = new Map<string, PlannedFile>();
  /** The tokens and bytes that are left for files. */
  #left = 0;
  #leftBytes: number;

  constructor(options: PartOptions) {
    this.#options = options;
    this.#costs = options.costs;
    this.#cutting = { ...options, isContinued: options.more !== undefined };
    this.#leftBytes = options.maxBytes ?? Number.POSITIVE_INFINITY;
  }

  /** Chooses files in the order of their rank. */
  async fit(ranked: readonly PlannedFile[]): Promise<FittedPart> {
    const { maxTokens, order } = this.#options;
    const listed = this.#roomOfList();
    const asked = cutHead(this.#options.head, maxTokens - listed, (section) => this.#costs.section(section));
    const head = [...asked.head, ...this.#tree(asked.head, ranked)];
    const room = maxTokens - this.#costs.frame - this.#costs.sections(head) - listed;
    this.#left = room;
    this.#leftBytes -= listed * BYTES_OF_LIST_TOKEN;
    await this.#choose(ranked, room);
    if (this.#chosen.size === 0 && this.#options.more) this.#forcePiece(ranked);
    const list = await this.#fillUp(ranked, listed, (most) => {
      const left = ranked.filter(({ path }) => !this.#chosen.has(path));
      return listLeftOut({ ...this.#options, chosen: [...this.#chosen.values()], left, cuts: asked.cuts, most });
    });
    const files = order.flatMap(({ path }) => this.#chosen.get(path) ?? []);
    return { files, head: [...head, list], rest: this.#restOf(ranked) };
  }

  async #choose(ranked: readonly PlannedFile[], room: number): Promise<void> {
    const { readmes, manifests, asked } = this.#options;
    const continued = ranked.filter(({ instead }) => instead?.kind === 'piece');
    this.#takeWhole(continued, { downTo: 0, largest: room });
    this.#takeBeginnings(continued, room);
    if (asked.size === 0) {
      this.#takeEssential(
        ranked.filter(({ path }) => readmes.has(path)),
        room * README_SHARE,
      );
      this.#takeEssential(
        ranked.filter(({ path }) => manifests.has(path)),
        room * MANIFEST_SHARE,
      );
    }
    const wanted = ranked.filter(({ path }) => asked.has(path));
    this.#takeWhole(wanted, { downTo: room * (1 - ASKED_SHARE), largest: room * ONE_ASKED_SHARE });
    await this.#takeWithoutOutline(wanted, room);
    await this.#takeOutlines(ranked, this.#outlineRoom(room));
    this.#takeWhole(this.#inOrderOfBodies(ranked, room), { downTo: 0, largest: room * ONE_SHARE });
    await this.#takeOutlines(ranked, this.#left);
    await this.#growOutlines(ranked);
    this.#takeWhole(ranked, { downTo: 0, largest: room });
    this.#takeBeginnings(ranked, room);
  }

  /** Takes the beginnings of sources that are asked for, are too large and have no outline. */
  async #takeWithoutOutline(files: readonly PlannedFile[], room: number): Promise<void> {
    for (const file of files) {
      const share = Math.min(room * ONE_ASKED_SHARE, this.#left - room * (1 - ASKED_SHARE));
      if (this.#chosen.has(file.path) || file.instead || this.#options.roleOf(file.path) !== 'source') continue;
      if (share >= LEAST_PIECE && !(await this.#options.outlinesOf(file))) this.#takePiece(file, { share });
    }
  }

  /**
   * Sorts files whose content says something to the front, by rank, but small ones before large ones that rank a little
   * higher.
   */
  #inOrderOfBodies(ranked: readonly PlannedFile[], room: number): readonly PlannedFile[] {
    const places = new Map(
      ranked.map((file, i) => [file, i + (PLACES_FOR_ROOM * this.#costs.about(file)) / Math.max(1, room)]),
    );
    const place = (file: PlannedFile) => places.get(file) as number;
    return ranked
      .filter(
        (file) =>
          this.#tells(file) &&
          MAY_FILL.has(this.#options.roleOf(file.path)) &&
          !this.#options.otherForms.has(file.path),
      )
      .toSorted((a, b) => place(a) - place(b));
  }

  /**
   * Returns the tokens for the list: its share of the budget, or more if the sentence about the next part needs more.
   */
  #roomOfList(): number {
    const { maxTokens } = this.#options;
    return Math.max(LIST_LEAST, Math.floor(maxTokens * LIST_SHARE), this.#costs.section(shortestList(this.#options)));
  }

  /** Returns a tree of all files in the first part, unless the head has one. */
  #tree(head: readonly Section[], ranked: readonly PlannedFile[]): readonly Section[] {
    const { maxTokens, number } = this.#options;
    const most = maxTokens * TREE_SHARE;
    if (number > 1 || most < TREE_LEAST || head.some(({ title }) => title === 'tree')) return [];
    const tree = drawBudgetTree(
      ranked.map(({ path }) => path),
      (section) => this.#costs.section(section) <= most,
    );
    return tree ? [tree] : [];
  }

  #outlineRoom(room: number): number {
    const share = Math.min(MOST_OUTLINE_SHARE, OUTLINE_SHARE + OUTLINE_MORE / this.#options.maxTokens);
    return Math.min(this.#left, room * share);
  }

  /** Takes the READMEs or manifests within their share: whole, or the parts that matter, or their beginnings. */
  #takeEssential(files: readonly PlannedFile[], room: number): void {
    let share = room;
    for (const [i, file] of files.toSorted((a, b) => a.tokens - b.tokens).entries()) {
      const most = Math.min(share, (share / (files.length - i)) * 2);
      const before = this.#left;
      const digest =
        this.#costs.about(file) > most * MAX_ESTIMATE_SHARE || this.#costs.file(file) > most
          ? this.#options.digestOf(file)
          : file;
      if (digest && this.#costs.file(digest) <= most) this.#take(digest);
      else if (most >= LEAST_PIECE) this.#takePiece(digest ?? file, { share: most });
      share -= before - this.#left;
    }
  }

  /** Gives the rest of the room, and of the room of the list, to more files. Returns the list. */
  async #fillUp(ranked: readonly PlannedFile[], listed: number, list: (most: number) => Section): Promise<Section> {
    const used = this.#costs.section(list(listed)) + LIST_MARGIN;
    const isRoomy = listed - used >= LEAST_PIECE;
    if (isRoomy) this.#left += listed - used;
    await this.#growOutlines(ranked);
    if (isRoomy) {
      this.#takeWhole(ranked, { downTo: 0, largest: this.#left });
      this.#takeBeginnings(ranked, this.#left);
    }
    this.#cutOutlined(ranked);
    return list(isRoomy ? Math.min(listed, used + this.#left) : listed);
  }

  /** Takes files in their order if they fit, and leaves at least `downTo` tokens. A file replaces its outline. */
  #takeWhole(files: readonly PlannedFile[], { downTo, largest }: { downTo: number; largest: number }): void {
    for (const file of files) {
      if (this.#left - downTo < TINY / 2) return;
      const before = this.#chosen.get(file.path);
      const most = Math.min(largest, this.#left - downTo + (before ? this.#costs.file(before) : 0));
      if (before?.instead?.kind === 'piece' && isCut(before.instead)) continue;
      if (this.#costs.about(file) <= most * MAX_ESTIMATE_SHARE && this.#costs.file(file) <= largest)
        this.#take(file, downTo);
    }
  }

  /** Takes a file in this form unless too little would be left. Returns true if it did. */
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

  /** Takes outlines of the best files, and small files whole, up to a number of tokens. */
  async #takeOutlines(files: readonly PlannedFile[], room: number): Promise<void> {
    const { maxTokens } = this.#options;
    const most = ONE_OUTLINE + maxTokens * ONE_OUTLINE_MORE;
    const end = this.#left - room;
    const candidates = files.filter(({ path }) => !this.#chosen.has(path) && this.#mayBeOutlined(path));
    let misses = 0;
    for (const file of candidates.slice(0, MOST_OUTLINES)) {
      const left = this.#left - end;
      if (left < LEAST_OUTLINE || misses === MOST_MISSES) return;
      const isSmall = this.#costs.about(file) <= most && this.#tells(file);
      const outline = isSmall ? file : await this.#outlineWithin(file, Math.min(most, left));
      const isTaken = outline !== undefined && this.#take(outline, end);
      misses = isTaken || left >= most ? 0 : misses + 1;
    }
  }

  /** Reports whether a file says more than its path. A file that the caller wants shortened counts at any size. */
  #tells({ path, tokens, instead }: PlannedFile): boolean {
    return tokens >= TINY || instead !== undefined || this.#options.entries.has(path);
  }

  #mayBeOutlined(path: string): boolean {
    return OUTLINED.has(this.#options.roleOf(path)) && !this.#options.otherForms.has(path);
  }

  /** Returns the longest outline of a file that costs at most this many tokens; undefined if it says too little. */
  async #outlineWithin(file: PlannedFile, most: number): Promise<PlannedFile | undefined> {
    const outlines = file.instead ? undefined : await this.#options.outlinesOf(file);
    if (!outlines || !hasEnoughSymbols(outlines.full, file)) return undefined;
    const frame = this.#costs.about(outlines.full) - outlines.full.tokens;
    const outline = this.#costs.file(outlines.full) <= most ? outlines.full : outlines.shorter((most - frame) * 0.9);
    if (!outline) return undefined;
    const cost = this.#costs.about(outline);
    return frame <= cost * FRAME_SHARE && cost <= this.#costs.about(file) * OUTLINE_RATIO ? outline : undefined;
  }

  /** Takes the beginnings of files that are not chosen yet, each with an equal share of the room that is left. */
  #takeBeginnings(files: readonly PlannedFile[], most: number): void {
    const rest = files.filter(({ path }) => !this.#chosen.has(path)).slice(0, MOST_BEGINNINGS);
    for (const [i, file] of rest.entries()) {
      const share = Math.min(most, Math.floor(this.#left / Math.min(2, rest.length - i)));
      if (share >= LEAST_PIECE) this.#takePiece(file, { share });
    }
  }

  /** Replaces outlines by the beginnings of their files while much room is left. */
  async #growOutlines(files: readonly PlannedFile[]): Promise<void> {
    const unused = this.#options.maxTokens * UNUSED_SHARE;
    for (const file of files) {
      if (this.#left < Math.max(unused, LEAST_PIECE)) return;
      const outline = this.#chosen.get(file.path);
      if (outline === file || outline?.instead?.kind !== 'outline') continue;
      const share = Math.floor(this.#left) + this.#costs.file(outline);
      if (this.#costs.about(file) <= share * MAX_ESTIMATE_SHARE && this.#take(file)) continue;
      const full = file.instead ? undefined : (await this.#options.outlinesOf(file))?.full;
      this.#takePiece(file, { share, outline: full ?? outline });
    }
  }

  /**
   * Replaces an outline by the beginning of its file alone while very much room is left: if symbols are as long as
   * lines, no beginning fits with an outline of the rest.
   */
  #cutOutlined(files: readonly PlannedFile[]): void {
    for (const file of files) {
      if (this.#left < this.#options.maxTokens * MUCH_UNUSED_SHARE) return;
      const outline = this.#chosen.get(file.path);
      if (outline !== file && outline?.instead?.kind === 'outline') {
        this.#takePiece(file, { share: Math.floor(this.#left) + this.#costs.file(outline) });
      }
    }
  }

  /** Takes as much as possible of the first file, so that each part brings the reader further. */
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

  /** Returns the rests of the files that were cut, then the files that were not chosen. */
  #restOf(ranked: readonly PlannedFile[]): readonly PlannedFile[] {
    const cut = ranked.flatMap((file) => {
      const instead = this.#chosen.get(file.path)?.instead;
      return instead?.kind === 'piece' && isCut(instead) ? [restOf(file, instead, this.#cutting)] : [];
    });
    return [...cut, ...ranked.filter(({ path }) => !this.#chosen.has(path))];
  }
}

/**
 * Reports whether an outline has enough symbols for the size of its file. The first line of an outline is not a symbol.
 */
function hasEnoughSymbols({ instead }: PlannedFile, file: PlannedFile): boolean {
  const symbols = (instead?.bytes.toString() ?? '').split('\n').length - 1;
  return file.tokens <= symbols * TOKENS_OF_SYMBOL;
}
