import { type NoOutline, type Outline, Outlines } from '@jinn/syntax';
import { versionOf } from '../signals/known-signals.ts';

/** The most symbols that are kept; each takes about 300 bytes. */
const MOST_KEPT = 100_000;
let outlines: Outlines | undefined;

/**
 * Returns the outline of a text in UTF-8. The first call starts the parser, which lives as long as the process.
 * Outlines are kept as long, so that no text is parsed twice.
 */
export function outlineSource(content: Buffer, path: string): Promise<Outline | NoOutline> {
  outlines ??= new Outlines({ mostKept: MOST_KEPT });
  return outlines.read({ path, content, version: versionOf(content) });
}
