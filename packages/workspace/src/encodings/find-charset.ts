import { isPlainText } from '../guard/index.ts';
import type { Charset } from './charset.ts';
import type { Encodings } from './index.ts';
import type { EncodingSources } from './project-encoding.ts';

export type { Charset } from './charset.ts';

/** A larger file is not decoded: in memory, it would take several times its size. */
export const MAX_DECODED_BYTES = 16 * 1024 * 1024;

/** The part of a call that knows the encodings of files. */
export interface CharsetContext extends EncodingSources {
  readonly session: object;
}

/**
 * The encodings that calls of a session asked for, and those that were found by the bytes of a file, by path. Later calls of
 * the session keep to them: an edit may make a file look like another encoding.
 */
const known = new WeakMap<object, { readonly asked: Map<string, string>; readonly found: Map<string, string> }>();

function knownIn({ session }: Pick<CharsetContext, 'session'>) {
  const maps = known.get(session) ?? { asked: new Map(), found: new Map() };
  known.set(session, maps);
  return maps;
}

/** A file whose encoding is asked for. */
interface FileBytes {
  readonly path: string;
  readonly content: Buffer;
}

/** Finds the encodings of the files of a call. It loads what decides only for a content that may not be UTF-8. */
export class CharsetFinder {
  readonly #ctx: CharsetContext;
  #encodings: Promise<Encodings> | undefined;

  constructor(ctx: CharsetContext) {
    this.#ctx = ctx;
  }

  /**
   * Returns undefined if a file is UTF-8 or too large, or if its encoding is unknown. Throws `invalid_args` for an unknown
   * name in `asked`, and `file_too_large` for one of a content that is too large.
   */
  async find({ path, content }: FileBytes, asked?: string): Promise<Charset | undefined> {
    if (content.length > MAX_DECODED_BYTES) {
      if (asked === undefined) return undefined;
      throw (await import('./index.ts')).notDecoded(path);
    }
    const name = asked ?? askedEncoding(this.#ctx, path);
    if (name === undefined && isPlainText(content)) return undefined;
    this.#encodings ??= import('./index.ts').then((loaded) => new loaded.Encodings(this.#ctx));
    const maps = knownIn(this.#ctx);
    const charset = await (await this.#encodings).find(path, content, { asked: name, known: maps.found.get(path) });
    if (charset && name === undefined) maps.found.set(path, charset.name);
    if (asked !== undefined) maps.asked.set(path, asked);
    return charset;
  }
}

/** Finds the encoding of one file, as CharsetFinder does. */
export function findCharset(ctx: CharsetContext, file: FileBytes, asked?: string): Promise<Charset | undefined> {
  return new CharsetFinder(ctx).find(file, asked);
}

/** Returns the encoding that the session has asked for, of the file at a path. */
export function askedEncoding({ session }: Pick<CharsetContext, 'session'>, path: string): string | undefined {
  return known.get(session)?.asked.get(path);
}
