import type { ReplacedText, Replacement, ReplaceTask } from './replace-text.ts';
import SCRIPT from './replace-thread-main.ts?thread';
import { StoppableThread } from './stoppable-thread.ts';

const MAX_MEMORY_MB = 256;

export interface ReplaceResult extends Omit<ReplacedText, 'buffer' | 'length'> {
  /** The new content, or undefined without a match, and if it would be larger than the limit. */
  readonly bytes: Buffer | undefined;
}

/** Replaces every match of a user's pattern in texts on a thread of its own. Close it at the end. */
export class Replacer {
  readonly #thread: StoppableThread<ReplaceTask, ReplacedText>;

  constructor(replacement: Replacement, limitMs: number, signal?: AbortSignal) {
    this.#thread = new StoppableThread(SCRIPT, {
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

  /** Other bytes match only where any character does. Throws `timeout`, `canceled` or `resource_limit`, and then is over. */
  async replaceIn(content: Uint8Array, maxBytes: number): Promise<ReplaceResult> {
    const bytes = Uint8Array.from(content);
    const { buffer, length, ...found } = await this.#thread.ask({ bytes, maxBytes }, [bytes.buffer]);
    return { ...found, bytes: buffer && Buffer.from(buffer, 0, length) };
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
