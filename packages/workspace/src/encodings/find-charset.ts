import { isPlainText } from '../guard/index.ts';
import type { Charset } from './charset.ts';
import type { EncodingSources } from './project-encoding.ts';

export type { Charset } from './charset.ts';

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

/**
 * Returns the encoding of a file, or undefined if it is UTF-8, or cannot be told. It loads what decides only for a
 * content that may be something else. Throws `invalid_args` for an unknown name in `asked`.
 */
export async function findCharset(
  ctx: CharsetContext,
  { path, content }: { readonly path: string; readonly content: Buffer },
  asked?: string,
): Promise<Charset | undefined> {
  const name = asked ?? askedEncoding(ctx, path);
  if (name === undefined && isPlainText(content)) return undefined;
  const { Encodings } = await import('./index.ts');
  const { found } = knownIn(ctx);
  const charset = await new Encodings(ctx).find(path, content, { asked: name, known: found.get(path) });
  if (charset && name === undefined) found.set(path, charset.name);
  if (asked !== undefined) knownIn(ctx).asked.set(path, asked);
  return charset;
}

/** Returns the encoding that the session has asked for, of the file at a path. */
export function askedEncoding({ session }: Pick<CharsetContext, 'session'>, path: string): string | undefined {
  return known.get(session)?.asked.get(path);
}
