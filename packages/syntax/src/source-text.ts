import { isAscii, isUtf8 } from 'node:buffer';

/** The text that the parser reads, and where its UTF-16 units are in the bytes of the file. */
export interface SourceText {
  readonly text: string;
  toByte(unit: number): number;
}

/**
 * Content that is UTF-8 is read as such, and everything else a character a byte: the syntax of all languages is ASCII.
 * A byte order mark is a character of the text.
 */
export function toSourceText(content: Buffer): SourceText {
  if (isAscii(content) || !isUtf8(content)) {
    return { text: content.toString('latin1'), toByte: (unit) => unit };
  }
  const text = content.toString('utf8');
  let bytes: Uint32Array | undefined;
  return {
    text,
    toByte: (unit) => {
      bytes ??= byteOffsets(text);
      return bytes[unit] as number;
    },
  };
}

/** The byte of each unit, and of the end. The half of a pair counts two bytes. */
function byteOffsets(text: string): Uint32Array {
  const offsets = new Uint32Array(text.length + 1);
  let byte = 0;
  for (let i = 0; i < text.length; i++) {
    offsets[i] = byte;
    byte += lengthOf(text.charCodeAt(i));
  }
  offsets[text.length] = byte;
  return offsets;
}

function lengthOf(unit: number): number {
  if (unit < 0x80) return 1;
  if (unit < 0x800) return 2;
  // Valid UTF-8 has surrogates only in pairs, which take four bytes.
  return unit >= 0xd800 && unit < 0xe000 ? 2 : 3;
}
