import { ToolError } from '@jinn/errors';
import { type FileKind, kindOfFile, nameKind, SNIFF_BYTES } from './file-kind.ts';

const MARK = '\xef\xbb\xbf';

export type ContentEncoding = 'bytes' | 'utf-16le' | 'utf-16be';

/** The text of a file, as tools match and change it. */
export interface TextContent {
  /**
   * Bytes as latin1, so that bytes that are not UTF-8 survive. UTF-16 is turned into UTF-8, with its byte order mark as
   * that of UTF-8.
   */
  readonly bytes: string;
  readonly encoding: ContentEncoding;
}

/** Reads the content of a file as text. Throws `binary_file`, which says what it is. */
export function decodeContent(content: Buffer, path: string): TextContent {
  const encoding = encodingOf(content);
  const text = encoding === 'bytes' ? undefined : utf16ToUtf8(content, encoding);
  if (text) return { bytes: MARK + text.toString('latin1'), encoding };
  rejectBinary(content, path);
  return { bytes: content.toString('latin1'), encoding: 'bytes' };
}

/** Returns the content of a file that has this text. */
export function encodeContent({ bytes, encoding }: TextContent): Buffer {
  const content = Buffer.from(bytes, 'latin1');
  if (encoding === 'bytes') return content;
  const text = content.toString();
  const units = Buffer.from(text.startsWith('\ufeff') ? text : `\ufeff${text}`, 'utf16le');
  return encoding === 'utf-16le' ? units : units.swap16();
}

/** Judges by the byte order mark. */
export function encodingOf(content: Buffer): ContentEncoding {
  if (content[0] === 0xff && content[1] === 0xfe) return 'utf-16le';
  return content[0] === 0xfe && content[1] === 0xff ? 'utf-16be' : 'bytes';
}

/** Returns the length in bytes of a byte order mark of UTF-8 at the beginning; 0 if there is none. */
export function markLength(content: Buffer): number {
  return content[0] === 0xef && content[1] === 0xbb && content[2] === 0xbf ? MARK.length : 0;
}

/** Returns the text after the byte order mark as UTF-8; undefined if the content is not UTF-16 or holds a NUL. */
export function utf16ToUtf8(content: Buffer, encoding: 'utf-16le' | 'utf-16be'): Buffer | undefined {
  if (content.length % 2 !== 0) return undefined;
  const units = encoding === 'utf-16le' ? content : Buffer.from(content).swap16();
  const text = units.toString('utf16le', 2);
  return text.isWellFormed() && !text.includes('\0') ? Buffer.from(text) : undefined;
}

function rejectBinary(content: Buffer, path: string): void {
  const head = content.subarray(0, SNIFF_BYTES);
  if (!head.includes(0)) return;
  throw notText(path, kindOfFile(head, path), content.length);
}

/** Returns the error that refuses to treat a file as text. */
export function notText(path: string, found: FileKind, size: number): ToolError {
  const name = nameKind(found) ?? 'binary';
  const what = name === 'binary' ? '' : `${name}, `;
  return new ToolError('binary_file', `binary file: ${path} (${what}${size} bytes)`, {
    suggestion: 'edit, patch and compare text files only; checksum_tree tells whether binary files differ',
  });
}

/** Refuses a text with half a surrogate pair, for which UTF-8 has no bytes; `name` is the argument that holds it. */
export function rejectLoneSurrogates(name: string, text: string): void {
  if (text.isWellFormed()) return;
  const at = text.search(/[\ud800-\udfff]/u);
  const code = text.charCodeAt(at).toString(16);
  throw new ToolError('invalid_args', `${name}: character ${at + 1} is \\u${code}, half of a surrogate pair`, {
    suggestion: 'send the whole character, or leave it out; nothing was changed',
  });
}
