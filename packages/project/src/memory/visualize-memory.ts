import type { MemoryEntry } from '@jinn/core';
import type { Visualization } from '@jinn/core/visualization';

const MAX_ROWS = 200;
const MAX_VALUE = 500;

const COLUMNS = [
  { key: 'key', label: 'Key' },
  { key: 'value', label: 'Text' },
  { key: 'pinned', label: 'Pinned' },
  { key: 'updated', label: 'Saved' },
  { key: 'expires', label: 'Expires' },
];

/** Shows entries as a table, with the columns that are not empty. `total` also counts entries that are not shown. */
export async function visualizeEntries(entries: AsyncIterable<MemoryEntry>, total: number): Promise<Visualization> {
  if (total === 0) return { type: 'none', message: 'nothing is saved' };
  const rows: Record<string, unknown>[] = [];
  for await (const entry of entries) {
    if (rows.push(toRow(entry)) === MAX_ROWS) break;
  }
  const columns = COLUMNS.filter(({ key }) => rows.some((row) => Object.hasOwn(row, key)));
  return { type: 'table', columns, rows, totalRows: total, ...(rows.length < total && { hasMore: true }) };
}

function toRow({ key, value, pinned, updated, expires }: MemoryEntry): Record<string, unknown> {
  return {
    key,
    value: value.length <= MAX_VALUE ? value : `${value.slice(0, MAX_VALUE).toWellFormed()}…`,
    ...(pinned && { pinned: 'yes' }),
    updated,
    ...(expires && { expires: expires.toISOString() }),
  };
}
