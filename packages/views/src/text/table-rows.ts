import { toShown } from './shown-text.ts';

export type TableRow = Readonly<Record<string, unknown>>;

/** The order of a table, and the text that its rows must hold. */
export interface TableOrder {
  readonly key?: string | undefined;
  readonly isDescending?: boolean;
  readonly filter?: string;
}

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** Returns the text of a cell. Security: an inherited member of a row is not one of its cells. */
export function cellText(row: TableRow, key: string): string {
  return Object.hasOwn(row, key) ? toShown(row[key]) : '';
}

/** Returns the numbers of the rows that are shown, in their order. */
export function orderRows(rows: readonly TableRow[], keys: readonly string[], order: TableOrder): number[] {
  const { key, isDescending = false, filter = '' } = order;
  const wanted = filter.trim().toLowerCase();
  const holds = (row: TableRow) => keys.some((each) => cellText(row, each).toLowerCase().includes(wanted));
  const shown = rows.flatMap((row, i) => (wanted === '' || holds(row) ? [i] : []));
  if (key === undefined) return shown;
  const values = new Map(shown.map((i) => [i, sortValue(rows[i] ?? {}, key)]));
  const sign = isDescending ? -1 : 1;
  return shown.sort((a, b) => sign * compare(values.get(a) ?? '', values.get(b) ?? '') || a - b);
}

function sortValue(row: TableRow, key: string): number | string {
  const value = Object.hasOwn(row, key) ? row[key] : undefined;
  return typeof value === 'number' ? value : toShown(value);
}

function compare(a: number | string, b: number | string): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1;
  return collator.compare(String(a), String(b));
}
