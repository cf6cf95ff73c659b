import { countLineFeeds } from '@jinn/core/text/counted';
import type { Stream } from '@jinn/process';
import { TailBuffer } from '@jinn/shell/line-folder';
import { EscapeCodes } from '@jinn/shell/output-capture';
import type { OpenFile, Spill } from '@jinn/workspace';

/** Bytes of a stream that stay in memory before it goes to a file. */
const MEMORY_BYTES = 128 * 1024;

/** The end of a stream that stays in memory in any case. */
const TAIL_BYTES = 16 * 1024;

/** A command that writes more is stopped, as by run_shell. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const SHOWN_LINE = 200;

/** Captures the output of a command: the two streams apart, and both together. */
export class CommandCapture {
  readonly stdout: StreamStore;
  readonly stderr: StreamStore;
  #total = 0;

  constructor(spill: Spill, options: { atOnce: boolean }) {
    this.stdout = new StreamStore(spill, options);
    this.stderr = new StreamStore(spill, options);
  }

  add(stream: Stream, chunk: Buffer): boolean {
    if (this.isOver) return false;
    this.#total += chunk.length;
    this[stream].push(chunk);
    return !this.isOver;
  }

  get isOver(): boolean {
    return this.#total > MAX_OUTPUT_BYTES;
  }

  endOf(stream: Stream): string {
    return this[stream].tail;
  }

  plain(): string {
    return this.stdout.tail + this.stderr.tail;
  }

  get lastLine(): string {
    const text = this.stdout.tail.trimEnd();
    return text.slice(text.lastIndexOf('\n') + 1).slice(-SHOWN_LINE);
  }

  finish(): void {
    this.stdout.finish();
    this.stderr.finish();
  }
}

/** Keeps what a command writes to one stream, without escape codes: short output in memory, longer output in a spill file. */
class StreamStore {
  readonly #spill: Spill;
  readonly #codes: EscapeCodes;
  #held: Buffer[] = [];
  #heldBytes = 0;
  readonly #tail = new TailBuffer(TAIL_BYTES);
  #log: ReturnType<Spill['openLog']>;
  #isLost = false;
  #isFinished = false;
  #newlines = 0;
  #last = 10;

  /** Makes a store. With `atOnce`, it opens the file at the start, so that a stream can be read while it grows. */
  constructor(spill: Spill, { atOnce }: { atOnce: boolean }) {
    this.#spill = spill;
    this.#codes = new EscapeCodes({ keepsColor: false }, (bytes) => this.#keep(bytes));
    if (atOnce) this.moveToFile();
  }

  push(chunk: Buffer): void {
    this.#codes.push(chunk);
  }

  finish(): void {
    this.#codes.finish();
    this.#isFinished = true;
    this.#log?.close();
  }

  get size(): number {
    return this.#tail.total;
  }

  get lines(): number {
    return this.#last === 10 ? this.#newlines : this.#newlines + 1;
  }

  get tail(): string {
    return this.#tail.bytes.toString();
  }

  /** The spill file, or undefined while all is in memory, or if it could not be kept. */
  get path(): string | undefined {
    return this.#log?.path;
  }

  /** Moves what is in memory to a spill file, and returns its path. What comes later follows it. */
  moveToFile(): string | undefined {
    if (this.#log || this.#isLost) return this.#log?.path;
    this.#log = this.#spill.openLog('jinn-command');
    for (const bytes of this.#held) this.#write(bytes);
    if (this.#log) this.#held = [];
    else this.#isLost = true;
    if (this.#isFinished) this.#log?.close();
    return this.#log?.path;
  }

  /** Returns what was kept, up to a number of bytes: the start, and the end after a line that says what is missing. */
  text(maxBytes: number): string {
    const file = this.path === undefined ? undefined : this.#spill.open(this.path);
    if (!file) return this.#fromMemory();
    try {
      return fromFile(file, maxBytes);
    } finally {
      file.close();
    }
  }

  #fromMemory(): string {
    const head = Buffer.concat(this.#held);
    if (head.length >= this.size) return head.toString();
    const tail = this.#tail.bytes;
    const missing = this.size - head.length - tail.length;
    return missing > 0
      ? `${head}\n--- ${missing} bytes could not be kept ---\n${tail}`
      : head.toString() + tail.subarray(-missing).toString();
  }

  #keep(bytes: Buffer): void {
    this.#newlines += countLineFeeds(bytes);
    this.#last = bytes.at(-1) ?? this.#last;
    this.#tail.push(bytes);
    if (!this.#log && this.#heldBytes + bytes.length > MEMORY_BYTES) this.moveToFile();
    if (this.#log) this.#write(bytes);
    else if (!this.#isLost) {
      this.#held.push(Buffer.from(bytes));
      this.#heldBytes += bytes.length;
    }
  }

  /** Writes to the file, and forgets the file if the disk does not take all: a part must not pass for the whole. */
  #write(bytes: Buffer): void {
    if (!this.#log || this.#log.write(bytes)) return;
    this.#log = undefined;
    this.#isLost = true;
  }
}

function fromFile(file: OpenFile, maxBytes: number): string {
  if (file.size <= maxBytes) return file.slice(0, file.size).toString();
  const half = Math.floor(maxBytes / 2);
  const tail = file.slice(file.size - half, file.size);
  return `${file.slice(0, half)}\n--- ${file.size - 2 * half} bytes omitted ---\n${tail}`;
}
