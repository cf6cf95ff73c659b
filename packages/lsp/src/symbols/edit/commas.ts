/** How far a comma is looked for. */
const MOST_READ = 2_000;
const BLANKS_OR_COMMENT = /\s+|(?:\/\/|#|--)[^\n]*|\/\*[\s\S]*?\*\//y;
/** A line of code up to a comment that ends it and is in no string. A block comment may have more lines. */
const CODE_AND_COMMENT =
  /^((?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`|(?!\/\/|(?<=[\s,])(?:#|--))[^"'`])*)((?:\/\/|#|--).*|\/\*(?:(?!\*\/)[\s\S])*\*\/[ \t]*)$/;

/** Returns the byte of the comma that follows a declaration, beyond white space and comments; -1 if none follows. */
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

/** Splits the comment behind the last line of code, with the blanks in front of it, from the end of code. */
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
