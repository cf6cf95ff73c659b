import type { SymbolKind, SyntaxSymbol } from '../symbols.ts';

const MOST_SIGNATURE = 200;
const MOST_DOC = 200;
/** Only this much of a signature is read: the value of a constant may be large. */
const MOST_READ = 2_000;
/** A comment on the last line before a body, after the start of the body or of the list of parameters. */
const LAST_COMMENT = /(?<=[\s:)\]])(?:#|\/\/|--)(?:(?!\s(?:#|\/\/|--))[^\n])*\n\s*$/;

/** A string, or a comment behind something else. A line comment that a line follows. */
const STRING_OR_COMMENT =
  /("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)|(?<=[\s,:([{)\]}])(?:\/\*[\s\S]*?\*\/|(?:\/\/|#(?=\s)|--(?=\s))[^\n]*(?=\n))/g;

/** The names of these start with the kind, as in `impl Frame`, or are the kind. */
const NAMED_BY_KIND: ReadonlySet<string> = new Set<SymbolKind>(['impl', 'extension', 'constructor']);

/** Returns the kind of a symbol and its name or path, with the kind only once. */
export function titleOf(kind: string, name: string): string {
  return NAMED_BY_KIND.has(kind) && `${name} `.startsWith(`${kind} `) ? name : `${kind} ${name}`;
}

/** Returns the declaration of a symbol without its body, on one line of at most 200 characters. */
export function signatureOf(content: Buffer, { signatureStart, end, body }: SyntaxSymbol): string {
  const until = Math.min(body && body.start > signatureStart ? body.start : end, signatureStart + MOST_READ);
  const written = content.toString('utf8', signatureStart, until);
  const code = (body ? written.replace(LAST_COMMENT, '') : written).replace(STRING_OR_COMMENT, '$1');
  const text = code.replace(/\s+/g, ' ').trim();
  return cut(text.replace(/(?:[\s{;,]|=>?|:)+$/, ''), MOST_SIGNATURE);
}

/** Returns the first line of a doc comment that has words, without comment marks, or undefined if there is none. */
export function docLineOf(content: Buffer, { doc }: SyntaxSymbol): string | undefined {
  if (!doc) return undefined;
  const lines = content.toString('utf8', doc.start, Math.min(doc.end, doc.start + MOST_READ)).split('\n');
  const line = lines.map(withoutMarks).find((text) => /[\p{L}\p{N}]/u.test(text));
  return line === undefined ? undefined : cut(line, MOST_DOC);
}

function withoutMarks(line: string): string {
  return line
    .trim()
    .replace(/^@\w*doc\s+/, '')
    .replace(
      /^(?:~[sS]?)?(?:\/\*+!?|\/{2,}!?|\*+\/|\*+(?=\s|$)|#+!?|--+\[*=*\[?|\{-|\(\*+|<!--|[rRuUbBfF]{0,2}(?:"""|'''|"|'))\s*/,
      '',
    )
    .replace(/\s*(?:\*+\/|-\}|\*+\)|-->|\]=*\]|"""|'''|"|')$/, '')
    .replace(/^\|\s+/, '')
    .replace(/^<summary>\s*|\s*<\/summary>$/g, '')
    .trim();
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}
