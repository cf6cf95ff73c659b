import { wholeCharacters } from './line-folder.ts';

/** Matches a line that reports a failure, words in it that do not mean one, and a line that reports success. */
const FAILURE =
  /fail|error|exception|✗|✘|✖|not ok|panic|fatal|Traceback|undefined reference|core dumped|not found|No such file|denied|^E {3}|^\s+\d+\) |^\s*[^\s:]+:\d+:\d+: (?!warning|note|info|remark)/i;
const NO_FAILURE = /\b(?:0|no) (?:fail|error)\w*|\b(?:fail\w*|errors?)[:=]? ?0\b/gi;
const PASS_MARK = /^\s*(?:[✔✓√]|ok\b|PASS\b|--- PASS:)/;
/** How many characters of a line are compared and judged, so that long lines cost no more. */
const JUDGED = 400;
const LINES_BEFORE = 2;
const LINES_AFTER = 8;
/** The last lines, which are shown unchanged. */
const LAST_LINES = 200;
/** Of the last lines, long ones are cut to this before the first ones are omitted. */
const LEAST_CUT = 100;
/** More lines in a row that are alike are folded. */
const MOST_ALIKE = 4;
const MAX_SAMPLE = 60;
const GAP_BYTES = 32;

/** A line of the output, or the one that replaces some similar ones. */
interface ChosenLine {
  readonly text: string;
  /** How many lines come before it, and how many it stands for. */
  readonly start: number;
  readonly lines: number;
  readonly isFailure?: boolean;
  /** The line that a fold of similar lines shows. */
  readonly sample?: string;
}

/** Lines in a row that differ only in digits, or that all report success. */
interface Run {
  readonly shape: string;
  readonly first: ChosenLine[];
  last: ChosenLine;
  count: number;
}

export interface Room {
  /** The size that failures, the start and more of the end may fill. */
  readonly usual: number;
  /** The size that the last lines may fill beyond that. */
  readonly most: number;
}

export interface ChosenText {
  readonly text: string;
  /** How many of its lines are shown unchanged. */
  readonly shown: number;
}

/**
 * Chooses what is shown of a long output while it comes: failures with the lines around them, the last 200 lines, then
 * the start and more of the end, with similar lines folded. It holds a few times `room` bytes, however long the output.
 */
export class LineChooser {
  readonly #room: number;
  readonly #head: ChosenLine[] = [];
  #headRoom: number;
  /** The first failures with the lines around them, and the last ones after them. */
  readonly #early: ChosenLine[] = [];
  #earlyRoom: number;
  readonly #late: LastLines;
  readonly #tail: LastLines;
  readonly #last: LastLines;
  #recent: ChosenLine[] = [];
  #after = 0;
  #run: Run | undefined;
  #lines = 0;
  #rest = '';

  constructor(room: number) {
    this.#room = room;
    this.#headRoom = room;
    this.#earlyRoom = room;
    this.#late = new LastLines(room);
    this.#tail = new LastLines(room);
    this.#last = new LastLines(Number.POSITIVE_INFINITY, LAST_LINES);
  }

  /** Takes whole lines, or a part of one. A single line may stand for several. */
  push(bytes: Uint8Array, lines = 1): void {
    const text = this.#rest + Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      this.#take(text.slice(start, end), lines);
      start = end + 1;
    }
    this.#rest = text.slice(start);
  }

  /** Fits lines, those in `pending` included, into the room, with the number of omitted lines in each gap. */
  choose({ usual, most }: Room, pending: string): ChosenText {
    const rest = pending === '' ? [] : pending.replace(/\n$/, '').split('\n');
    const open = rest.map((text, i) => ({ text, start: this.#lines + i, lines: 1 }));
    const isOne = this.#lines + open.length === 1;
    const longest = isOne ? usual - 1 : usual / 4;
    const last = [...this.#last.lines, ...open].slice(-LAST_LINES);
    const end = fitLast(last, isOne ? most : most - Math.min(usual, most / 2), longest);
    const before = (lines: readonly ChosenLine[]) => cutAt(lines, end[0]?.start ?? Infinity, longest);
    const chosen = new Map(end.map((line) => [line.start, line]));
    let left = Math.min(usual, most - sizeOf(end));
    const add = (lines: readonly ChosenLine[], room: number) => {
      const least = left - room;
      for (const line of lines.filter(({ start }) => !chosen.has(start))) {
        const size = sizeOf([line]) + (chosen.has(line.start - 1) || chosen.has(endOf(line)) ? 0 : GAP_BYTES);
        if (left - size < least) return;
        chosen.set(line.start, line);
        left -= size;
      }
    };
    const around = before([...this.#early, ...this.#late.lines]);
    const failures = around.filter(({ isFailure }) => isFailure);
    add(failures, (left * 2) / 3);
    add(failures.toReversed(), left);
    add(around, left);
    left = Math.min(left, usual - sizeOf([...chosen.values()]));
    add(before(this.#head), Math.min(left, usual * 0.15));
    add(before([...this.#tail.lines, ...itemsOf(this.#run)]).reverse(), left);
    return toText([...chosen.values()].sort((a, b) => a.start - b.start));
  }

  #take(text: string, lines: number): void {
    const judged = text.slice(0, JUDGED);
    const mark = PASS_MARK.exec(judged)?.[0];
    const isFailure = mark === undefined && FAILURE.test(judged) && FAILURE.test(judged.replace(NO_FAILURE, ''));
    const shape = mark ?? judged.replace(/\d+/g, '0');
    const max = this.#lines === 0 ? this.#room : this.#room / 4;
    const line = { text: cut(text, max), start: this.#lines, lines, isFailure };
    this.#lines += lines;
    this.#last.push(line);
    const run = this.#run;
    if (isFailure || run?.shape !== shape) {
      for (const item of itemsOf(run)) this.#keep(item);
      this.#run = isFailure ? undefined : { shape, first: [line], last: line, count: 1 };
      if (isFailure) this.#keep(line);
      return;
    }
    run.count++;
    if (run.first.length < MOST_ALIKE) run.first.push(line);
    run.last = line;
  }

  #keep(line: ChosenLine): void {
    this.#headRoom -= sizeOf([line]);
    if (this.#headRoom >= 0) this.#head.push(line);
    this.#tail.push(line);
    if (line.isFailure) {
      for (const before of this.#recent) this.#keepFailure(before);
      this.#after = LINES_AFTER + 1;
    }
    if (this.#after > 0) {
      this.#after--;
      this.#keepFailure(line);
      this.#recent = [];
    } else {
      this.#recent = [...this.#recent.slice(1 - LINES_BEFORE), line];
    }
  }

  #keepFailure(line: ChosenLine): void {
    if (this.#earlyRoom > 0) this.#earlyRoom -= sizeOf([line]);
    if (this.#earlyRoom > 0) this.#early.push(line);
    else this.#late.push(line);
  }
}

/** The last lines, as many as fit into a number of bytes and a number of lines. */
class LastLines {
  readonly lines: ChosenLine[] = [];
  readonly #most: number;
  #room: number;

  constructor(room: number, most = Number.POSITIVE_INFINITY) {
    this.#room = room;
    this.#most = most;
  }

  push(line: ChosenLine): void {
    this.lines.push(line);
    this.#room -= sizeOf([line]);
    while (this.#room < 0 || this.lines.length > this.#most) this.#room += sizeOf([this.lines.shift() as ChosenLine]);
  }
}

/** Returns the shown items of a run: its first line, the number of the others, and the last one. */
function itemsOf(run: Run | undefined): readonly ChosenLine[] {
  if (!run) return [];
  const { first, last, count } = run;
  const [shown, second] = first;
  if (count <= MOST_ALIKE || !shown || !second) return first;
  return [shown, toFold(endOf(shown), last.start, cut(second.text.trim(), MAX_SAMPLE)), last];
}

function toFold(start: number, end: number, sample: string): ChosenLine {
  const lines = end - start;
  return { text: `[${count(lines)} like \`${sample}\`]`, start, lines, sample };
}

/** Returns the lines before a place, long ones cut. A fold over the place ends there. */
function cutAt(lines: readonly ChosenLine[], place: number, longest: number): ChosenLine[] {
  return lines
    .filter(({ start }) => start < place)
    .map((line) => {
      const { text, start, sample } = line;
      if (sample !== undefined && endOf(line) > place) return toFold(start, place, sample);
      return { ...line, text: cut(text, longest) };
    });
}

function fitLast(lines: readonly ChosenLine[], room: number, longest: number): readonly ChosenLine[] {
  const fitted = lines.map((line) => ({ ...line, text: cut(line.text, longest) }));
  if (longest > LEAST_CUT && sizeOf(fitted) > room) return fitLast(lines, room, Math.max(LEAST_CUT, longest / 2));
  return within(fitted.reverse(), room).toReversed();
}

function endOf({ start, lines }: ChosenLine): number {
  return start + lines;
}

function sizeOf(lines: readonly ChosenLine[]): number {
  return lines.reduce((sum, { text }) => sum + Buffer.byteLength(text) + 1, 0);
}

function within(lines: readonly ChosenLine[], room: number): readonly ChosenLine[] {
  let left = room;
  const end = lines.findIndex((line) => {
    left -= sizeOf([line]);
    return left < 0;
  });
  return end < 0 ? lines : lines.slice(0, end);
}

function cut(text: string, max: number): string {
  if (text.length <= max / 3) return text; // No character takes more than three bytes a code unit.
  const bytes = Buffer.from(text);
  return bytes.length <= max ? text : `${bytes.toString('utf8', 0, wholeCharacters(bytes, Math.floor(max) - 3))}...`;
}

function toText(lines: readonly ChosenLine[]): ChosenText {
  const parts: string[] = [];
  let end = 0;
  for (const line of lines) {
    const gap = line.start - end;
    if (gap > 0) parts.push(`[... ${count(gap)} left out ...]`);
    parts.push(line.text);
    end = endOf(line);
  }
  return {
    text: parts.join('\n'),
    shown: lines.filter((line) => line.lines === 1 && line.sample === undefined).length,
  };
}

function count(lines: number): string {
  return `${lines.toLocaleString('en-US')} ${lines === 1 ? 'line' : 'lines'}`;
}
