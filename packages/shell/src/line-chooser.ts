import { wholeCharacters } from './tail-buffer.ts';

/** Matches a line that reports a failure, words in it that do not mean one, and a line that reports success. */
const FAILURE = /fail|error|✗|✘|✖|not ok|panic|fatal|Traceback|^\s+\d+\) /i;
const NO_FAILURE = /\b(?:0|no) (?:fail|error)\w*|\b(?:fail\w*|errors?)[:=]? ?0\b/gi;
const PASS_MARK = /^\s*(?:[✔✓√]|ok\b|PASS\b|--- PASS:)/;
/** How many characters of a line are compared and judged, so that long lines cost no more. */
const JUDGED = 400;
/** How many lines are shown around one that reports a failure. */
const LINES_BEFORE = 2;
const LINES_AFTER = 8;
/** More lines in a row that are alike are folded. */
const MOST_ALIKE = 4;
const MAX_SAMPLE = 60;

/** A line of the output, or the one that replaces some similar ones. */
interface ChosenLine {
  readonly text: string;
  /** How many lines come before it, and how many it stands for. */
  readonly start: number;
  readonly lines: number;
  readonly isFold: boolean;
}

/** Lines in a row that differ only in digits, or that all report success. */
interface Run {
  readonly shape: string;
  readonly isFailure: boolean;
  readonly first: ChosenLine[];
  last: ChosenLine;
  count: number;
}

export interface ChosenText {
  readonly text: string;
  /** How many of its lines are shown unchanged. */
  readonly shown: number;
}

/**
 * Chooses what is shown of a long output while it comes: its beginning, its end, and the lines around failures, the
 * first ones and the last. Runs of similar lines are folded. It holds a few times `room` bytes, however long the
 * output.
 */
export class LineChooser {
  readonly #room: number;
  readonly #head: ChosenLine[] = [];
  #headRoom: number;
  readonly #early: ChosenLine[] = [];
  #earlyRoom: number;
  readonly #late: LastLines;
  readonly #tail: LastLines;
  /** The last lines, for the context before a failure. */
  #recent: ChosenLine[] = [];
  /** How many lines behind a failure must still be taken. */
  #after = 0;
  #run: Run | undefined;
  #lines = 0;
  #rest = '';

  constructor(room: number) {
    this.#room = room;
    const shares = sharesOf(room);
    this.#headRoom = shares.head;
    this.#earlyRoom = shares.early;
    this.#late = new LastLines(shares.late);
    this.#tail = new LastLines(room);
  }

  /** Takes whole lines, or a part of one; a single line may stand for several. */
  push(bytes: Uint8Array, lines = 1): void {
    const text = this.#rest + Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      this.#take(text.slice(start, end), lines);
      start = end + 1;
    }
    this.#rest = text.slice(start);
  }

  /**
   * Fits the chosen lines and those that were not taken yet into `room` bytes, with the number of omitted lines in each
   * gap.
   */
  choose(room: number, pending: string): ChosenText {
    const shares = sharesOf(room);
    const rest = pending === '' ? [] : pending.replace(/\n$/, '').split('\n');
    const open = rest.map((text, i) => ({ text, start: this.#lines + i, lines: 1, isFold: false }));
    const end = [...this.#tail.lines, ...itemsOf(this.#run), ...open];
    const longest = this.#lines + open.length > 1 ? room / 4 : room - 1;
    const fit = (lines: readonly ChosenLine[]) => lines.map((line) => ({ ...line, text: cut(line.text, longest) }));
    const some = [
      ...within(fit(this.#head), shares.head),
      ...within(fit(this.#early), shares.early),
      ...within(fit(this.#late.lines).reverse(), shares.late),
    ];
    const chosen = new Map(some.map((line) => [line.start, line]));
    const left = room - sizeOf([...chosen.values()]);
    for (const line of within(fit(end).reverse(), left)) chosen.set(line.start, line);
    return toText([...chosen.values()].sort((a, b) => a.start - b.start));
  }

  #take(text: string, lines: number): void {
    const judged = text.slice(0, JUDGED);
    const mark = PASS_MARK.exec(judged)?.[0];
    const isFailure = mark === undefined && FAILURE.test(judged) && FAILURE.test(judged.replace(NO_FAILURE, ''));
    const shape = mark ?? judged.replace(/\d+/g, '0');
    const max = this.#lines === 0 ? this.#room : this.#room / 4;
    const line = { text: cut(text, max), start: this.#lines, lines, isFold: lines > 1 };
    this.#lines += lines;
    const run = this.#run;
    if (run?.shape !== shape || run.isFailure !== isFailure) {
      for (const item of itemsOf(run)) this.#keep(item, run?.isFailure === true && !item.isFold);
      this.#run = { shape, isFailure, first: [line], last: line, count: 1 };
      return;
    }
    run.count++;
    if (run.first.length < MOST_ALIKE) run.first.push(line);
    run.last = line;
  }

  #keep(line: ChosenLine, isFailure: boolean): void {
    const size = Buffer.byteLength(line.text) + 1;
    this.#headRoom -= size;
    if (this.#headRoom >= 0) this.#head.push(line);
    this.#tail.push(line);
    if (isFailure) {
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
    if (this.#earlyRoom > 0) this.#earlyRoom -= Buffer.byteLength(line.text) + 1;
    if (this.#earlyRoom > 0) this.#early.push(line);
    else this.#late.push(line);
  }
}

/** The last lines that fit into a number of bytes. */
class LastLines {
  readonly lines: ChosenLine[] = [];
  #room: number;

  constructor(room: number) {
    this.#room = room;
  }

  push(line: ChosenLine): void {
    this.lines.push(line);
    this.#room -= Buffer.byteLength(line.text) + 1;
    while (this.#room < 0) this.#room += Buffer.byteLength((this.lines.shift() as ChosenLine).text) + 1;
  }
}

/** Returns the shares of the end and of each part before it; the end gets the rest. */
function sharesOf(room: number) {
  return { head: room * 0.15, early: room * 0.3, late: room * 0.15 };
}

/** Returns the shown items of a run: its first lines, the number of the others, and the last one. */
function itemsOf(run: Run | undefined): ChosenLine[] {
  if (!run) return [];
  const { first, last, isFailure, count } = run;
  if (count <= MOST_ALIKE) return first;
  const shown = first.slice(0, isFailure ? 2 : 1);
  const start = endOf(shown.at(-1) as ChosenLine);
  const lines = last.start - start;
  const sample = cut((first[shown.length] as ChosenLine).text.trim(), MAX_SAMPLE);
  const text = `[${lines.toLocaleString('en-US')} lines like \`${sample}\`]`;
  return [...shown, { text, start, lines, isFold: true }, last];
}

function endOf({ start, lines }: ChosenLine): number {
  return start + lines;
}

function sizeOf(lines: readonly ChosenLine[]): number {
  return lines.reduce((sum, { text }) => sum + Buffer.byteLength(text) + 1, 0);
}

/** Returns the first lines that fit. */
function within(lines: readonly ChosenLine[], room: number): readonly ChosenLine[] {
  let left = room;
  const end = lines.findIndex(({ text }) => {
    left -= Buffer.byteLength(text) + 1;
    return left < 0;
  });
  return end < 0 ? lines : lines.slice(0, end);
}

/** Cuts a line between characters. */
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
    if (gap > 0) parts.push(`[... ${gap.toLocaleString('en-US')} ${gap === 1 ? 'line' : 'lines'} left out ...]`);
    parts.push(line.text);
    end = endOf(line);
  }
  return { text: parts.join('\n'), shown: lines.filter(({ isFold }) => !isFold).length };
}
