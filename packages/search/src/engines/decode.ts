import { isUtf8 } from 'node:buffer';

/**
 * Decodes bytes so that each byte that is not UTF-8 becomes a lone surrogate (0xdc00 and its value). No pattern matches
 * one, and `bytesIn` counts it as one byte.
 */
export function decode(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString();
  let text = '';
  let start = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = validLength(bytes, at);
    if (length > 0) {
      at += length;
      continue;
    }
    text += bytes.toString('utf8', start, at) + String.fromCharCode(0xdc00 + (bytes[at] as number));
    start = ++at;
  }
  return text + bytes.toString('utf8', start);
}

/** Returns the number of bytes that a text of `decode` stands for. */
export function bytesIn(text: string): number {
  // Buffer.byteLength counts three bytes for a lone surrogate, which stands for one.
  const halves = text.isWellFormed() ? 0 : (text.match(/\p{Cs}/gu)?.length ?? 0);
  return Buffer.byteLength(text) - 2 * halves;
}

/** Returns the length of the character that begins at a byte; 0 if none begins there. */
function validLength(bytes: Buffer, at: number): number {
  const first = bytes[at] as number;
  if (first < 0x80) return 1;
  const length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  return length > 0 && at + length <= bytes.length && isUtf8(bytes.subarray(at, at + length)) ? length : 0;
}
