import { linesOf, type Painter, type Style, toLine, wrap } from './terminal-text.ts';

const FENCE = /^ {0,3}(?:```|~~~)/;
const HEADING = /^#{1,6}\s+/;
const BULLET = /^(\s*)[-*+]\s+/;
const QUOTE = /^>\s?/;
/** The lengths are bounded, so that no line takes long. */
const INLINE = /`([^`]{1,200})`|\*\*([^*]{1,200})\*\*/g;
const LINK = /\[([^[\]]{1,200})\]\(([^()\s]{1,500})\)/g;

/** Writes Markdown for a terminal: headings, lists, quotes, code, links and bold text; all else unchanged. */
export function* renderMarkdown(content: string, width: number, paint: Painter): Iterable<string> {
  let isCode = false;
  for (const given of linesOf(content.replaceAll('\r\n', '\n'))) {
    const line = toLine(given);
    if (FENCE.test(line)) isCode = !isCode;
    else if (isCode) yield* wrap(line, width - 2).map((piece) => paint('cyan', `  ${piece}`.trimEnd()));
    else yield* renderLine(line, width, paint);
  }
}

function renderLine(line: string, width: number, paint: Painter): string[] {
  if (HEADING.test(line)) return block(line.replace(HEADING, ''), { width, paint, style: 'bold' });
  if (QUOTE.test(line)) return block(line.replace(QUOTE, ''), { width, paint, style: 'dim', first: '│ ', next: '│ ' });
  const bullet = BULLET.exec(line);
  if (!bullet) return block(line, { width, paint });
  const indent = (bullet[1] ?? '').slice(0, Math.floor(width / 4));
  return block(line.slice(bullet[0].length), { width, paint, first: `${indent}• `, next: `${indent}  ` });
}

interface Block {
  readonly width: number;
  readonly paint: Painter;
  readonly style?: Style;
  /** The text before the first line, and before the lines behind it. */
  readonly first?: string;
  readonly next?: string;
}

function block(text: string, { width, paint, style, first = '', next = '' }: Block): string[] {
  const plain = text.replace(LINK, '$1 <$2>');
  const pieces = wrap(plain, width - first.length, { atWords: true });
  return pieces.map(
    (piece, i) => (i === 0 ? first : next) + (style ? paint(style, unmark(piece)) : inline(piece, paint)),
  );
}

function unmark(text: string): string {
  return text.replace(INLINE, (all, code, bold) => code ?? bold ?? all);
}

function inline(text: string, paint: Painter): string {
  return text.replace(INLINE, (all, code, bold) => {
    if (code !== undefined) return paint('cyan', code);
    return bold === undefined ? all : paint('bold', bold);
  });
}
