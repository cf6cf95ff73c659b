import type { Stream } from '@jinn/process';
import type { Spill } from '@jinn/workspace';
import { LineChooser } from './line-chooser.ts';
import { endOfCharacters, LineFolder, TailBuffer, wholeCharacters } from './line-folder.ts';
import type { OutputDecoder } from './output-decoder.ts';

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

/** Replaces a text that the user typed. */
const HIDDEN = '[typed by the user]';
const MIN_HIDDEN = 4;
const NOTHING = Buffer.alloc(0);
/** The most bytes of a UTF-8 character after its first one. */
const REST_BYTES = 3;

export interface ShownOutput {
  /** Without a newline at its end. */
  readonly text: string;
  readonly truncated: boolean;
  /** The file with the whole output, or undefined if all of it is shown, or it could not be kept. */
  readonly log: string | undefined;
  /** True if a carriage return overwrote some text, which is therefore not shown. */
  readonly overwritten: boolean;
  /** The encoding from which it was decoded, if it was. */
  readonly encoding: string | undefined;
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
 * Captures the output of a command as it comes (docs/shell.md, "Output"). What may be shown stays in memory. A longer
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
  /** The start of a character whose rest has not come. */
  readonly #begun: Record<Stream, Buffer> = { stdout: NOTHING, stderr: NOTHING };
  readonly #codes: Readonly<Record<Stream, EscapeCodes>>;
  #decoder: OutputDecoder | undefined;
  readonly #mostBytes: number;
  readonly #options: CaptureOptions;
  /** The capture that has the log, for a capture that reads a part of its output again. */
  readonly #whole: OutputCapture | undefined;
  /** The texts that the user typed, in latin1. */
  readonly #hidden: string[] = [];
  #log: ReturnType<Spill['openLog']>;
  #triedLog = false;
  #isFinished = false;

  /** Makes a capture. `maxResult` is the room of the answer in bytes, if it is less than usual. */
  constructor(spill: Spill, options: CaptureOptions, whole?: OutputCapture) {
    const { keepsColor, maxResult = Number.POSITIVE_INFINITY } = options;
    this.#spill = spill;
    this.#options = options;
    this.#whole = whole;
    this.#mostBytes = Math.min(SHOWN_BYTES, maxResult - FRAME_BYTES);
    const fold = (bytes: Buffer) => this.#folder.push(bytes);
    this.#codes = { stdout: new EscapeCodes({ keepsColor }, fold), stderr: new EscapeCodes({ keepsColor }, fold) };
  }

  /** Output that is not UTF-8 is decoded by this from now on. */
  decodeWith(decoder: OutputDecoder): void {
    this.#decoder = decoder;
  }

  /**
   * Adds a chunk. Characters are added when all of their bytes are there. Returns false if a command may not write that
   * much.
   */
  add(stream: Stream, chunk: Buffer): boolean {
    if (this.isOver) return false;
    const all = this.#begun[stream].length > 0 ? Buffer.concat([this.#begun[stream], chunk]) : chunk;
    const bytes = this.#hidden.length > 0 ? this.#hide(all) : all;
    const end = endOfCharacters(bytes.subarray(0, bytes.length - this.#hiddenStart(bytes)));
    this.#begun[stream] = Buffer.from(bytes.subarray(end));
    return this.#addWhole(stream, bytes.subarray(0, end), false);
  }

  /** Hides a text that the user typed in what comes from now on. Shorter ones, such as `yes`, are no secrets. */
  hide(text: string): void {
    if (text.length >= MIN_HIDDEN) this.#hidden.push(Buffer.from(text).toString('latin1'));
  }

  #hide(bytes: Buffer): Buffer {
    const text = bytes.toString('latin1');
    return Buffer.from(
      this.#hidden.reduce((rest, typed) => rest.replaceAll(typed, HIDDEN), text),
      'latin1',
    );
  }

  /** Returns how many bytes at the end may be the start of a text that is hidden. */
  #hiddenStart(bytes: Buffer): number {
    const starts = this.#hidden.map((typed) => {
      const end = bytes.subarray(Math.max(0, bytes.length - typed.length + 1)).toString('latin1');
      for (let at = 0; at < end.length; at++) if (typed.startsWith(end.slice(at))) return end.length - at;
      return 0;
    });
    return Math.max(0, ...starts);
  }

  #addWhole(stream: Stream, bytes: Buffer, isEnd: boolean): boolean {
    const chunk = this.#decoder?.decode(stream, bytes, isEnd) ?? bytes;
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

  /** The last line that is not blank, for progress. Cut to 200 characters. */
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
    const { encoding } = (this.#whole ?? this).#decoder ?? {};
    const rest = { truncated, log: this.#log?.path, overwritten: this.#folder.overwritten, encoding };
    if (isWhole) {
      const text = (this.#folded.bytes.toString() + pending).replace(/\n$/, '');
      return { text: truncated ? `${text}\n\n${this.#notice(text, this.#folder.lines)}` : text, ...rest };
    }
    const usual = Math.min(max ?? CHOSEN_BYTES[isSuccess ? 'success' : 'failure'], most);
    const { text, shown } = this.#chooser.choose({ usual, most: max === undefined ? this.#mostBytes : most }, pending);
    return { text: `${text}\n\n${this.#notice(text, shown)}`, ...rest };
  }

  /** Reads the output again from a byte on, or from the start of the character that the byte belongs to. */
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
    for (const stream of ['stdout', 'stderr'] as const) this.#addWhole(stream, this.#begun[stream], true);
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

const ESCAPE = 0x1b;
const BELL = 0x07;
const NEWLINE = 0x0a;
const RETURN = 0x0d;
/** A longer escape code counts as text, so that one without an end does not swallow all that follows. */
const MAX_CODE_BYTES = 4 * 1024;
/** `[`, behind which the parameters of a code stand. */
const CONTROL = 0x5b;
/** `]`, `P`, `X`, `^` and `_`: a string follows, up to a bell or `ESC \`. */
const STRINGS = new Set([0x5d, 0x50, 0x58, 0x5e, 0x5f]);

/**
 * Removes the escape codes of terminals (ECMA-48) from chunks of output. A code that moves to the start of the line
 * becomes a carriage return.
 */
export class EscapeCodes {
  readonly #keepsColor: boolean;
  readonly #emit: (bytes: Buffer) => void;
  /** The start of a code that continues in the next chunk. */
  #held: Buffer | undefined;

  constructor({ keepsColor }: { keepsColor: boolean }, emit: (bytes: Buffer) => void) {
    this.#keepsColor = keepsColor;
    this.#emit = emit;
  }

  push(chunk: Buffer): void {
    if (this.#held) this.#remove(Buffer.concat([this.#held, chunk]), false);
    else if (chunk.includes(ESCAPE)) this.#remove(chunk, false);
    else this.#emit(chunk);
  }

  finish(): void {
    if (this.#held) this.#remove(this.#held, true);
  }

  /** Copies byte by byte: codes may be dense, and a call of Buffer for each would take longer than the rest. */
  #remove(bytes: Buffer, isEnd: boolean): void {
    const kept = Buffer.allocUnsafe(bytes.length);
    let length = 0;
    this.#held = undefined;
    for (let at = 0; at < bytes.length; ) {
      if (bytes[at] !== ESCAPE) {
        kept[length++] = bytes[at++] as number;
        continue;
      }
      const end = endOfCode(bytes, at) ?? (isEnd ? at + 1 : bytes.length + 1);
      if (end > bytes.length) this.#held = Buffer.from(bytes.subarray(at));
      else if (isLineStart(bytes, at, end)) kept[length++] = RETURN;
      else if (this.#keepsColor && isColor(bytes, at, end)) length += bytes.copy(kept, length, at, end);
      at = end;
    }
    if (length > 0) this.#emit(kept.subarray(0, length));
  }
}

/** Reports whether a code erases the line or moves to its start: `[2K`, `[G`, `[0G`, `[1G`. */
function isLineStart(bytes: Buffer, at: number, end: number): boolean {
  if (bytes[at + 1] !== CONTROL) return false;
  const [final, parameter] = [bytes[end - 1], bytes[at + 2] as number];
  if (final === 0x4b) return end === at + 4 && parameter === 0x32;
  return final === 0x47 && (end === at + 3 || (end === at + 4 && (parameter === 0x30 || parameter === 0x31)));
}

function isColor(bytes: Buffer, at: number, end: number): boolean {
  if (bytes[at + 1] !== CONTROL || bytes[end - 1] !== 0x6d) return false;
  for (let i = at + 2; i < end - 1; i++) if ((bytes[i] as number) < 0x30 || (bytes[i] as number) > 0x3b) return false;
  return true;
}

function endOfCode(bytes: Buffer, at: number): number | undefined {
  const kind = bytes[at + 1];
  if (kind === undefined) return undefined;
  if (STRINGS.has(kind)) return endOfString(bytes, at);
  const first = kind === CONTROL ? at + 2 : at + 1;
  // Parameters are 0x30 to 0x3f and intermediate bytes 0x20 to 0x2f. A code without parameters may end at 0x30.
  const lastInner = kind === CONTROL ? 0x3f : 0x2f;
  const limit = Math.min(bytes.length, at + MAX_CODE_BYTES);
  for (let i = first; i < limit; i++) {
    const byte = bytes[i] as number;
    if (byte >= 0x20 && byte <= lastInner) continue;
    return byte > lastInner && byte <= 0x7e ? i + 1 : at + 1;
  }
  return limit < bytes.length ? at + 1 : undefined;
}

function endOfString(bytes: Buffer, at: number): number | undefined {
  const limit = Math.min(bytes.length, at + MAX_CODE_BYTES);
  for (let i = at + 2; i < limit; i++) {
    const byte = bytes[i];
    if (byte === BELL) return i + 1;
    if (byte === NEWLINE) return at + 1;
    if (byte !== ESCAPE) continue;
    if (i + 1 === bytes.length) return undefined;
    return bytes[i + 1] === 0x5c ? i + 2 : at + 1;
  }
  return limit < bytes.length ? at + 1 : undefined;
}
