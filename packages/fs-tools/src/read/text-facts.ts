import { isUtf8 } from 'node:buffer';

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'binary' | 'unknown-8bit';
export type LineEnding = 'lf' | 'crlf' | 'cr' | 'mixed' | 'none';
export type Bom = 'none' | 'utf-8-bom' | 'utf-16-le' | 'utf-16-be';

/** The properties that an editor must keep when it writes a text back. */
export interface TextFacts {
  readonly encoding: Encoding;
  readonly line_ending: LineEnding;
  readonly bom: Bom;
}

/**
 * Returns the properties of a whole content. `unknown-8bit` is text that is not UTF-8; `binary` has a NUL and no byte
 * order mark of UTF-16.
 */
export function textFacts(content: Buffer): TextFacts {
  const bom = bomOf(content);
  return { encoding: encodingOf(content, bom), line_ending: lineEndingOf(content, bom), bom };
}

/** Returns how a new content is encoded otherwise than the one that it replaces; undefined if it is not. */
export function describeRecoding(before: Buffer, after: Buffer): string | undefined {
  if (before.length === 0 || after.length === 0) return undefined;
  const [old, now] = [before, after].map(textFacts) as [TextFacts, TextFacts];
  const hasEndings = old.line_ending !== 'none' && now.line_ending !== 'none';
  const changed = [nameEncoding, ...(hasEndings ? [nameEnding] : [])].filter((name) => name(old) !== name(now));
  return changed.map((name) => `was ${name(old)}, now ${name(now)}`).join('; ') || undefined;
}

function nameEncoding({ encoding, bom }: TextFacts): string {
  if (bom === 'utf-8-bom') return 'UTF-8 with a byte order mark';
  if (encoding === 'binary') return encoding;
  return encoding === 'unknown-8bit' ? 'not UTF-8' : encoding.toUpperCase().replace(/[LB]E$/, '');
}

function nameEnding({ line_ending }: TextFacts): string {
  return line_ending === 'mixed' ? 'mixed line endings' : line_ending.toUpperCase();
}

function bomOf(content: Buffer): Bom {
  const [first, second, third] = content;
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8-bom';
  if (first === 0xff && second === 0xfe) return 'utf-16-le';
  return first === 0xfe && second === 0xff ? 'utf-16-be' : 'none';
}

function encodingOf(content: Buffer, bom: Bom): Encoding {
  if (bom === 'utf-16-le') return 'utf-16le';
  if (bom === 'utf-16-be') return 'utf-16be';
  if (content.includes(0)) return 'binary';
  return isUtf8(content) ? 'utf-8' : 'unknown-8bit';
}

function lineEndingOf(content: Buffer, bom: Bom): LineEnding {
  const bytes = bom === 'utf-16-le' || bom === 'utf-16-be' ? content.filter((byte) => byte !== 0) : content;
  const found = new Set<LineEnding>();
  const text = Buffer.from(bytes);
  for (let at = text.indexOf(13); at >= 0; at = text.indexOf(13, at + 1)) {
    found.add(text[at + 1] === 10 ? 'crlf' : 'cr');
    if (found.size > 1) return 'mixed';
  }
  if (hasLoneNewline(text)) found.add('lf');
  return found.size > 1 ? 'mixed' : ([...found][0] ?? 'none');
}

function hasLoneNewline(text: Buffer): boolean {
  for (let at = text.indexOf(10); at >= 0; at = text.indexOf(10, at + 1)) if (text[at - 1] !== 13) return true;
  return false;
}
