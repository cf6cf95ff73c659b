import { type NoOutline, type Outline, Outlines } from '@jinn/syntax';
import { versionOf } from '../signals/known-signals.ts';

/** More symbols than these are not kept; each takes about 300 bytes. */
const MOST_KEPT = 100_000;
let outlines: Outlines | undefined;

/**
 * Returns the outline of a text in UTF-8. The parser is started for the first, and lives as long as the process; so do
 * outlines, and a text that was parsed before is not parsed again.
 */
export function outlineSource(content: Buffer, path: string): Promise<Outline | NoOutline> {
  outlines ??= new Outlines({ mostKept: MOST_KEPT });
  return outlines.read({ path, content, version: versionOf(content) });
}
