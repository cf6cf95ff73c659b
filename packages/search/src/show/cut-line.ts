/** The most characters of a line that are shown. */
const MAX_CHARACTERS = 200;
/** A line is shown from its beginning if the match begins among this many characters. */
const HEAD = 100;
/** How many characters before the match are shown otherwise. */
const BEFORE = 60;

/** Cuts a long line, between characters, to a window that shows the beginning of the match; dots replace the rest. */
export function cutLine(line: string, start = 0): string {
  if (line.length <= MAX_CHARACTERS) return line;
  const head = firstCharacters(line, MAX_CHARACTERS);
  if (head.length === line.length) return line;
  if (start <= firstCharacters(line, HEAD).length) return `${head}...`;
  const before = lastCharacters(line.slice(Math.max(0, start - 2 * BEFORE - 1), start), BEFORE);
  const rest = firstCharacters(line.slice(start), MAX_CHARACTERS - BEFORE);
  return `...${before}${rest}${start + rest.length < line.length ? '...' : ''}`;
}

function firstCharacters(text: string, count: number): string {
  return Array.from(text.slice(0, 2 * count))
    .slice(0, count)
    .join('');
}

function lastCharacters(text: string, count: number): string {
  return Array.from(text).slice(-count).join('');
}
