/** What begins a string, or a comment, which hides the quotes after it. */
const MARK = /'''|"""|```|['"`#]/g;
const INDENTED = /^[ \t]/;
/** A line that is neither blank nor a comment alone, and no part of a body. */
const STATEMENT = /^[^\s#]/;

/**
 * The lines of a justfile in which a recipe may begin: without bodies, and with empty strings, those over several lines
 * on the line on which they begin. Where a string has no end, the lines as they are.
 */
export function statementsOf(text: string, isRecipe: (line: string) => boolean): string[] {
  const lines = text.split(/\r?\n/);
  const statements: string[] = [];
  let open = '';
  let isBody = false;
  for (const line of lines) {
    if (open === '' && isBody && INDENTED.test(line)) continue;
    const [plain, quote] = emptyStrings(line, open);
    const statement = open === '' ? plain : `${statements.pop()}${plain}`;
    statements.push(statement);
    open = quote;
    if (open === '' && STATEMENT.test(statement)) isBody = isRecipe(statement);
  }
  return open === '' ? statements : lines;
}

/** A line, which begins in a string if there is an open quote, and the quote that is open at its end. */
function emptyStrings(line: string, open: string): readonly [plain: string, open: string] {
  let plain = '';
  let at = 0;
  let quote = open;
  for (;;) {
    at = quote === '' ? at : endOf(quote, line, at);
    if (at < 0) return [plain, quote];
    MARK.lastIndex = at;
    const mark = MARK.exec(line);
    if (!mark || mark[0] === '#') return [plain + line.slice(at), ''];
    quote = mark[0];
    plain += `${line.slice(at, mark.index)}''`;
    at = mark.index + quote.length;
  }
}

/** The place behind the closing quote; -1 when it is not on the line. Backslashes escape in double quotes alone. */
function endOf(quote: string, line: string, from: number): number {
  const escaping = quote.startsWith('"') ? '\\' : undefined;
  for (let at = from; at < line.length; at++) {
    if (line[at] === escaping) at++;
    else if (line.startsWith(quote, at)) return at + quote.length;
  }
  return -1;
}
