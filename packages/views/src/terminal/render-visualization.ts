import { stripVTControlCharacters } from 'node:util';
import type { Visualization, VisualizationOf } from '@jinn/core/visualization';
import {
  createPaint,
  fit,
  linesOf,
  type Painter,
  pad,
  type Style,
  toTerminalLine,
  widthOf,
  wrap,
} from './terminal-text.ts';

const FENCE = /^ {0,3}(?:```|~~~)/;
const HEADING = /^#{1,6}\s+/;
const BULLET = /^(\s*)[-*+]\s+/;
const QUOTE = /^>\s?/;

/** The lengths are bounded, so that no line takes long. */
const INLINE = /`([^`]{1,200})`|\*\*([^*]{1,200})\*\*/g;
const LINK = /\[([^[\]]{1,200})\]\(([^()\s]{1,500})\)/g;

interface Block {
  readonly width: number;
  readonly paint: Painter;
  readonly style?: Style;
  /** The text before the first line, and before the lines after it. */
  readonly first?: string;
  readonly next?: string;
}

const GAP = '  ';

/** A column is at least this wide, unless the terminal itself is narrower. */
const MIN_COLUMN = 4;

const MIN_WIDTH = 20;
const MAX_LINES = 500;

export interface RenderOptions {
  /** The columns of the terminal. 20 if there are fewer. */
  readonly width: number;
  readonly color: boolean;
  /** The most lines below the heading. 500 if absent. */
  readonly maxLines?: number;
}

/**
 * Writes a visualization for a terminal, line by line. No line is wider than the terminal, and no control character of
 * the content is among them. Only the heading of a collapsed visualization is written.
 */
export function renderVisualization(visualization: Visualization, options: RenderOptions): string[] {
  const { color, maxLines = MAX_LINES } = options;
  const width = Math.max(MIN_WIDTH, Math.floor(options.width));
  const paint = createPaint(color);
  const { title, collapsed = false } = visualization;
  const { heading, body } = render(visualization, { width, paint, maxLines });
  const named = [title === undefined ? '' : toTerminalLine(title), heading].filter(Boolean).join(' · ');
  const lines = named === '' ? [] : wrap(named, width, { atWords: true }).map((line) => paint('bold', line));
  if (collapsed) return [...lines, paint('dim', '… collapsed')];
  let left = maxLines;
  for (const line of body) {
    if (left-- === 0) return [...lines, paint('dim', '… more not shown')];
    lines.push(line);
  }
  return lines;
}

interface RenderedBlock {
  /** The heading, safe to print. Empty for none. */
  readonly heading: string;
  /** Yields the body, which is only written as far as it is shown. */
  readonly body: Iterable<string>;
}

interface Terminal {
  readonly width: number;
  readonly paint: Painter;
  readonly maxLines: number;
}

function render(visualization: Visualization, terminal: Terminal): RenderedBlock {
  switch (visualization.type) {
    case 'diff':
      return { heading: headingOf(visualization), body: renderDiff(visualization, terminal) };
    case 'diffs':
      return { heading: plural(visualization.items.length, 'file'), body: renderDiffs(visualization, terminal) };
    case 'code':
      return renderCode(visualization, terminal);
    case 'file-list':
      return renderFileList(visualization, terminal);
    case 'table':
      return { heading: '', body: renderTable(visualization, terminal) };
    case 'markdown':
      return { heading: '', body: renderDocument(visualization, terminal) };
    case 'shell-output':
      return { heading: '', body: renderShellOutput(visualization, terminal) };
    case 'todo-list':
      return renderTodoList(visualization, terminal);
    case 'none': {
      const message = toTerminalLine(visualization.message ?? 'Success');
      return { heading: '', body: wrap(`✓ ${message}`, terminal.width, { atWords: true }) };
    }
  }
}

function headingOf({ path, additions, deletions }: VisualizationOf<'diff'>): string {
  return `${toTerminalLine(path)} +${additions} -${deletions}`;
}

function* renderDiff({ hunks }: VisualizationOf<'diff'>, { width, paint }: Terminal): Iterable<string> {
  const last = hunks.at(-1);
  const digits = last ? String(Math.max(last.oldStart + last.oldLines, last.newStart + last.newLines)).length : 1;
  for (const { oldStart, oldLines, newStart, newLines, changes } of hunks) {
    yield paint('cyan', fit(`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`, width));
    for (const { type, content, oldLineNumber, newLineNumber } of changes) {
      const { sign, style } = SIGNS[type];
      const gutter = `${toColumn(oldLineNumber, digits)} ${toColumn(newLineNumber, digits)} ${sign} `;
      yield* withGutter(gutter, toTerminalLine(content), { width, paint, style });
    }
  }
}

const SIGNS = {
  added: { sign: '+', style: 'green' },
  removed: { sign: '-', style: 'red' },
  context: { sign: ' ', style: undefined },
} as const;

function toColumn(number: number | undefined, digits: number): string {
  return (number === undefined ? '' : String(number)).padStart(digits);
}

interface LineStyle {
  readonly width: number;
  readonly paint: Painter;
  readonly style: Style | undefined;
}

function withGutter(gutter: string, line: string, { width, paint, style }: LineStyle): string[] {
  // A gutter that leaves too little room for the text loses its start: the sign at its end matters most.
  const shown = gutter.slice(-Math.floor(width / 2));
  const pieces = wrap(line, width - shown.length);
  return pieces.map((piece, i) => paint(style, ((i === 0 ? shown : ' '.repeat(shown.length)) + piece).trimEnd()));
}

function* renderDiffs({ items }: VisualizationOf<'diffs'>, terminal: Terminal): Iterable<string> {
  for (const [i, item] of items.entries()) {
    if (i > 0) yield '';
    for (const line of wrap(headingOf(item), terminal.width)) yield terminal.paint('bold', line);
    yield* renderDiff(item, terminal);
  }
}

function renderCode(code: VisualizationOf<'code'>, terminal: Terminal): RenderedBlock {
  const { path, content, language, created } = code;
  const lines = linesOf(content);
  // Without `created` there is no remark: the file may only have been read.
  const made = created === undefined ? undefined : created ? 'created' : 'overwritten';
  const facts = [made, language && toTerminalLine(language), plural(code.lineCount ?? lines.length, 'line')];
  const heading = `${toTerminalLine(path)} (${facts.filter(Boolean).join(', ')})`;
  return { heading, body: numberLines(lines, new Set(code.highlightLines), terminal) };
}

function* numberLines(
  lines: readonly string[],
  marked: ReadonlySet<number>,
  { width, paint }: Terminal,
): Iterable<string> {
  const digits = String(lines.length).length;
  for (const [i, line] of lines.entries()) {
    const isMarked = marked.has(i + 1);
    const gutter = `${isMarked ? '>' : ' '} ${toColumn(i + 1, digits)} `;
    yield* withGutter(gutter, toTerminalLine(line), { width, paint, style: isMarked ? 'yellow' : undefined });
  }
}

const ICONS = { edit: '~ ', plus: '+ ', trash: '- ', search: '? ' } as const;
const ACTIONS = { created: 'green', modified: 'yellow', deleted: 'red' } as const;

type FileList = VisualizationOf<'file-list'>;
type ListedFile = NonNullable<FileList['files']>[number];

function renderFileList(list: FileList, terminal: Terminal): RenderedBlock {
  const { groups = [], files = [], total } = list;
  const listed = groups.reduce((sum, group) => sum + group.files.length, files.length);
  const heading = total !== undefined && total > listed ? `${listed} of ${total} files` : plural(listed, 'file');
  return { heading, body: listFiles(list, terminal) };
}

function* listFiles({ groups = [], files = [] }: FileList, terminal: Terminal): Iterable<string> {
  const { width, paint } = terminal;
  for (const { label, icon, files: members } of groups) {
    const sign = icon === undefined ? '' : ICONS[icon];
    yield paint('cyan', fit(`${sign}${toTerminalLine(label)} (${members.length})`, width));
    for (const file of members) yield renderFile(file, '  ', terminal);
  }
  for (const file of files) yield renderFile(file, '', terminal);
}

function renderFile({ path, action, line, content }: ListedFile, indent: string, { width, paint }: Terminal): string {
  const place = `${indent}${toTerminalLine(path)}${line === undefined ? '' : `:${line}`}${action ? ` [${action}]` : ''}`;
  const shown = content === undefined ? place : `${place}  ${toTerminalLine(content.trim())}`;
  return paint(action && ACTIONS[action], fit(shown, width));
}

function* renderDocument(document: VisualizationOf<'markdown'>, { width, paint }: Terminal): Iterable<string> {
  yield* renderMarkdown(document.content, width, paint);
  if (document.sourceUrl === undefined) return;
  for (const line of wrap(`source: ${toTerminalLine(document.sourceUrl)}`, width)) yield paint('dim', line);
}

function* renderShellOutput(shell: VisualizationOf<'shell-output'>, { width, paint }: Terminal): Iterable<string> {
  const { command, stdout = '', stderr = '', exitCode } = shell;
  const write = function* (text: string, style: Style | undefined): Iterable<string> {
    for (const line of linesOf(text)) for (const piece of wrap(toTerminalLine(line), width)) yield paint(style, piece);
  };
  yield* write(`$ ${command}`, 'bold');
  if (stdout !== '') yield* write(withoutColors(stdout), undefined);
  if (stderr !== '') {
    yield paint('dim', 'stderr:');
    yield* write(withoutColors(stderr), 'red');
  }
  yield paint(exitCode === 0 ? 'green' : 'red', `[exit ${exitCode}]`);
}

function withoutColors(text: string): string {
  return stripVTControlCharacters(text).replaceAll('\r\n', '\n');
}

const BOXES = { completed: '[x] ', in_progress: '[~] ', pending: '[ ] ', cancelled: '[-] ' } as const;
const TODO_STYLES = { completed: 'green', in_progress: 'yellow', pending: undefined, cancelled: 'dim' } as const;

function renderTodoList({ items }: VisualizationOf<'todo-list'>, { width, paint }: Terminal): RenderedBlock {
  const completed = items.filter(({ status }) => status === 'completed').length;
  const body = items.flatMap(({ content, status, priority = 'medium' }) => {
    const text = toTerminalLine(content) + (priority === 'medium' ? '' : ` (${priority})`);
    return withGutter(BOXES[status], text, { width, paint, style: TODO_STYLES[status] });
  });
  return { heading: `${plural(items.length, 'task')}, ${completed} completed`, body };
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/**
 * Writes a table with aligned columns, each as wide as its cells if there is room. The `width` of a column is for
 * clients that draw, and is ignored here.
 */
function* renderTable(table: VisualizationOf<'table'>, { width, paint, maxLines }: Terminal): Iterable<string> {
  const { columns, rows } = table;
  // Columns for which the terminal has no room are omitted.
  const shown = columns.slice(0, Math.floor((width + GAP.length) / (1 + GAP.length)));
  const head = shown.map(({ key, label = key }) => toTerminalLine(label));
  const cells = rows.slice(0, maxLines).map((row) => shown.map(({ key }) => toCell(row, key)));
  const natural = head.map((label, i) => Math.max(1, widthOf(label), ...cells.map((row) => widthOf(row[i] ?? ''))));
  const widths = shrink(natural, width - GAP.length * (shown.length - 1));
  const write = (row: readonly string[]) =>
    row
      .map((cell, i) => pad(cell, widths[i] ?? 0))
      .join(GAP)
      .trimEnd();
  if (shown.length > 0) {
    yield paint('bold', write(head));
    yield paint('dim', widths.map((count) => '─'.repeat(count)).join(GAP));
    for (const row of cells) yield write(row);
  }
  const foot = footOf(table, cells.length);
  if (foot !== undefined) yield paint('dim', fit(foot, width));
}

function toCell(row: Readonly<Record<string, unknown>>, key: string): string {
  const value = Object.hasOwn(row, key) ? row[key] : undefined;
  if (value === undefined || value === null) return '';
  return toTerminalLine(typeof value === 'string' ? value : JSON.stringify(value));
}

function footOf({ rows, totalRows = rows.length, hasMore }: VisualizationOf<'table'>, shown: number) {
  const total = Math.max(totalRows, rows.length);
  if (total > shown) return `${shown} of ${total} rows`;
  if (hasMore) return `${shown} rows, and more`;
  return shown === 0 ? 'no rows' : undefined;
}

function shrink(natural: readonly number[], room: number): number[] {
  const least = Math.max(1, Math.min(MIN_COLUMN, Math.floor(room / Math.max(1, natural.length))));
  let limit = Math.min(room, Math.max(...natural, least));
  const used = () => natural.reduce((sum, width) => sum + Math.min(width, limit), 0);
  while (limit > least && used() > room) limit--;
  return natural.map((width) => Math.min(width, limit));
}

function* renderMarkdown(content: string, width: number, paint: Painter): Iterable<string> {
  let isCode = false;
  for (const given of linesOf(content.replaceAll('\r\n', '\n'))) {
    const line = toTerminalLine(given);
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

function block(text: string, { width, paint, style, first = '', next = '' }: Block): string[] {
  const plain = text.replace(LINK, '$1 <$2>');
  const pieces = wrap(plain, width - first.length, { atWords: true });
  return pieces.map(
    (piece, i) =>
      (i === 0 ? first : next) + (style ? paint(style, piece.replace(INLINE, '$1$2')) : inline(piece, paint)),
  );
}

function inline(text: string, paint: Painter): string {
  return text.replace(INLINE, (_, code, bold) => (code === undefined ? paint('bold', bold) : paint('cyan', code)));
}
