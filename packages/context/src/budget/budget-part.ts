import { ToolError } from '@jinn/core/errors';
import type { DocumentSection } from '../document/formats.ts';
import { cutHead } from '../document/head.ts';
import { drawBudgetTree } from '../document/trees.ts';
import type { FileOutlines, ShortenContext } from '../outline/shorten.ts';
import { type Costs, documentBytesOf } from './costs.ts';
import { type CutContext, type CutOptions, cutFile, LEAST_PIECE, restOf } from './cut-file.ts';
import { listLeftOut, shortestList } from './left-out-list.ts';
import { isCut, type PlannedFile } from './planned-file.ts';
import type { FileRole } from './rank/file-role.ts';
import type { RankSignals } from './rank/rank-files.ts';

/** The share of the budget for the list of what was omitted, and the tokens that it always gets. */
const LIST_SHARE = 0.03;
const LIST_LEAST = 45;
/** How much the list may grow when other files are omitted. */
const LIST_MARGIN = 30;
const BYTES_OF_LIST_TOKEN = 5;
const TREE_SHARE = 0.04;
const TREE_LEAST = 40;
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
/** If more than this share is left, the start of a file replaces its outline. */
const UNUSED_SHARE = 0.02;
/** If this share is left at the end, the start of a file is worth more than its outline. */
const MUCH_UNUSED_SHARE = 0.06;

export interface FittedPart {
  readonly files: readonly PlannedFile[];
  readonly head: readonly DocumentSection[];
  /** The files of the next parts, in the order of rank. The rests of files that were cut come first. */
  readonly rest: readonly PlannedFile[];
}

export interface BudgetOptions extends ShortenContext {
  readonly maxTokens: number;
  readonly maxBytes?: number | undefined;
  readonly head: readonly DocumentSection[];
  /** Returns the signals for ranking. Called only if not everything fits. */
  readonly signals: () => Promise<RankSignals>;
  /** Which part of the files to return, from 1. Each file comes in one part, unless it is cut. */
  readonly part?: number | undefined;
  readonly more?: ((nextPart: number) => string) | undefined;
  readonly explain?: ((lines: readonly string[]) => void) | undefined;
}

interface PartOptions extends BudgetOptions {
  readonly costs: Costs;
  readonly number: number;
  readonly order: readonly PlannedFile[];
  readonly readmes: ReadonlySet<string>;
  readonly manifests: ReadonlySet<string>;
  readonly roleOf: (path: string) => FileRole;
  /** The paths of modules that also exist in another form, which says more. */
  readonly otherForms: ReadonlySet<string>;
  /** The paths of files where programs and libraries start. They matter even if they are very small. */
  readonly entries: ReadonlySet<string>;
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
  #left = 0;
  #leftBytes: number;

  constructor(options: PartOptions) {
    this.#options = options;
    this.#costs = options.costs;
    this.#cutting = { ...options, isContinued: options.more !== undefined };
    this.#leftBytes = options.maxBytes ?? Number.POSITIVE_INFINITY;
  }

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
      return listLeftOut(this.#options, { chosen: [...this.#chosen.values()], left, cuts: asked.cuts, most });
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
      const among = (paths: ReadonlySet<string>) => ranked.filter(({ path }) => paths.has(path));
      this.#takeEssential(among(readmes), room * README_SHARE);
      this.#takeEssential(among(manifests), room * MANIFEST_SHARE);
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

  async #takeWithoutOutline(files: readonly PlannedFile[], room: number): Promise<void> {
    for (const file of files) {
      const share = Math.min(room * ONE_ASKED_SHARE, this.#left - room * (1 - ASKED_SHARE));
      if (this.#chosen.has(file.path) || file.instead || this.#options.roleOf(file.path) !== 'source') continue;
      if (share >= LEAST_PIECE && !(await this.#options.outlinesOf(file))) this.#takePiece(file, { share });
    }
  }

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

  #roomOfList(): number {
    const { maxTokens } = this.#options;
    return Math.max(LIST_LEAST, Math.floor(maxTokens * LIST_SHARE), this.#costs.section(shortestList(this.#options)));
  }

  #tree(head: readonly DocumentSection[], ranked: readonly PlannedFile[]): readonly DocumentSection[] {
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

  #takeEssential(files: readonly PlannedFile[], room: number): void {
    let share = room;
    for (const [i, file] of files.toSorted((a, b) => a.tokens - b.tokens).entries()) {
      const most = Math.min(share, (share / (files.length - i)) * 2);
      const before = this.#left;
      const isLarge = this.#costs.about(file) > most * MAX_ESTIMATE_SHARE || this.#costs.file(file) > most;
      const digest = isLarge ? this.#options.digestOf(file) : file;
      if (digest && this.#costs.file(digest) <= most) this.#take(digest);
      else if (most >= LEAST_PIECE) this.#takePiece(digest ?? file, { share: most });
      share -= before - this.#left;
    }
  }

  async #fillUp(
    ranked: readonly PlannedFile[],
    listed: number,
    list: (most: number) => DocumentSection,
  ): Promise<DocumentSection> {
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

  #take(file: PlannedFile, downTo = 0): boolean {
    const before = this.#chosen.get(file.path);
    if (before === file) return true;
    const tokens = this.#left - this.#costs.file(file) + (before ? this.#costs.file(before) : 0);
    const bytes = this.#leftBytes - documentBytesOf(file) + (before ? documentBytesOf(before) : 0);
    if (tokens < downTo || bytes < 0) return false;
    this.#left = tokens;
    this.#leftBytes = bytes;
    this.#chosen.set(file.path, file);
    return true;
  }

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

  #tells({ path, tokens, instead }: PlannedFile): boolean {
    return tokens >= TINY || instead !== undefined || this.#options.entries.has(path);
  }

  #mayBeOutlined(path: string): boolean {
    return OUTLINED.has(this.#options.roleOf(path)) && !this.#options.otherForms.has(path);
  }

  async #outlineWithin(file: PlannedFile, most: number): Promise<PlannedFile | undefined> {
    const outlines = file.instead ? undefined : await this.#options.outlinesOf(file);
    if (!outlines || !hasEnoughSymbols(outlines.full, file)) return undefined;
    const frame = this.#costs.about(outlines.full) - outlines.full.tokens;
    const outline = this.#costs.file(outlines.full) <= most ? outlines.full : outlines.shorter((most - frame) * 0.9);
    if (!outline) return undefined;
    const cost = this.#costs.about(outline);
    return frame <= cost * FRAME_SHARE && cost <= this.#costs.about(file) * OUTLINE_RATIO ? outline : undefined;
  }

  #takeBeginnings(files: readonly PlannedFile[], most: number): void {
    const rest = files.filter(({ path }) => !this.#chosen.has(path)).slice(0, MOST_BEGINNINGS);
    for (const [i, file] of rest.entries()) {
      const share = Math.min(most, Math.floor(this.#left / Math.min(2, rest.length - i)));
      if (share >= LEAST_PIECE) this.#takePiece(file, { share });
    }
  }

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

  /** If symbols are as long as lines, no start fits with an outline of the rest. */
  #cutOutlined(files: readonly PlannedFile[]): void {
    for (const file of files) {
      if (this.#left < this.#options.maxTokens * MUCH_UNUSED_SHARE) return;
      const outline = this.#chosen.get(file.path);
      if (outline !== file && outline?.instead?.kind === 'outline') {
        this.#takePiece(file, { share: Math.floor(this.#left) + this.#costs.file(outline) });
      }
    }
  }

  #forcePiece([first]: readonly PlannedFile[]): void {
    if (first === undefined || this.#takePiece(first, { share: this.#left, isForced: true })) return;
    const { maxTokens } = this.#options;
    throw new ToolError('invalid_args', `max_tokens ${maxTokens} is too small to show any of ${first.path}`, {
      suggestion: `ask with max_tokens ${maxTokens * 2}`,
    });
  }

  #takePiece(file: PlannedFile, options: CutOptions): boolean {
    const piece = cutFile(file, options, this.#cutting);
    return piece !== undefined && this.#take(piece);
  }

  #restOf(ranked: readonly PlannedFile[]): readonly PlannedFile[] {
    const cut = ranked.flatMap((file) => {
      const instead = this.#chosen.get(file.path)?.instead;
      return instead?.kind === 'piece' && isCut(instead) ? [restOf(file, instead, this.#cutting)] : [];
    });
    return [...cut, ...ranked.filter(({ path }) => !this.#chosen.has(path))];
  }
}

function hasEnoughSymbols({ instead }: PlannedFile, file: PlannedFile): boolean {
  const symbols = (instead?.bytes.toString() ?? '').split('\n').length - 1;
  return file.tokens <= symbols * TOKENS_OF_SYMBOL;
}
