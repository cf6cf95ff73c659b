import { isUtf8 } from 'node:buffer';
import type { Stream } from '@jinn/process';
import { openCharset } from '@jinn/workspace/encodings';
import type { Charset } from '@jinn/workspace/find-charset';

const NOTHING = Buffer.alloc(0);
/** The most bytes of a character after its first one. */
const MAX_REST = 3;

/** Opens a decoder for the encoding that a locale names. Undefined if that is UTF-8 or unknown. */
export async function openDecoder(encoding: string): Promise<OutputDecoder | undefined> {
  const charset = await openCharset(encoding).catch(() => undefined);
  return charset && !charset.isWide ? new OutputDecoder(charset) : undefined;
}

/** Decodes the chunks of a stream from the first one on that is not UTF-8. */
export class OutputDecoder {
  readonly #charset: Charset;
  /** Bytes at the end that may be the start of a character. */
  readonly #held: Partial<Record<Stream, Buffer>> = {};

  constructor(charset: Charset) {
    this.#charset = charset;
  }

  /** The name of the encoding, or undefined if nothing was decoded. */
  get encoding(): string | undefined {
    return Object.keys(this.#held).length > 0 ? this.#charset.name : undefined;
  }

  decode(stream: Stream, chunk: Buffer, isEnd: boolean): Buffer {
    const held = this.#held[stream];
    if (held === undefined && isUtf8(chunk)) return chunk;
    const bytes = Buffer.concat([held ?? NOTHING, chunk]);
    const text = this.#charset.decode(bytes).toString();
    // Each byte that is no character is one U+FFFD, and GB18030 has digits in characters.
    const rest = isEnd ? 0 : (text.slice(-MAX_REST).match(/\ufffd[\ufffd0-9]*$/)?.[0].length ?? 0);
    this.#held[stream] = bytes.subarray(bytes.length - rest);
    return Buffer.from(text.slice(0, text.length - rest));
  }
}
