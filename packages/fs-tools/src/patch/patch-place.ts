import { ToolError } from '@jinn/core/errors';
import { firstWhere } from '@jinn/core/text/counted';
import { COMPARISONS, FileLines, LineIndex, MARK, type StepCounter, TRIMMED } from '../edit/line-index.ts';
import { FOREIGN, nearestText } from '../match/nearest-text.ts';
import { nearestLine } from '../read/text-content.ts';
import type { Hunk } from './patch-text.ts';

const MAX_LISTED = 10;
const MAX_EXTRA = 10;
/** Steps of comparing lines, about a second of work. */
const MAX_STEPS = 200_000_000;

/** A hunk and the lines of the file that it replaces, counted from 0. */
export interface PlacedHunk {
  readonly hunk: Hunk;
  readonly start: number;
  readonly end: number;
  readonly comparison: number;
  /** How many places matched. This one is nearest to the hunk's numbers. */
  readonly chosenOf?: number | undefined;
}

/**
 * Finds the one place of each hunk in a text (bytes as latin1). Returns them in the order of the file. Throws
 * `patch_conflict` for a hunk that fits nowhere or in several places, and for hunks that overlap.
 */
export function placeHunks(
  path: string,
  bytes: string,
  hunks: readonly Hunk[],
): { lines: FileLines; placed: PlacedHunk[] } {
  // Git writes the mark into the first line of a diff. What a reader of the file was shown has none.
  const hasMark = hunks.some((hunk) => oldLines(hunk)[0]?.startsWith(MARK));
  const lines = new FileLines(bytes, path, hasMark);
  const search = new HunkSearch(path, lines, hunks);
  const placed: PlacedHunk[] = [];
  for (const hunk of hunks) {
    const found = search.place(hunk, placed.at(-1)?.end ?? 0);
    if (!found) throw notFound(path, bytes, { hunk, anchor: search.anchorOf(hunk), lines });
    placed.push(found);
  }
  const sorted = placed.toSorted((a, b) => a.start - b.start || a.end - b.end);
  const clash = sorted.find((one, i) => i > 0 && one.start < (sorted[i - 1] as PlacedHunk).end);
  if (clash) throw conflict(`update ${path}: two hunks change line ${clash.start + 1}`, 'join them into one hunk');
  return { lines, placed: sorted };
}

class HunkSearch {
  readonly #path: string;
  readonly #lines: FileLines;
  readonly #hunks: readonly Hunk[];
  readonly #indexes: (LineIndex | undefined)[] = [];
  #steps = 0;
  /** How far the hunk before is below its numbers. */
  #drift = 0;

  constructor(path: string, lines: FileLines, hunks: readonly Hunk[]) {
    this.#path = path;
    this.#lines = lines;
    this.#hunks = hunks;
  }

  /** Returns undefined if it fits nowhere. In doubt, it is below `previous`, the end of the hunk before. */
  place(hunk: Hunk, previous: number): PlacedHunk | undefined {
    const old = oldLines(hunk);
    for (const extra of possibleExtra(hunk)) {
      const one = extra === 0 ? hunk : { ...hunk, lines: hunk.lines.slice(0, -extra) };
      const length = old.length - extra;
      const found = this.#findPlace(one, old.slice(0, length), previous);
      if (!found) continue;
      if (hunk.near !== undefined) this.#drift = found.start - hunk.near;
      return { hunk: one, end: found.start + length, ...found };
    }
    return undefined;
  }

  #findPlace(hunk: Hunk, old: readonly string[], previous: number): FoundPlace | undefined {
    if (old.length === 0 && hunk.anchors.length === 0 && hunk.near !== undefined) return this.#byNumber(hunk.near);
    if (old.length === 0 && (hunk.anchors.length === 0 || hunk.endOfFile))
      return { start: this.#lines.count, comparison: 0 };
    for (let comparison = 0; comparison < COMPARISONS.length; comparison++) {
      const places = old.length === 0 ? undefined : this.#indexOf(comparison).find(old, hunk.endOfFile);
      // `@@` lines are written without their indentation.
      const reached =
        hunk.anchors.length > 0 ? this.#belowAnchors(hunk, places, Math.max(comparison, TRIMMED)) : (places ?? []);
      const chosen = this.#choose(hunk, reached, previous);
      if (chosen) return { ...chosen, comparison };
    }
    return undefined;
  }

  /** Returns the line on which the anchors end, the first of several. Undefined without anchors, or if they are not found. */
  anchorOf({ anchors }: Hunk): number | undefined {
    const below = (at: number | undefined, anchor: string) =>
      at === undefined ? at : firstFrom(this.#indexOf(TRIMMED).placesOf(anchor), at + 1);
    return anchors.length === 0 ? undefined : anchors.reduce<number | undefined>(below, -1);
  }

  /** Returns the place of lines that are added without any line around them: the one that their number says. */
  #byNumber(near: number): FoundPlace | undefined {
    return near <= this.#lines.count ? { start: near, comparison: 0 } : undefined;
  }

  #indexOf(comparison: number): LineIndex {
    const existing = this.#indexes[comparison];
    if (existing) return existing;
    const wanted = this.#hunks.flatMap((hunk) => [...hunk.anchors, ...oldLines(hunk)]);
    const compare = COMPARISONS[comparison] as (line: string) => string;
    const index = new LineIndex(this.#lines, wanted, compare, this.#spend);
    this.#indexes[comparison] = index;
    return index;
  }

  /** Returns for each place of the anchors the first of `places` below it. Without `places`, every line is one. */
  #belowAnchors({ anchors, lines }: Hunk, places: readonly number[] | undefined, comparison: number): number[] {
    const index = this.#indexOf(comparison);
    const [outermost = new Int32Array(0), ...inner] = anchors.map((anchor) => index.placesOf(anchor));
    // Lines that are only added go below the anchor. Other hunks may repeat the anchor.
    const isAddition = lines.every(({ sign }) => sign === '+');
    const reached = new Set<number>();
    for (const start of outermost) {
      this.#spend(anchors.length * 10);
      const end = inner.reduce<number | undefined>(
        (at, below) => (at === undefined ? at : firstFrom(below, at + 1)),
        start,
      );
      if (end === undefined) break;
      const least = isAddition ? end + 1 : end;
      const found = places ? firstFrom(places, least) : least;
      if (found === undefined) break;
      reached.add(found);
    }
    return [...reached];
  }

  /** Returns the one place, or the one below the hunk before, or the nearest to its numbers. Throws if there are several. */
  #choose({ at, near }: Hunk, places: readonly number[], previous: number): Omit<FoundPlace, 'comparison'> | undefined {
    const [first] = places;
    if (first === undefined || places.length === 1) return first === undefined ? undefined : { start: first };
    this.#spend(places.length);
    const below = previous > 0 ? places.filter((candidate) => candidate >= previous) : [];
    const [next] = below;
    if (next !== undefined && below.length === 1) return { start: next };
    const wanted = near === undefined ? undefined : near + this.#drift;
    const nearest = nearestLine(wanted, below.length > 0 ? below : places);
    if (nearest !== undefined) return { start: nearest, ...(nearest !== wanted && { chosenOf: places.length }) };
    const lines = places.slice(0, MAX_LISTED).map((candidate) => candidate + 1);
    const more = places.length > MAX_LISTED ? ` and ${places.length - MAX_LISTED} more` : '';
    throw conflict(
      `update ${this.#path}: the hunk at line ${at} of the patch fits in ${places.length} places (lines ${lines.join(', ')}${more})`,
      'give it more lines of context, or an @@ line from before the right place',
    );
  }

  readonly #spend: StepCounter = (steps) => {
    this.#steps += steps;
    if (this.#steps <= MAX_STEPS) return;
    throw new ToolError(
      'resource_limit',
      `update ${this.#path}: the hunks fit in too many places to compare them all`,
      { suggestion: 'send fewer hunks in a patch, with lines of context that are rare in the file' },
    );
  };
}

type FoundPlace = Pick<PlacedHunk, 'start' | 'comparison' | 'chosenOf'>;

function oldLines({ lines }: Hunk): string[] {
  return lines.filter(({ sign }) => sign !== '+').map(({ text }) => text);
}

function possibleExtra({ lines }: Hunk): number[] {
  const last = lines.findLastIndex(({ sign, text }) => sign !== ' ' || text !== '');
  const blanks = lines.length - Math.max(1, last + 1);
  const few = Array.from({ length: Math.min(blanks, MAX_EXTRA) + 1 }, (_, i) => i);
  return blanks > MAX_EXTRA ? [...few, blanks] : few;
}

function firstFrom(sorted: ArrayLike<number>, least: number): number | undefined {
  return sorted[firstWhere(sorted.length, (at) => (sorted[at] as number) >= least)];
}

function notFound(
  path: string,
  bytes: string,
  { hunk, anchor, lines }: { hunk: Hunk; anchor: number | undefined; lines: FileLines },
): ToolError {
  const old = oldLines(hunk);
  const wanted = old.length > 0 ? old : hunk.anchors;
  const from = anchor === undefined ? 0 : lines.mark.length + lines.bytes(0, anchor).length;
  const nearest = bytes === '' ? undefined : nearestText(bytes, wanted.join('\n'), from);
  const isLost = hunk.anchors.length > 0 && anchor === undefined;
  const lost = isLost ? '. The file does not have its @@ line either' : '';
  const below = nearest && anchor !== undefined ? ' below its @@ line' : '';
  const unseen = nearest?.unseen === undefined ? '' : `. They look the same, but ${nearest.unseen}`;
  const hint = nearest ? `${unseen}. Nearest${below} at line ${nearest.line}:\n${nearest.diff}` : '';
  const write = nearest?.isWhole
    ? 'if these are the lines that you mean, write the hunk with those marked +, which are what the file has'
    : `read the file${nearest ? ` from line ${nearest.line}` : ''}, and write the hunk with the lines that it has now`;
  return conflict(
    `update ${path}: failed to find the lines of the hunk at line ${hunk.at} of the patch${lost}${hint}`,
    nearest?.isForeign
      ? `${FOREIGN}: leave these lines out of the hunk, or use search_replace, where . matches such a byte`
      : write,
  );
}

export function conflict(message: string, suggestion: string): ToolError {
  return new ToolError('patch_conflict', message, { suggestion });
}
