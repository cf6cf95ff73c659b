const NEWLINE = 10;

function isBlank(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13) || code === 0xfeff || code === 0xa0;
}

/** Reports whether nothing but white space stands before the offset on its line. */
export function startsLine(text: string, offset: number): boolean {
  for (let i = offset - 1; i >= 0; i--) {
    const code = text.charCodeAt(i);
    if (code === NEWLINE) return true;
    if (!isBlank(code)) return false;
  }
  return true;
}

/** Reports whether nothing but white space stands behind the offset on its line. */
export function endsLine(text: string, offset: number): boolean {
  for (let i = offset; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === NEWLINE) return true;
    if (!isBlank(code)) return false;
  }
  return true;
}

/** Reports whether only white space without an empty line stands between the offsets. */
export function areNeighbours(text: string, from: number, to: number): boolean {
  let newlines = 0;
  for (let i = from; i < to; i++) {
    const code = text.charCodeAt(i);
    if (!isBlank(code)) return false;
    if (code === NEWLINE && ++newlines > 1) return false;
  }
  return true;
}

export function areApartByBlanks(text: string, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (!isBlank(text.charCodeAt(i))) return false;
  return true;
}

/** Returns the end of the text in a range without the white space behind it. */
export function trimmedEnd(text: string, start: number, end: number): number {
  let at = end;
  while (at > start && isBlank(text.charCodeAt(at - 1))) at--;
  return at;
}

/** Returns the same end as `trimmedEnd`, but without lines of comments at the end, which start with `mark`. */
export function endBeforeComments(text: string, start: number, end: number, mark: string): number {
  let at = trimmedEnd(text, start, end);
  for (;;) {
    const line = lineStart(text, at);
    if (line <= start || !beginsWith(text, line, mark)) return at;
    at = trimmedEnd(text, start, line);
  }
}

/** Returns the beginning of the comments in the lines above that start with `mark`; -1 if there are none. */
export function commentsAbove(text: string, offset: number, mark: string): number {
  if (!startsLine(text, offset)) return -1;
  let found = -1;
  let line = lineStart(text, offset);
  while (line > 0) {
    line = lineStart(text, line - 1);
    if (!beginsWith(text, line, mark)) return found;
    found = text.indexOf(mark, line);
  }
  return found;
}

function lineStart(text: string, offset: number): number {
  return offset <= 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
}

function beginsWith(text: string, line: number, mark: string): boolean {
  let at = line;
  while (at < text.length && text.charCodeAt(at) !== NEWLINE && isBlank(text.charCodeAt(at))) at++;
  return text.startsWith(mark, at);
}
