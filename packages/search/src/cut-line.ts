/** Characters of a line that are shown (seeds/jinn-tool-reference, search_files). */
const MAX_CHARACTERS = 200;
/** Characters before the match, where it would not be seen from the beginning of the line. */
const BEFORE = 60;

/**
 * Cuts a long line to a window with the match in it, between characters. Positions are those of String; dots stand
 * for what was cut.
 */
export function cutLine(line: string, start = 0, end = 0): string {
  if (line.length <= MAX_CHARACTERS) return line;
  const head = firstCharacters(line, MAX_CHARACTERS);
  if (head.length === line.length) return line;
  if (end <= head.length) return `${head}...`;
  const before = lastCharacters(line.slice(Math.max(0, start - 2 * BEFORE - 1), start), BEFORE);
  const rest = firstCharacters(line.slice(start), MAX_CHARACTERS - [...before].length);
  const isCutBefore = start > before.length;
  const isCutAfter = start + rest.length < line.length;
  return `${isCutBefore ? '...' : ''}${before}${rest}${isCutAfter ? '...' : ''}`;
}

function firstCharacters(text: string, count: number): string {
  return Array.from(text.slice(0, 2 * count))
    .slice(0, count)
    .join('');
}

function lastCharacters(text: string, count: number): string {
  return Array.from(text).slice(-count).join('');
}
