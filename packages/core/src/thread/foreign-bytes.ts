import { isUtf8 } from 'node:buffer';

/** The form of a byte that is not UTF-8 in a text: one of the lone surrogates U+DC80 to U+DCFF. */
const FIRST_FOREIGN = 0xdc80;
const LAST_FOREIGN = 0xdcff;
const FOREIGN = /([\udc80-\udcff])/u;

/** Decodes UTF-8. A byte that is not UTF-8 becomes a lone surrogate. */
export function decodeWithForeign(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (isUtf8(buffer)) return buffer.toString();
  const units = new Uint16Array(bytes.length);
  let count = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = lengthAt(bytes, at);
    const point = length === 0 ? 0xdc00 + byteAt(bytes, at) : codePointAt(bytes, at, length);
    if (point > 0xffff) {
      units[count++] = 0xd7c0 + (point >> 10);
      units[count++] = 0xdc00 + (point & 0x3ff);
    } else units[count++] = point;
    at += Math.max(1, length);
  }
  return Buffer.from(units.buffer, 0, 2 * count).toString('utf16le');
}

/** Splits a text into parts, each of which is well-formed or one byte that is not UTF-8. */
export function splitForeign(text: string): readonly string[] {
  return text.isWellFormed() ? [text] : text.split(FOREIGN);
}

/** Returns the byte that a part of `splitForeign` stands for, or undefined for a part that is text. */
export function foreignByte(part: string): number | undefined {
  const unit = part.length === 1 ? part.charCodeAt(0) : 0;
  return unit >= FIRST_FOREIGN && unit <= LAST_FOREIGN ? unit - 0xdc00 : undefined;
}

function lengthAt(bytes: Uint8Array, at: number): number {
  const first = byteAt(bytes, at);
  if (first < 0x80) return 1;
  const length = announcedLength(first);
  if (length === 0 || at + length > bytes.length) return 0;
  const second = byteAt(bytes, at + 1);
  const least = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const most = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (second < least || second > most) return 0;
  for (let i = 2; i < length; i++) if ((byteAt(bytes, at + i) & 0xc0) !== 0x80) return 0;
  return length;
}

function announcedLength(first: number): number {
  if (first >= 0xc2 && first <= 0xdf) return 2;
  if (first >= 0xe0 && first <= 0xef) return 3;
  return first >= 0xf0 && first <= 0xf4 ? 4 : 0;
}

function codePointAt(bytes: Uint8Array, at: number, length: number): number {
  const first = byteAt(bytes, at);
  if (length === 1) return first;
  let point = first & (0xff >> (length + 1));
  for (let i = 1; i < length; i++) point = (point << 6) | (byteAt(bytes, at + i) & 0x3f);
  return point;
}

function byteAt(bytes: Uint8Array, at: number): number {
  return bytes[at] as number;
}
