import type { Stream } from '@jinn/process';
import type { Spill } from '@jinn/workspace';
import { EscapeCodes } from './escape-codes.ts';
import { LineChooser } from './line-chooser.ts';
import { LineFolder } from './line-folder.ts';
import { endOfCharacters, TailBuffer, wholeCharacters } from './tail-buffer.ts';

const MEMORY_BYTES = 1024 * 1024;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
/** The most that an answer may show, and how much of standard output and error is kept apart. */
const SHOWN_BYTES = 50 * 1024;
/** The room for the lines around the output: the exit, remarks, the sandbox's lines. */
const FRAME_BYTES = 1536;
/** Output up to this size is shown whole, unless the caller asks for another size. */
const WHOLE_BYTES = 10_000;
/** How much of a longer output is shown beyond its last lines: little if all went well. */
const CHOSEN_BYTES = { success: 2_000, failure: 8_000 } as const;

const NOTHING = Buffer.alloc(0);
/** The most bytes of a UTF-8 character behind its first one. */
const REST_BYTES = 3;

export interface ShownOutput {
  /** Without a newline at its end. */
  readonly text: string;
  readonly truncated: boolean;
  /** The file with the whole output; undefined if all of it is shown, or it could not be kept. */
  readonly log: string | undefined;
  /** True if a carriage return overwrote some text, which is therefore not shown. */
  readonly overwritten: boolean;
}

export interface CaptureOptions {
  readonly keepsColor: boolean;
  readonly maxResult?: number | undefined;
}

export interface ShowOutputOptions {
  readonly isEnd: boolean;
  readonly isSuccess: boolean;
  readonly max?: number | undefined;
  readonly since?: number | undefined;
}

/**
 * Captures the output of a command as it comes (docs/shell.md, "Output"). What may be shown stays in memory; a longer
 * output also goes unchanged to a log. Time and memory are bounded.
 */
export class OutputCapture {
  readonly #spill: Spill;
  readonly #raw = new TailBuffer(MEMORY_BYTES);
  readonly #folded = new TailBuffer(SHOWN_BYTES);
  readonly #chooser = new LineChooser(SHOWN_BYTES);
  readonly #folder = new LineFolder((bytes, lines) => {
    this.#folded.push(bytes);
    this.#chooser.push(bytes, lines);
  });
  readonly #streams = { stdout: new TailBuffer(SHOWN_BYTES), stderr: new TailBuffer(SHOWN_BYTES) };
  /** The beginning of a character whose rest has not come. */
  readonly #begun: Record<Stream, Buffer> = { stdout: NOTHING, stderr: NOTHING };
  readonly #codes: Readonly<Record<Stream, EscapeCodes>>;
  readonly #mostBytes: number;
  readonly #options: CaptureOptions;
  /** The capture that has the log, for a capture that reads a part of its output again. */
  readonly #whole: OutputCapture | undefined;
  #log: ReturnType<Spill['openLog']>;
  #triedLog = false;
  #isFinished = false;

  /** Makes a capture; `maxResult` is the room of the answer in bytes, if it is less than usual. */
  constructor(spill: Spill, options: CaptureOptions, whole?: OutputCapture) {
    const { keepsColor, maxResult = Number.POSITIVE_INFINITY } = options;
    this.#spill = spill;
    this.#options = options;
    this.#whole = whole;
    this.#mostBytes = Math.min(SHOWN_BYTES, maxResult - FRAME_BYTES);
    const fold = (bytes: Buffer) => this.#folder.push(bytes);
    this.#codes = { stdout: new EscapeCodes({ keepsColor }, fold), stderr: new EscapeCodes({ keepsColor }, fold) };
  }

  /**
   * Adds a chunk; characters are added when all of their bytes are there. Returns false if a command may not write that
   * much.
   */
  add(stream: Stream, chunk: Buffer): boolean {
    if (this.isOver) return false;
    const bytes = this.#begun[stream].length > 0 ? Buffer.concat([this.#begun[stream], chunk]) : chunk;
    const end = endOfCharacters(bytes);
    this.#begun[stream] = Buffer.from(bytes.subarray(end));
    return this.#addWhole(stream, bytes.subarray(0, end));
  }

  #addWhole(stream: Stream, chunk: Buffer): boolean {
    if (this.#raw.total + chunk.length > MEMORY_BYTES) this.#openLog();
    this.#writeLog(chunk);
    this.#raw.push(chunk);
    this.#codes[stream].push(chunk);
    this.#streams[stream].push(chunk);
    return !this.isOver;
  }

  /** True if a model reads the answer. */
  get isForModel(): boolean {
    return this.#options.maxResult !== undefined;
  }

  get isOver(): boolean {
    return this.#raw.total > MAX_OUTPUT_BYTES;
  }

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

  /** The number of whole lines so far, and of the last one when the command has ended. */
  get lines(): number {
    return this.#folder.lines;
  }

  get total(): number {
    return this.#raw.total;
  }

  /**
   * Returns the end of the output so far, or of the output from a byte on, in the form in which a whole output is
   * shown.
   */
  plain(since?: number): string {
    if (since !== undefined) return this.#viewFrom(since).plain();
    return this.#folded.bytes.toString() + this.#folder.pending;
  }

  show(options: ShowOutputOptions): ShownOutput {
    const { isEnd, isSuccess, max, since } = options;
    if (since !== undefined) return this.#viewFrom(since).show({ ...options, since: undefined });
    if (isEnd) this.#finish();
    const pending = isEnd ? '' : this.#folder.pending;
    const most = Math.min(max ?? WHOLE_BYTES, this.#mostBytes);
    const isWhole = this.#folded.total + Buffer.byteLength(pending) <= most;
    const truncated = !isWhole || this.#folder.cuts > 0;
    if (truncated) this.#openLog();
    if (isEnd) this.#log?.close();
    const rest = { truncated, log: this.#log?.path, overwritten: this.#folder.overwritten };
    if (isWhole) {
      const text = (this.#folded.bytes.toString() + pending).replace(/\n$/, '');
      return { text: truncated ? `${text}\n\n${this.#notice(text, this.#folder.lines)}` : text, ...rest };
    }
    const usual = Math.min(max ?? CHOSEN_BYTES[isSuccess ? 'success' : 'failure'], most);
    const { text, shown } = this.#chooser.choose({ usual, most: max === undefined ? this.#mostBytes : most }, pending);
    return { text: `${text}\n\n${this.#notice(text, shown)}`, ...rest };
  }

  /** Reads the output again from a byte on, or from the beginning of the character that the byte belongs to. */
  #viewFrom(since: number): OutputCapture {
    const start = this.#raw.total - this.#raw.bytes.length;
    const view = new OutputCapture(this.#spill, this.#options, this);
    const file = since < start && this.#log ? this.#spill.open(this.#log.path) : undefined;
    const first = Math.max(since - REST_BYTES, file ? 0 : start);
    let skipped = Math.max(0, since - first);
    const add = (bytes: Buffer) => {
      view.add('stdout', bytes.subarray(wholeCharacters(bytes, skipped)));
      skipped = 0;
    };
    for (let at = first; file && at < start; at += MEMORY_BYTES) {
      add(file.slice(at, Math.min(at + MEMORY_BYTES, start)));
    }
    file?.close();
    add(this.#raw.bytes.subarray(Math.max(0, first - start)));
    return view;
  }

  #finish(): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    for (const stream of ['stdout', 'stderr'] as const) this.#addWhole(stream, this.#begun[stream]);
    for (const codes of Object.values(this.#codes)) codes.finish();
    this.#folder.finish();
  }

  #notice(shown: string, lines: number): string {
    const sizes = `${toSize(Buffer.byteLength(shown))} of ${toSize(this.#raw.total)}`;
    const search = this.#log && JSON.stringify({ path: this.#log.path, pattern: '…' });
    const rest = search ? `Full output: search_files ${search}` : 'The full output could not be kept';
    return `[Showing ${lines} of ${this.#folder.lines} lines (${sizes}). ${rest}]`;
  }

  /** Must be called while all output is still in memory, so that the log misses nothing. */
  #openLog(): void {
    if (this.#triedLog) return;
    this.#triedLog = true;
    if (this.#whole) {
      this.#whole.#openLog();
      this.#log = this.#whole.#log;
      return;
    }
    this.#log = this.#spill.openLog('jinn-shell');
    this.#writeLog(this.#raw.bytes);
  }

  /** A log that the disk does not take whole is forgotten: a part of the output must not pass for all of it. */
  #writeLog(bytes: Buffer): void {
    if (this.#whole === undefined && this.#log?.write(bytes) === false) this.#log = undefined;
  }
}

function toSize(bytes: number): string {
  if (bytes < 1024) return `${bytes}B`;
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)}KB` : `${(bytes / 1024 / 1024).toFixed(1)}MB`;
}
