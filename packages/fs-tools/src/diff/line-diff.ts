/** Lines that differ: those of the first side from `start` up to `end`, and those of the second side in their place. */
export interface LineChange {
  readonly start: number;
  readonly end: number;
  readonly otherStart: number;
  readonly otherEnd: number;
}

/** Steps of the search for the shortest diff, about half a second of work. */
const MAX_STEPS = 100_000_000;

/**
 * Compares two runs of lines, each line as a number. It takes time linear in equal lines. If the shortest diff needs
 * more than `maxEdits` edits, the lines that occur once on both sides are aligned first, and the lines between them are
 * compared again; without such lines, all count as changed.
 */
export function diffLines(a: Int32Array, b: Int32Array, maxEdits: number): LineChange[] {
  const changes: LineChange[] = [];
  new Comparison(a, b, { maxEdits, changes }).compare({ start: 0, end: a.length, otherStart: 0, otherEnd: b.length });
  return changes;
}

interface Goal {
  readonly maxEdits: number;
  readonly changes: LineChange[];
}

class Comparison {
  readonly #a: Int32Array;
  readonly #b: Int32Array;
  readonly #goal: Goal;
  #marks: Marks | undefined;
  #steps = 0;

  constructor(a: Int32Array, b: Int32Array, goal: Goal) {
    this.#a = a;
    this.#b = b;
    this.#goal = goal;
  }

  /** Adds the changes within a region, in order. */
  compare(region: LineChange): void {
    const inner = this.#trim(region);
    const { start, end, otherStart, otherEnd } = inner;
    if (start === end && otherStart === otherEnd) return;
    const isOneSided = start === end || otherStart === otherEnd;
    const equal = isOneSided ? undefined : this.#middleOf(inner);
    if (isOneSided) this.#add(inner);
    else if (equal) this.#compareAround(inner, [equal]);
    else this.#compareAround(inner, this.#uniquePairs(inner));
  }

  /** Adds a change, or extends the last one: neighbouring changes are one. */
  #add(change: LineChange): void {
    const { changes } = this.#goal;
    const last = changes.at(-1);
    if (last?.end === change.start && last.otherEnd === change.otherStart) {
      changes[changes.length - 1] = { ...last, end: change.end, otherEnd: change.otherEnd };
    } else changes.push(change);
  }

  #trim({ start, end, otherStart, otherEnd }: LineChange): LineChange {
    let [from, to, otherFrom, otherTo] = [start, end, otherStart, otherEnd];
    for (; from < to && otherFrom < otherTo && this.#a[from] === this.#b[otherFrom]; from++) otherFrom++;
    for (; from < to && otherFrom < otherTo && this.#a[to - 1] === this.#b[otherTo - 1]; to--) otherTo--;
    return { start: from, end: to, otherStart: otherFrom, otherEnd: otherTo };
  }

  /** Compares the lines before, between and behind equal runs; without any, the whole region has changed. */
  #compareAround(region: LineChange, equal: readonly LineChange[]): void {
    if (equal.length === 0) {
      this.#add(region);
      return;
    }
    let { start, otherStart } = region;
    for (const run of equal) {
      this.compare({ start, end: run.start, otherStart, otherEnd: run.otherStart });
      [start, otherStart] = [run.end, run.otherEnd];
    }
    this.compare({ ...region, start, otherStart });
  }

  /**
   * Finds an equal run, perhaps empty, in the middle of the shortest diff, by the search of Myers from both ends, which
   * needs memory for one row only. Returns undefined if it takes too many edits.
   */
  #middleOf({ start, end, otherStart, otherEnd }: LineChange): LineChange | undefined {
    const [width, height] = [end - start, otherEnd - otherStart];
    const most = Math.min(this.#goal.maxEdits, Math.ceil((width + height) / 2));
    const forward = new Front(width, height, most, (x, y) => this.#a[start + x] === this.#b[otherStart + y]);
    const backward = new Front(width, height, most, (x, y) => this.#a[end - 1 - x] === this.#b[otherEnd - 1 - y]);
    for (let edits = 0; edits <= most; edits++) {
      this.#steps += 4 * edits;
      if (this.#steps > MAX_STEPS) return undefined;
      const ahead = forward.advance(edits, backward, edits - 1);
      if (ahead) {
        const [x, y] = [start + ahead.x, otherStart + ahead.y];
        return { start: x, end: x + ahead.length, otherStart: y, otherEnd: y + ahead.length };
      }
      const back = backward.advance(edits, forward, edits);
      if (back) {
        const [x, y] = [end - back.x, otherEnd - back.y];
        return { start: x - back.length, end: x, otherStart: y - back.length, otherEnd: y };
      }
    }
    return undefined;
  }

  /**
   * Returns pairs of the lines that occur once on each side, as many as have the same order on both; neighbours make
   * one run.
   */
  #uniquePairs(region: LineChange): LineChange[] {
    this.#steps += region.end - region.start + region.otherEnd - region.otherStart;
    if (this.#steps > MAX_STEPS) return [];
    this.#marks ??= createMarks(this.#a, this.#b);
    const { here, there } = this.#marks;
    mark(here, this.#a, region.start, region.end);
    mark(there, this.#b, region.otherStart, region.otherEnd);
    const [places, others]: [number[], number[]] = [[], []];
    for (let i = region.start; i < region.end; i++) {
      const number = this.#a[i] as number;
      if (here[number] !== i + 1 || (there[number] as number) <= 0) continue;
      places.push(i);
      others.push((there[number] as number) - 1);
    }
    for (let i = region.start; i < region.end; i++) here[this.#a[i] as number] = 0;
    for (let i = region.otherStart; i < region.otherEnd; i++) there[this.#b[i] as number] = 0;
    return toRuns(longestRising(others), places, others);
  }
}

/** For each number, where its line is, plus 1; 0 for nowhere, and -1 for several places. */
interface Marks {
  readonly here: Int32Array;
  readonly there: Int32Array;
}

function createMarks(a: Int32Array, b: Int32Array): Marks {
  const highest = (numbers: Int32Array) => numbers.reduce((most, number) => Math.max(most, number), 0);
  const size = Math.max(highest(a), highest(b)) + 1;
  return { here: new Int32Array(size), there: new Int32Array(size) };
}

function mark(marks: Int32Array, numbers: Int32Array, start: number, end: number): void {
  for (let i = start; i < end; i++) {
    const number = numbers[i] as number;
    marks[number] = marks[number] === 0 ? i + 1 : -1;
  }
}

function toRuns(chosen: readonly number[], places: readonly number[], others: readonly number[]): LineChange[] {
  const runs: LineChange[] = [];
  for (const index of chosen) {
    const [start, otherStart] = [places[index] as number, others[index] as number];
    const last = runs.at(-1);
    if (last?.end === start && last.otherEnd === otherStart) {
      runs[runs.length - 1] = { ...last, end: start + 1, otherEnd: otherStart + 1 };
    } else runs.push({ start, end: start + 1, otherStart, otherEnd: otherStart + 1 });
  }
  return runs;
}

/** The furthest points that a number of edits reaches from one corner, one for each diagonal. */
class Front {
  readonly #width: number;
  readonly #height: number;
  readonly #isEqual: (x: number, y: number) => boolean;
  readonly #offset: number;
  /** -1 for a diagonal that has not been reached. */
  readonly #reached: Int32Array;

  constructor(width: number, height: number, most: number, isEqual: (x: number, y: number) => boolean) {
    this.#width = width;
    this.#height = height;
    this.#isEqual = isEqual;
    this.#offset = most + 1;
    this.#reached = new Int32Array(2 * most + 3).fill(-1);
  }

  /**
   * Moves every diagonal on by an edit and along equal lines. Returns the equal run on which this meets the other
   * front, which has made `otherEdits`.
   */
  advance(edits: number, other: Front, otherEdits: number): { x: number; y: number; length: number } | undefined {
    const delta = this.#width - this.#height;
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const x = edits === 0 ? 0 : this.#step(diagonal);
      if (x < 0) continue;
      let length = 0;
      const y = x - diagonal;
      while (x + length < this.#width && y + length < this.#height && this.#isEqual(x + length, y + length)) length++;
      this.#reached[this.#offset + diagonal] = x + length;
      const mirrored = delta - diagonal;
      if (Math.abs(mirrored) > otherEdits || (mirrored + otherEdits) % 2 !== 0) continue;
      const theirs = other.#reached[other.#offset + mirrored] as number;
      if (theirs >= 0 && x + length + theirs >= this.#width) return { x, y, length };
    }
    return undefined;
  }

  /** Returns how far one more edit leads on a diagonal, without the equal lines behind it; -1 if it leads nowhere. */
  #step(diagonal: number): number {
    const at = this.#offset + diagonal;
    const left = this.#reached[at - 1] as number;
    const above = this.#reached[at + 1] as number;
    const right = left >= 0 && left < this.#width ? left + 1 : -1;
    const down = above >= 0 && above - diagonal <= this.#height ? above : -1;
    return Math.max(right, down);
  }
}

/** Returns the indexes of the longest rising subsequence of a list. */
function longestRising(values: readonly number[]): number[] {
  const ends: number[] = [];
  const before = new Int32Array(values.length).fill(-1);
  values.forEach((value, i) => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((values[ends[middle] as number] as number) < value) low = middle + 1;
      else high = middle;
    }
    if (low > 0) before[i] = ends[low - 1] as number;
    ends[low] = i;
  });
  const rising: number[] = [];
  for (let i = ends.at(-1) ?? -1; i >= 0; i = before[i] as number) rising.push(i);
  return rising.reverse();
}
