import type { Parser, Range, Tree } from 'web-tree-sitter';

/**
 * How much of the text the parser gets at once. A scanner that goes back asks for the same again, so the parts are
 * small.
 */
const PART_UNITS = 2_048;

export interface ParseOptions {
  readonly text: string;
  /** The parts of the text to parse; the default is all of it. */
  readonly ranges?: Range[];
  readonly isLate: () => boolean;
}

/**
 * Parses text; undefined if it took too long. The parser asks whether to go on after some steps, and each may take
 * seconds when it scans hostile text: then it is told that the text has come to its end. The caller deletes the tree.
 */
export function parseText(parser: Parser, { text, ranges, isLate }: ParseOptions): Tree | undefined {
  let stopped = false;
  const progressCallback = (): boolean => {
    stopped ||= isLate();
    return stopped;
  };
  const read = (index: number): string | undefined =>
    progressCallback() ? undefined : text.slice(index, index + PART_UNITS);
  const tree = parser.parse(read, null, ranges ? { includedRanges: ranges, progressCallback } : { progressCallback });
  if (tree && !stopped) return tree;
  tree?.delete();
  // Else the next parse would go on with this one.
  parser.reset();
  return undefined;
}
