import { isUtf8 } from 'node:buffer';
import { encodingOf, markLength } from './text-content.ts';

type LineEnding = 'lf' | 'crlf' | 'cr' | 'mixed' | 'none';

/** The properties that an editor must keep when it writes a text back. */
interface TextFacts {
  readonly encoding: 'utf-8' | 'utf-16le' | 'utf-16be' | 'binary' | 'unknown-8bit';
  readonly line_ending: LineEnding;
  readonly bom: 'none' | 'utf-8-bom' | 'utf-16-le' | 'utf-16-be';
}

/** `unknown-8bit` is text that is not UTF-8. `binary` has a NUL and no byte order mark of UTF-16. */
export function textFacts(content: Buffer): TextFacts {
  const utf16 = encodingOf(content);
  if (utf16 !== 'bytes') {
    const plain = Buffer.from(content.filter((byte) => byte !== 0));
    return { encoding: utf16, line_ending: lineEndingOf(plain), bom: utf16 === 'utf-16le' ? 'utf-16-le' : 'utf-16-be' };
  }
  const encoding = isUtf8(content) ? 'utf-8' : 'unknown-8bit';
  return {
    encoding: content.includes(0) ? 'binary' : encoding,
    line_ending: lineEndingOf(content),
    bom: markLength(content) > 0 ? 'utf-8-bom' : 'none',
  };
}

/** Returns how a new content is encoded otherwise than the one that it replaces, or undefined if it is not. */
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

function lineEndingOf(text: Buffer): LineEnding {
  const found = new Set<LineEnding>();
  for (let at = text.indexOf(13); at >= 0 && found.size < 2; at = text.indexOf(13, at + 1)) {
    found.add(text[at + 1] === 10 ? 'crlf' : 'cr');
  }
  let lone = text.indexOf(10);
  while (lone > 0 && text[lone - 1] === 13) lone = text.indexOf(10, lone + 1);
  if (lone >= 0) found.add('lf');
  return found.size > 1 ? 'mixed' : ([...found][0] ?? 'none');
}
