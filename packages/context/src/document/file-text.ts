import type { OpenFile } from '@jinn/workspace';
import type { ContentReader, Facts } from './content-reader.ts';
import { longestFence } from './longest-fence.ts';
import { type RewriteOptions, rewriterOf } from './rewrite.ts';

/** A larger file is not rewritten, since that needs all of it in memory. */
const MOST_BYTES = 32 * 1024 * 1024;

/** The text of an open file, as it goes into a document. */
export interface FileText {
  readonly facts: Facts;
  /** Returns the chunks; may be called again. Every chunk overwrites the one before. */
  chunks(): Iterable<Buffer>;
}

/** Reads the text of an open file, and rewrites it as the options say, such as notebooks. */
export function readText(path: string, file: OpenFile, reader: ContentReader, options: RewriteOptions): FileText {
  const facts = reader.inspect(file);
  const rewrite = file.size <= MOST_BYTES ? rewriterOf(path, options) : undefined;
  const read = (facts: Facts, chunks: () => Iterable<Buffer>) => withoutSecrets(path, { facts, chunks }, options);
  if (!rewrite) return read(facts, () => reader.chunks(file, facts.encoding));
  const whole = Buffer.concat([...reader.chunks(file, facts.encoding)].map((chunk) => Buffer.from(chunk)));
  const bytes = rewrite(whole);
  return read({ ...factsOf(bytes), encoding: facts.encoding }, () => [bytes]);
}

/** Returns a text without its secrets, if these must be left out. */
export function withoutSecrets(path: string, { facts, chunks }: FileText, { secretWatch }: RewriteOptions): FileText {
  return { facts, chunks: secretWatch ? () => secretWatch.cut(path, chunks()) : chunks };
}

/** Returns the facts of text in UTF-8. */
export function factsOf(bytes: Buffer): Facts {
  return { encoding: 'utf-8', longestFence: longestFence(bytes), hasReturn: bytes.includes('\r') };
}
