import type { Stream } from '@jinn/process';
import type { Spill } from '@jinn/workspace';
import { StreamStore } from '../buffers/stream-store.ts';

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

  /** Adds a chunk to a stream. Returns false when this is more than a command may write. */
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

  get lastLine(): string {
    const text = this.stdout.tail.trimEnd();
    return text.slice(text.lastIndexOf('\n') + 1).slice(-SHOWN_LINE);
  }

  finish(): void {
    this.stdout.finish();
    this.stderr.finish();
  }
}
