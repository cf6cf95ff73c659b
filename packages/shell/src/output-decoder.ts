import { isUtf8 } from 'node:buffer';
import type { Environment } from '@jinn/core';
import type { Stream } from '@jinn/process';
import type { Charset } from '@jinn/workspace/find-charset';

const NOTHING = Buffer.alloc(0);
/** The most bytes of a character after its first one. */
const MAX_REST = 3;

/** Opens the encoding of a command's locale. Undefined if it is UTF-8, is not named, or is unknown. */
export async function charsetOfLocale(environment: Environment): Promise<Charset | undefined> {
  const locale = environment['LC_ALL'] || environment['LC_CTYPE'] || environment['LANG'] || '';
  const [, name] = /\.([^@]+)/.exec(locale) ?? [];
  if (name === undefined || /^utf-?8$/i.test(name)) return undefined;
  const { openCharset } = await import('@jinn/workspace/encodings');
  const charset = await openCharset(name).catch(() => undefined);
  return charset?.isWide ? undefined : charset;
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
