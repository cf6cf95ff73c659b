const MOST_READ = 2_000;
const BLANKS_OR_COMMENT = /\s+|(?:\/\/|#|--)[^\n]*|\/\*[\s\S]*?\*\//y;

/** A line of code up to a comment that ends it and is in no string. A block comment may have more lines. */
const CODE_AND_COMMENT =
  /^((?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`|(?!\/\/|(?<=[\s,])(?:#|--))[^"'`])*)((?:\/\/|#|--).*|\/\*(?:(?!\*\/)[\s\S])*\*\/[ \t]*)$/;
const NONE: ReadonlySet<number> = new Set();
/** The start of the last line of a block in languages that close their blocks. */
const CLOSER = /^[ \t]*(?:[)\]}]|end\b)/;

/**
 * Indents code like its place, where the indentation of the first line is already. Line ends are `\n`, with none at
 * the end. Lines of `fixed`, from 0, start within a string and stay.
 */
export function reindent(code: string, indent: string, fixed: ReadonlySet<number> = NONE): string {
  const [first = '', ...rest] = linesOf(code);
  const own = indentOf(first);
  const placed = rest.map((line, i) => (own === indent || fixed.has(i + 1) ? line : moved(line, own, indent)));
  return [first.slice(own.length), ...placed].join('\n');
}

/** Judges whether code lacks the indentation of its place in the first line only. */
export function judgeStripped(
  code: string,
  indent: string,
  fixed: ReadonlySet<number> = NONE,
): 'none' | 'perhaps' | 'likely' {
  const [first = '', ...rest] = linesOf(code);
  const lines = rest.filter((line, i) => line.trim() !== '' && !fixed.has(i + 1));
  const [next, last] = [lines[0], lines.at(-1)];
  if (next === undefined || last === undefined || indent === '' || indentOf(first) !== '') return 'none';
  if (!lines.every((line) => line.startsWith(indent))) return 'none';
  // Without a closing line, the body must be indented more than its head.
  return CLOSER.test(last) || indentOf(next).length > indent.length ? 'likely' : 'perhaps';
}

function linesOf(code: string): string[] {
  return code
    .replace(/\r\n?/g, '\n')
    .replace(/^(?:[ \t]*\n)+/, '')
    .trimEnd()
    .split('\n');
}

function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

function moved(line: string, from: string, to: string): string {
  if (line.trim() === '') return '';
  return line.startsWith(from) ? to + line.slice(from.length) : line;
}

/** Gives a text the line ends of the first line of a content. */
export function withLineEnds(text: string, content: Buffer): string {
  const first = content.indexOf(10);
  return first > 0 && content[first - 1] === 13 ? text.replaceAll('\n', '\r\n') : text;
}

/** Finds the comma after a declaration, beyond white space and comments, or -1 if there is none. */
export function commaAfter(content: Buffer, end: number): number {
  const text = content.toString('latin1', end, end + MOST_READ);
  let at = 0;
  for (;;) {
    BLANKS_OR_COMMENT.lastIndex = at;
    const skipped = BLANKS_OR_COMMENT.exec(text)?.[0].length ?? 0;
    if (skipped === 0) return text[at] === ',' ? end + at : -1;
    at += skipped;
  }
}

/** Splits the comment after the last line of code, with the blanks in front of it, from the end of code. */
export function splitComment(text: string): { readonly code: string; readonly comment: string } {
  const last = text.trimEnd().endsWith('*/') ? text.lastIndexOf('/*') : text.length;
  const lineStart = text.lastIndexOf('\n', last) + 1;
  const before = CODE_AND_COMMENT.exec(text.slice(lineStart))?.[1];
  if (before === undefined || before.trim() === '') return { code: text, comment: '' };
  const at = lineStart + before.trimEnd().length;
  return { code: text.slice(0, at), comment: text.slice(at) };
}

/** Returns code with a comma at its end, in front of a line comment. */
export function withComma(text: string): string {
  const { code, comment } = splitComment(text);
  return code.endsWith(',') ? text : `${code},${comment}`;
}
