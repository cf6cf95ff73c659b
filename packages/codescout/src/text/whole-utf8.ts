import { isUtf8 } from 'node:buffer';
import type { OpenFile } from '@jinn/workspace';

const CHUNK_BYTES = 1024 * 1024;

/** Reports whether all of a file is UTF-8. It holds a megabyte of it at a time. */
export function isUtf8File(file: OpenFile): boolean {
  for (let at = 0; at < file.size; ) {
    const chunk = file.slice(at, at + CHUNK_BYTES);
    if (chunk.length === 0) return true;
    const isLast = at + chunk.length >= file.size;
    const whole = isLast ? chunk : chunk.subarray(0, endOfCharacters(chunk));
    if (whole.length === 0 || !isUtf8(whole)) return false;
    at += whole.length;
  }
  return true;
}

function endOfCharacters(bytes: Buffer): number {
  for (let at = bytes.length - 1; at >= Math.max(0, bytes.length - 4); at--) {
    if (((bytes[at] as number) & 0xc0) !== 0x80) return at;
  }
  return bytes.length;
}
