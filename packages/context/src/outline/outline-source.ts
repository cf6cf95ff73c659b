import { type NoOutline, type Outline, Outlines } from '@jinn/syntax';
import { contentHash } from '../signals/known-signals.ts';

/** The most symbols that are kept. Each takes about 300 bytes. */
const MOST_KEPT = 100_000;
let outlines: Outlines | undefined;

/** Returns the outline of a text in UTF-8. The parser and the outlines are kept as long as the process runs. */
export function outlineSource(content: Buffer, path: string): Promise<Outline | NoOutline> {
  outlines ??= new Outlines({ mostKept: MOST_KEPT });
  return outlines.read({ path, content, version: contentHash(content) });
}
