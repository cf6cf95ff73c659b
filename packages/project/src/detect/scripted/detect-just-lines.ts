/** The beginning of a string, or of a comment, in which quotes mean nothing. */
const MARK = /'''|"""|```|['"`#]/g;
const INDENTED = /^[ \t]/;
/** A line that is not blank, not only a comment, and not part of a body. */
const STATEMENT = /^[^\s#]/;

/**
 * Returns the lines of a justfile on which a recipe may begin. Bodies are left out and strings are emptied; a string
 * over several lines is put on its first line. Returns all lines unchanged if a string has no end.
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

/**
 * Empties the strings of a line. `open` is the quote of a string in which the line begins; returns the one in which it
 * ends.
 */
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

/** Returns the index after the closing quote; -1 if it is not on the line. Backslashes escape only in double quotes. */
function endOf(quote: string, line: string, from: number): number {
  const escaping = quote.startsWith('"') ? '\\' : undefined;
  for (let at = from; at < line.length; at++) {
    if (line[at] === escaping) at++;
    else if (line.startsWith(quote, at)) return at + quote.length;
  }
  return -1;
}
