import { REPLACE_SCRIPT } from './replace-script.ts';
import { StoppableThread } from './stoppable-thread.ts';

const MAX_MEMORY_MB = 256;

export interface Replacement {
  readonly pattern: string;
  /** Flags of JavaScript's RegExp; `g` among them. */
  readonly flags: string;
  /** Texts, and the numbers of the groups whose text stands between them; 0 is the whole match. */
  readonly replacement: readonly (string | number)[];
}

/** What became of a text. */
export interface Replaced {
  /** How many matches there were. */
  readonly count: number;
  /** The lines of the first match's start and of the last match's end, from 1. */
  readonly firstLine: number;
  readonly lastLine: number;
  /** The new content; undefined without a match, and if it would be larger than the limit. */
  readonly bytes: Buffer | undefined;
}

interface Task {
  readonly bytes: Uint8Array;
  readonly maxBytes: number;
}

interface Answer extends Omit<Replaced, 'bytes'> {
  /** Longer than what is in use. */
  readonly buffer: ArrayBuffer | undefined;
  readonly length: number;
}

/**
 * Replaces every match of a user's pattern in texts, one after the other, on a thread of its own. Close it when all are
 * done.
 */
export class Replacer {
  readonly #thread: StoppableThread<Task, Answer>;

  /** All texts together may take `limitMs`. */
  constructor(replacement: Replacement, limitMs: number, signal?: AbortSignal) {
    this.#thread = new StoppableThread(REPLACE_SCRIPT, {
      data: replacement,
      limitMs,
      maxMemoryMb: MAX_MEMORY_MB,
      signal,
      tooLarge: {
        message: 'the replacement takes more memory than it may',
        suggestion: 'use a pattern that matches less, or fewer files',
      },
    });
  }

  /**
   * Replaces in UTF-8. Bytes that are not UTF-8 count as a character each, which only matches what any character matches,
   * and stay as they are. Throws ToolError `timeout`, `canceled` or `resource_limit`; no further text can be given then.
   */
  async replaceIn(content: Uint8Array, maxBytes: number): Promise<Replaced> {
    const bytes = Uint8Array.from(content);
    const { buffer, length, ...found } = await this.#thread.ask({ bytes, maxBytes }, [bytes.buffer]);
    return { ...found, bytes: buffer && Buffer.from(buffer, 0, length) };
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
