import type { VisualizationOf } from '@jinn/core/visualization';
import { fit, type Painter, pad, toLine, widthOf } from './terminal-text.ts';

const GAP = '  ';
/** A column is at least this wide, unless the terminal itself is narrower. */
const MIN_COLUMN = 4;

interface Terminal {
  readonly width: number;
  readonly paint: Painter;
  readonly maxLines: number;
}

/**
 * Writes a table with aligned columns, each as wide as its cells if there is room. The `width` of a column is for
 * clients that draw, and is ignored here.
 */
export function* renderTable(table: VisualizationOf<'table'>, { width, paint, maxLines }: Terminal): Iterable<string> {
  const { columns, rows } = table;
  // Columns for which the terminal has no room are left out.
  const shown = columns.slice(0, Math.floor((width + GAP.length) / (1 + GAP.length)));
  const head = shown.map(({ key, label = key }) => toLine(label));
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
  return toLine(typeof value === 'string' ? value : JSON.stringify(value));
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
