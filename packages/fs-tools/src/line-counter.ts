import { CHUNK_BYTES, newlineCounter } from './count-newlines.ts';

/** Below this distance, counting one by one is cheaper than the vector counter. */
const NEAR = 4_096;

/** The line of an offset, from 1, in bytes (latin1); a line ends with `\n`. */
export function lineAt(bytes: string, offset: number): number {
  return createLineCounter(bytes)(offset);
}

/** Makes a function that gives the line of an offset, for offsets that grow: it reads the text once in all. */
export function createLineCounter(bytes: string): (offset: number) => number {
  let line = 1;
  /** The first newline that is not counted yet. */
  let next = bytes.indexOf('\n');
  return (offset) => {
    if (next >= 0 && offset - next > NEAR) {
      let at = next;
      for (; offset - at > NEAR; at += CHUNK_BYTES) line += countMany(bytes, at, offset);
      next = bytes.indexOf('\n', Math.min(at, offset));
    }
    for (; next >= 0 && next < offset; next = bytes.indexOf('\n', next + 1)) line++;
    return line;
  };
}

/** Counts the newlines of one chunk, which ends at `end` at the latest. */
function countMany(bytes: string, start: number, end: number): number {
  const { chunk, count } = newlineCounter();
  return count(chunk.write(bytes.slice(start, Math.min(end, start + CHUNK_BYTES)), 'latin1'));
}
