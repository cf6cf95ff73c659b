import { isUtf8 } from 'node:buffer';
import { markLength } from './text-content.ts';

type LineEnding = 'lf' | 'crlf' | 'cr' | 'mixed' | 'none';

/** The properties that an editor must keep when it writes a text back. */
interface TextFacts {
  /** `unknown-8bit` is text that is not UTF-8, in an unknown encoding. `binary` has a NUL. */
  readonly encoding: string;
  readonly line_ending: LineEnding;
  readonly bom: 'none' | 'utf-8-bom' | 'utf-16-le' | 'utf-16-be' | 'utf-32-le' | 'utf-32-be';
}

/** Returns the properties of a text. `decoded` is the encoding that it had, and its first bytes. */
export function textFacts(
  text: Buffer,
  { name, head = text }: { readonly name?: string | undefined; readonly head?: Buffer } = {},
): TextFacts {
  const encoding = name ?? (isUtf8(text) ? 'utf-8' : 'unknown-8bit');
  const isMarked = name?.startsWith('utf-') && (head.includes(0xff) || head.includes(0xfe));
  const wide = name?.replace(/^utf-(\d+)([lb]e)$/, 'utf-$1-$2') as TextFacts['bom'];
  return {
    encoding: text.includes(0) ? 'binary' : encoding,
    line_ending: lineEndingOf(text),
    bom: isMarked ? wide : markLength(head) > 0 ? 'utf-8-bom' : 'none',
  };
}

/** Returns how a new text is encoded or ends its lines otherwise than the one that it replaces, or undefined if it does not. */
export function describeRecoding(
  before: readonly [text: Buffer, name: string | undefined],
  after: typeof before,
): string | undefined {
  if (before[0].length === 0 || after[0].length === 0) return undefined;
  const [old, now] = [before, after].map(([text, name]) => textFacts(text, { name })) as [TextFacts, TextFacts];
  const hasEndings = old.line_ending !== 'none' && now.line_ending !== 'none';
  const changed = [nameEncoding, ...(hasEndings ? [nameEnding] : [])].filter((name) => name(old) !== name(now));
  return changed.map((name) => `was ${name(old)}, now ${name(now)}`).join('; ') || undefined;
}

function nameEncoding({ encoding, bom }: TextFacts): string {
  if (encoding === 'utf-8') return bom === 'utf-8-bom' ? 'UTF-8 with a byte order mark' : 'UTF-8';
  return encoding === 'unknown-8bit' ? 'not UTF-8' : encoding;
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
