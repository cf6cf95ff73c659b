import type { Spill } from '@jinn/core';
import type { Stream } from '@jinn/process';
import { EscapeCodes } from './escape-codes.ts';
import { LineFolder } from './line-folder.ts';
import { TailBuffer } from './tail-buffer.ts';

const MEMORY_BYTES = 1024 * 1024;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const SHOWN_BYTES = 50 * 1024;
/** The room for what stands around the output: the exit, remarks, the sandbox's lines. */
const FRAME_BYTES = 1536;
const SHOWN_LINES = 2_000;

type SpillLog = NonNullable<ReturnType<Spill['openLog']>>;

/** What is shown of the output of a command. */
export interface ShownOutput {
  /** Without a newline at its end. */
  readonly text: string;
  readonly truncated: boolean;
  /** The file with the whole output; undefined if all of it is shown, or it could not be kept. */
  readonly log: string | undefined;
  /** True if a carriage return overwrote some of it, which is therefore not shown. */
  readonly overwritten: boolean;
}

export interface CaptureOptions {
  readonly keepsColor: boolean;
  readonly maxResult?: number | undefined;
}

/**
 * Takes the output of a command as it comes (docs/shell.md, "Output"): keeps its end in memory, without escape codes and
 * folded, and all of it as it came in a log once it is more than that. Time and memory are bounded however much comes.
 */
export class OutputCapture {
  readonly #spill: Spill;
  readonly #raw = new TailBuffer(MEMORY_BYTES);
  readonly #folded = new TailBuffer(MEMORY_BYTES);
  readonly #folder = new LineFolder((bytes) => this.#folded.push(bytes));
  readonly #streams = { stdout: new TailBuffer(SHOWN_BYTES), stderr: new TailBuffer(SHOWN_BYTES) };
  readonly #codes: Readonly<Record<Stream, EscapeCodes>>;
  readonly #shownBytes: number;
  #log: SpillLog | undefined;
  #triedLog = false;

  /** `maxResult` is the room of the answer in bytes, if it is less than usual. */
  constructor(spill: Spill, { keepsColor, maxResult = Number.POSITIVE_INFINITY }: CaptureOptions) {
    this.#spill = spill;
    this.#shownBytes = Math.min(SHOWN_BYTES, maxResult - FRAME_BYTES);
    const fold = (bytes: Buffer) => this.#folder.push(bytes);
    this.#codes = { stdout: new EscapeCodes({ keepsColor }, fold), stderr: new EscapeCodes({ keepsColor }, fold) };
  }

  /** False when this is more than a command may write. */
  add(stream: Stream, chunk: Buffer): boolean {
    if (this.isOver) return false;
    if (this.#raw.total + chunk.length > MEMORY_BYTES) this.#openLog();
    this.#writeLog(chunk);
    this.#raw.push(chunk);
    this.#codes[stream].push(chunk);
    this.#streams[stream].push(chunk);
    return !this.isOver;
  }

  get isOver(): boolean {
    return this.#raw.total > MAX_OUTPUT_BYTES;
  }

  /** The end of one stream, as it came. */
  endOf(stream: Stream): string {
    return this.#streams[stream].bytes.toString();
  }

  hasWritten(stream: Stream): boolean {
    return this.#streams[stream].total > 0;
  }

  /** The last line that is not blank, for progress; cut to 200 characters. */
  get lastLine(): string {
    const text = (this.#folded.bytes.subarray(-2_000).toString() + this.#folder.unfinished).trimEnd();
    return text
      .slice(text.lastIndexOf('\n') + 1)
      .trim()
      .slice(-200);
  }

  /** Shows what came so far. Called once when the command has ended, and before that as often as somebody asks. */
  show({ isEnd }: { isEnd: boolean }): ShownOutput {
    if (isEnd) this.#finish();
    const text = this.#folded.bytes.toString() + (isEnd ? '' : this.#folder.pending);
    const lines = (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
    const kept = lastLines(lines, this.#shownBytes);
    const shown = kept > 0 ? lines.slice(lines.length - kept).join('\n') : this.#endOfLine(lines.at(-1) as string);
    const isWhole = kept === lines.length && this.#folded.bytes.length === this.#folded.total;
    const truncated = !isWhole || this.#folder.cuts > 0;
    if (truncated) this.#openLog();
    if (isEnd) this.#log?.close();
    const log = this.#log?.path;
    const { overwritten } = this.#folder;
    const rest = { truncated, log, overwritten };
    if (!truncated && log === undefined) return { text: shown, ...rest };
    return { text: `${shown}\n\n${this.#notice(shown, Math.max(1, kept))}`, ...rest };
  }

  /** The end of a line that is longer than what may be shown, from the start of a character. */
  #endOfLine(line: string): string {
    const tail = new TailBuffer(this.#shownBytes);
    tail.push(Buffer.from(line));
    return tail.bytes.toString();
  }

  #finish(): void {
    for (const codes of Object.values(this.#codes)) codes.finish();
    this.#folder.finish();
  }

  #notice(shown: string, lines: number): string {
    const sizes = `${toSize(Buffer.byteLength(shown))} of ${toSize(this.#raw.total)}`;
    const rest = this.#log ? `Full output: ${this.#log.path}` : 'The full output could not be kept';
    return `[Showing ${lines} of ${this.#folder.lines} lines (${sizes}). ${rest}]`;
  }

  /** Must be called while all output is still in memory, so that the file misses nothing. */
  #openLog(): void {
    if (this.#triedLog) return;
    this.#triedLog = true;
    this.#log = this.#spill.openLog('jinn-shell');
    this.#writeLog(this.#raw.bytes);
  }

  /** Forgets the log if the disk does not take all of it: a part of the output must not pass for the whole. */
  #writeLog(bytes: Buffer): void {
    if (this.#log && !this.#log.write(bytes)) this.#log = undefined;
  }
}

/** How many lines from the end may be shown. */
function lastLines(lines: readonly string[], bytes: number): number {
  let room = bytes;
  let kept = 0;
  for (; kept < Math.min(lines.length, SHOWN_LINES); kept++) {
    room -= Buffer.byteLength(lines.at(-1 - kept) as string) + 1;
    if (room < 0) break;
  }
  return kept;
}

function toSize(bytes: number): string {
  if (bytes < 1024) return `${bytes}B`;
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)}KB` : `${(bytes / 1024 / 1024).toFixed(1)}MB`;
}
