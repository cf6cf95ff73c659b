const NONE: ReadonlySet<number> = new Set();
/** The beginning of the last line of a block in languages that close their blocks. */
const CLOSER = /^[ \t]*(?:[)\]}]|end\b)/;

/**
 * Indents code like its new place: the first line loses its indentation, which stands there already, and the others get
 * what it gets. Line ends are `\n`, and none is at the end. The lines of `fixed`, counted from 0 in the result, begin
 * within a string and stay as they are.
 */
export function reindent(code: string, indent: string, fixed: ReadonlySet<number> = NONE): string {
  const [first = '', ...rest] = linesOf(code);
  const own = indentOf(first);
  const placed = rest.map((line, i) => (own === indent || fixed.has(i + 1) ? line : moved(line, own, indent)));
  return [first.slice(own.length), ...placed].join('\n');
}

/** Judges by the indentation of its place whether code lacks that of its first line only; `fixed` is as for `reindent`. */
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

/** Returns a text with the line ends of a content, as its first line has them. */
export function withLineEnds(text: string, content: Buffer): string {
  const first = content.indexOf(10);
  return first > 0 && content[first - 1] === 13 ? text.replaceAll('\n', '\r\n') : text;
}
