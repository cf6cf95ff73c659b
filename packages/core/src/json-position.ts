import type { Buffer } from 'node:buffer';

const NEWLINE = 0x0a;

/** Where a byte of a stream stands: its line and column, both from 1. Columns are UTF-16 code units. */
export interface Position {
  line: number;
  column: number;
}

/** Moves a position past some bytes, which may begin or end within a character. */
export function advance(position: Position, bytes: Buffer): void {
  let lineStart = -1;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) {
    position.line += 1;
    lineStart = at;
  }
  if (lineStart >= 0) position.column = 1;
  for (let at = lineStart + 1; at < bytes.length; at += 1) position.column += widthAt(bytes[at] as number);
}

/** Returns how many code units the character takes that begins with a byte; 0 for a byte within a character. */
function widthAt(byte: number): number {
  if ((byte & 0xc0) === 0x80) return 0;
  return byte >= 0xf0 ? 2 : 1;
}
