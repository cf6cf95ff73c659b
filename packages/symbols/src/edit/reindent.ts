const NONE: ReadonlySet<number> = new Set();
/** The beginning of the last line of a block in languages that close their blocks. */
const CLOSER = /^[ \t]*(?:[)\]}]|end\b)/;

/**
 * Indents code like its new place: the first line loses its indentation, which stands there already, and that of the
 * others is adjusted. Code may come with the indentation that it had in the file, without any, or with the first line
 * alone stripped of it. Line ends are `\n`, and none is at the end. The lines of `fixed`, counted from 0 in the result,
 * begin within a string and stay as they are.
 */
export function reindent(code: string, indent: string, fixed: ReadonlySet<number> = NONE): string {
  const text = code
    .replace(/\r\n?/g, '\n')
    .replace(/^(?:[ \t]*\n)+/, '')
    .trimEnd();
  const [first = '', ...rest] = text.split('\n');
  const own = indentOf(first);
  if (own === indent) return text.slice(own.length);
  const move = (to: (line: string) => string) =>
    [first.slice(own.length), ...rest.map((line, i) => (fixed.has(i + 1) ? line : to(line)))].join('\n');
  if (own !== '') return move((line) => moved(line, own, indent));
  const movable = rest.filter((_, i) => !fixed.has(i + 1));
  if (!isDedented(movable, indent.length)) return text;
  return move((line) => (line.trim() === '' ? '' : indent + line));
}

function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

function moved(line: string, from: string, to: string): string {
  if (line.trim() === '') return '';
  return line.startsWith(from) ? to + line.slice(from.length) : line;
}

/** Reports whether the lines after an unindented first line are meant to be indented relative to that line. */
function isDedented(rest: readonly string[], width: number): boolean {
  const lines = rest.filter((line) => line.trim() !== '');
  const last = lines.at(-1);
  if (last === undefined) return false;
  if (lines.some((line) => indentOf(line).length < width)) return true;
  // Without a closing line, the body must be indented more than its head.
  return !CLOSER.test(last) && indentOf(last).length <= width;
}

/** Returns a text with the line ends of a content, as its first line has them. */
export function withLineEnds(text: string, content: Buffer): string {
  const first = content.indexOf(10);
  return first > 0 && content[first - 1] === 13 ? text.replaceAll('\n', '\r\n') : text;
}
