import { notebookToText } from '@jinn/syntax/notebook';
import type { OpenFile } from '@jinn/workspace';
import type { SecretWatch } from '../secrets/secret-watch.ts';
import { type ContentReader, type Facts, longestFence } from './content-reader.ts';
import type { TextCharset } from './file-charsets.ts';

export interface RewriteOptions {
  readonly secretWatch?: SecretWatch | undefined;
  readonly cutsBase64?: boolean | undefined;
  readonly keepsNotebooks?: boolean | undefined;
  readonly strip?: ((text: Buffer, path: string) => Buffer) | undefined;
}

/** A shorter run may be a hash or a key. */
const BASE64 = /(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{240,}={0,2}/g;

/** Returns the function that rewrites the text of a file, or undefined if it is not rewritten. */
export function rewriterOf(path: string, options: RewriteOptions): ((text: Buffer) => Buffer) | undefined {
  const isNotebook = !options.keepsNotebooks && path.endsWith('.ipynb');
  const { cutsBase64, strip } = options;
  if (!isNotebook && !cutsBase64 && !strip) return undefined;
  return (text) => {
    const cells = isNotebook ? notebookToText(text.toString()) : undefined;
    const shown = cells === undefined ? (strip?.(text, path) ?? text) : Buffer.from(cells);
    return cutsBase64 ? Buffer.from(cutBase64(shown.toString())) : shown;
  };
}

/** A run of digits, or of letters of one case, is not base64. */
function cutBase64(text: string): string {
  return text.replace(BASE64, (run) =>
    /[a-z]/.test(run) && /[A-Z]/.test(run) && /\d/.test(run)
      ? `${run.slice(0, 32)}[${run.length - 32} characters of base64 cut]`
      : run,
  );
}

/** A larger file is not rewritten, since that needs all of it in memory. */
const MOST_BYTES = 32 * 1024 * 1024;

/** The text of an open file, as it goes into a document. */
export interface FileText {
  readonly facts: Facts;
  /** Returns the chunks. May be called again. Every chunk overwrites the one before. */
  chunks(): Iterable<Buffer>;
}

/** Reads the text of an open file, and rewrites it as the options say, such as notebooks. */
export function readFileText(
  { path, charset }: { readonly path: string; readonly charset: TextCharset | undefined },
  file: OpenFile,
  reader: ContentReader,
  options: RewriteOptions,
): FileText {
  const facts = reader.inspect(file, charset);
  const rewrite = file.size <= MOST_BYTES ? rewriterOf(path, options) : undefined;
  const read = (facts: Facts, chunks: () => Iterable<Buffer>) => withoutSecrets(path, { facts, chunks }, options);
  if (!rewrite) return read(facts, () => reader.chunks(file, charset));
  const whole = Buffer.concat([...reader.chunks(file, charset)].map((chunk) => Buffer.from(chunk)));
  const bytes = rewrite(whole);
  return read({ ...factsOf(bytes), charset }, () => [bytes]);
}

/** Returns a text without its secrets, if these must be omitted. */
export function withoutSecrets(path: string, { facts, chunks }: FileText, { secretWatch }: RewriteOptions): FileText {
  return { facts, chunks: secretWatch ? () => secretWatch.cut(path, chunks()) : chunks };
}

/** Returns the facts of text in UTF-8. */
export function factsOf(bytes: Buffer): Facts {
  return { charset: undefined, longestFence: longestFence(bytes), hasReturn: bytes.includes('\r') };
}
