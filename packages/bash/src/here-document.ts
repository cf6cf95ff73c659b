import { readDouble } from './expansion.ts';
import { Unparsable } from './limits.ts';
import { Reader } from './reader.ts';
import type { Redirect } from './tree.ts';
import { WordBuilder } from './word-builder.ts';

export interface HereDocument {
  readonly redirect: Redirect;
  readonly delimiter: string;
  /** True if any part of the delimiter is quoted. Bash then expands nothing in the body. */
  readonly quoted: boolean;
  /** True for `<<-`, which removes the tabs at the start of each line. */
  readonly stripsTabs: boolean;
  /** True within `$(…)`, where a line that begins with the delimiter and closes the substitution ends the body too. */
  readonly inSubstitution: boolean;
}

/** Reads the body and the line that ends it, from the start of a line. The end of the text ends it too. */
export function readHereDocument(reader: Reader, document: HereDocument): void {
  const start = reader.pos;
  const lines: string[] = [];
  while (reader.pos < reader.text.length) {
    const at = reader.pos;
    const line = takeLine(reader, document);
    const shown = document.stripsTabs ? line.replace(/^\t+/, '') : line;
    if (shown === document.delimiter) break;
    if (document.inSubstitution && closesSubstitution(shown, document.delimiter)) {
      reader.pos = reader.text.indexOf(document.delimiter, at) + document.delimiter.length;
      break;
    }
    lines.push(shown);
  }
  document.redirect.target = bodyOf(reader, document, { start, text: lines.map((line) => `${line}\n`).join('') });
}

/** Reads a line and returns it without its end. Unless the delimiter is quoted, a backslash at the end joins the next line. */
function takeLine(reader: Reader, { quoted }: HereDocument): string {
  const { text } = reader;
  let line = '';
  for (;;) {
    const newline = text.indexOf('\n', reader.pos);
    const end = newline === -1 ? text.length : newline;
    const part = text.slice(reader.pos, end);
    reader.shared.limits.spend(part.length + 1);
    reader.pos = Math.min(end + 1, text.length);
    if (quoted || end === text.length || !endsInBackslash(part)) return line + part;
    line += part.slice(0, -1);
  }
}

function endsInBackslash(line: string): boolean {
  let count = 0;
  while (line[line.length - 1 - count] === '\\') count++;
  return count % 2 === 1;
}

function closesSubstitution(line: string, delimiter: string): boolean {
  return delimiter !== '' && line.startsWith(delimiter) && line.includes(')', delimiter.length);
}

function bodyOf(reader: Reader, { quoted }: HereDocument, { start, text }: { start: number; text: string }) {
  const word = new WordBuilder(start);
  if (quoted) word.add(text, true);
  else readBody(new Reader(text, reader.shared), word);
  return word.build(reader.pos);
}

function readBody(body: Reader, word: WordBuilder): void {
  const { shared } = body;
  try {
    shared.limits.deeper(() => readDouble(body, word, ''));
  } catch (error) {
    if (!(error instanceof Unparsable) || error.kind === 'limit') throw error;
    shared.brokenText = true;
    word.addUnknown(true);
  }
}
