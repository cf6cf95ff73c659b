import type { TokenCounter } from '../tokens/tokens.ts';
import type { WrittenFile } from './document-writer.ts';

/** Counts the tokens of content while it is written. */
export class CountedContent implements Iterable<Buffer> {
  tokens = 0;
  readonly #content: WrittenFile['content'];
  readonly #counter: TokenCounter;

  constructor(content: WrittenFile['content'], counter: TokenCounter) {
    this.#content = content;
    this.#counter = counter;
  }

  *[Symbol.iterator](): Iterator<Buffer> {
    for (const chunk of Buffer.isBuffer(this.#content) ? [this.#content] : this.#content) {
      this.tokens += this.#counter.count(chunk);
      yield chunk;
    }
  }
}
