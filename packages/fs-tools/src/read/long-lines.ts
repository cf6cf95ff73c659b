import type { LineScan } from './scan-lines.ts';

/** Longer lines are cut, in characters. */
const MAX_CHARACTERS = 2_000;
/** The most bytes of so many characters. */
const MAX_BYTES = 4 * MAX_CHARACTERS;
const STEP = 65_536;
const NEWLINE = 10;

/** The place where the rest of a cut line begins, and how much it is. */
export interface CutText {
  readonly start_line: number;
  readonly start_byte: number;
  readonly characters: number;
}

/** A line as it is shown, with its newline, and what was cut of it. */
export interface ShownLine {
  readonly bytes: Buffer;
  readonly cut: CutText | undefined;
}

/** Lines of a scan: those from `first` on in a range of bytes. */
interface LinesAt {
  readonly first: number;
  readonly start: number;
  readonly end: number;
  /** How many bytes of the first line come before `start`. */
  readonly skipped: number;
}

/** Reports whether bytes have a line that may be too long. The first and the last one may be a part of a line. */
export function hasLongLine(bytes: Buffer): boolean {
  if (bytes.length <= MAX_CHARACTERS) return false;
  let start = 0;
  for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
    if (end - start > MAX_CHARACTERS) return true;
    start = end + 1;
  }
  return bytes.length - start > MAX_CHARACTERS;
}

/** Reads lines one by one, each cut to 2,000 characters and to `maxBytes`. It holds little of a long line. */
export function* readLines(scan: LineScan, at: LinesAt, maxBytes: number): Generator<ShownLine> {
  let line = at.first;
  let skipped = at.skipped;
  let head: Buffer[] = [];
  let [length, characters] = [0, 0];
  const finish = (newline: string) => {
    const start = Buffer.concat(head);
    const shown = cutLine({ start, length, characters, newline }, { line, skipped, maxBytes });
    line++;
    head = [];
    skipped = length = characters = 0;
    return shown;
  };
  for (let from = at.start; from < at.end; from += STEP) {
    const part = scan.slice(from, Math.min(at.end, from + STEP));
    for (let start = 0; start < part.length; ) {
      const newline = part.indexOf(NEWLINE, start);
      const piece = part.subarray(start, newline < 0 ? part.length : newline);
      if (length <= MAX_BYTES) head.push(Buffer.from(piece.subarray(0, MAX_BYTES + 1)));
      length += piece.length;
      characters += countCharacters(piece);
      if (newline >= 0) yield finish('\n');
      start += piece.length + 1;
    }
  }
  if (length > 0) yield finish('');
}

/** Says how to read on in the first of the lines that were cut; undefined if there is none. */
export function describeCuts([first, ...others]: readonly CutText[]) {
  if (first === undefined) return undefined;
  const { start_line, start_byte } = first;
  const lines = others.length === 0 ? `Line ${start_line} is` : `Line ${start_line} and ${others.length} more are`;
  const rest = `read_file with start_line=${start_line}, start_byte=${start_byte} and line_numbers=false`;
  return { note: `[${lines} cut after 2,000 characters. For the rest use ${rest}.]`, rest: { start_line, start_byte } };
}

interface WholeLine {
  /** The beginning of the line; all of it if it is short. */
  readonly start: Buffer;
  readonly length: number;
  readonly characters: number;
  readonly newline: string;
}

interface CutPlace {
  readonly line: number;
  readonly skipped: number;
  readonly maxBytes: number;
}

function cutLine({ start, length, characters, newline }: WholeLine, { line, skipped, maxBytes }: CutPlace): ShownLine {
  const end = Buffer.from(newline);
  if (characters <= MAX_CHARACTERS && length + end.length <= maxBytes) {
    return { bytes: Buffer.concat([start, end]), cut: undefined };
  }
  const kept = start.subarray(0, endOfCharacters(start, maxBytes));
  const cut = {
    start_line: line,
    start_byte: skipped + kept.length + 1,
    characters: characters - countCharacters(kept),
  };
  const mark = ` [… ${cut.characters.toLocaleString('en-US')} more characters, from start_byte=${cut.start_byte}]`;
  return { bytes: Buffer.concat([kept, Buffer.from(mark), end]), cut };
}

/** Returns where the last character ends that may be shown. */
function endOfCharacters(bytes: Buffer, maxBytes: number): number {
  let [count, end] = [0, 0];
  for (let at = 0; at <= bytes.length; at++) {
    if (at < bytes.length && isContinuation(bytes[at])) continue;
    if (at > maxBytes && end > 0) break;
    end = at;
    if (count++ === MAX_CHARACTERS) break;
  }
  return end;
}

function countCharacters(bytes: Buffer): number {
  let count = 0;
  for (const byte of bytes) if (!isContinuation(byte)) count++;
  return count;
}

function isContinuation(byte = 0): boolean {
  return (byte & 0xc0) === 0x80;
}
