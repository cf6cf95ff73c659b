import type { VisualizationOf } from '@jinn/core/visualization';
import { useId, useMemo, useState } from 'preact/hooks';
import { plural, toShown } from '../text/shown-text.ts';
import { Card } from './card.tsx';
import { RowTable } from './row-table.tsx';

type TableRow = Readonly<Record<string, unknown>>;

interface TableOrder {
  readonly key?: string | undefined;
  readonly isDescending?: boolean;
  readonly filter?: string;
}

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

type Table = VisualizationOf<'table'>;
type Column = Table['columns'][number];

/** The rows by which the width of a column is chosen, and its largest width, in characters. */
const MEASURED_ROWS = 200;
const MAX_WIDTH = 60;
/** The room for the button that sorts. */
const SORT_WIDTH = 3;
const WIDTH = /^\d{1,4}(\.\d{1,2})?(px|ch|em|rem|%)$/;

/** Shows a table that can be sorted and filtered. */
export function DataTableView({ table, isOpen }: { table: Table; isOpen: boolean }) {
  const { title, columns, rows, totalRows = 0, hasMore } = table;
  const total = Math.max(totalRows, rows.length);
  const count = total > rows.length ? `${rows.length} of ${plural(total, 'row')}` : plural(rows.length, 'row');
  const lines = () => [
    columns.map(({ key, label = key }) => label),
    ...rows.map((row) => columns.map(({ key }) => cellText(row, key))),
  ];
  return (
    <Card
      title={title ?? 'Table'}
      isOpen={isOpen}
      facts={<span>{hasMore && total <= rows.length ? `${count}, and more` : count}</span>}
      copied={() =>
        `${lines()
          .map((cells) => cells.join('\t'))
          .join('\n')}\n`
      }
      body={() => <TableBody table={table} />}
    />
  );
}

function TableBody({ table: { columns, rows, title } }: { table: Table }) {
  const [order, setOrder] = useState<TableOrder>({});
  const [opened, setOpened] = useState<number>();
  const keys = useMemo(() => columns.map(({ key }) => key), [columns]);
  const widths = useMemo(() => columns.map((column) => widthOf(column, rows)), [columns, rows]);
  const shown = useMemo(() => orderRows(rows, keys, order), [rows, keys, order]);
  const detail = opened === undefined ? undefined : rows[opened];
  return (
    <>
      <TableFilter shown={shown.length} total={rows.length} filter={(filter) => setOrder({ ...order, filter })} />
      <RowTable
        label={toShown(title ?? 'Table')}
        kind="data"
        count={shown.length}
        columns={columns.length + 1}
        head={<TableHead columns={columns} widths={widths} order={order} sort={setOrder} />}
        row={(i) => {
          const at = shown[i] ?? 0;
          return (
            <>
              <td class="number">
                <button key={at} type="button" aria-label={`Show row ${at + 1} whole`} onClick={() => setOpened(at)}>
                  {at + 1}
                </button>
              </td>
              {keys.map((key, column) => (
                <td key={column}>{cellText(rows[at] ?? {}, key)}</td>
              ))}
            </>
          );
        }}
      />
      {detail && <RowDetail columns={columns} row={detail} close={() => setOpened(undefined)} />}
    </>
  );
}

function TableFilter({ shown, total, filter }: { shown: number; total: number; filter: (text: string) => void }) {
  const id = useId();
  return (
    <p class="filter">
      <label for={id}>Filter</label>
      <input id={id} type="search" onInput={(event) => filter(event.currentTarget.value)} />
      <span role="status">{shown < total ? `${shown.toLocaleString('en')} of ${plural(total, 'row')}` : ''}</span>
    </p>
  );
}

interface TableHeadProps {
  readonly columns: readonly Column[];
  readonly widths: readonly string[];
  readonly order: TableOrder;
  readonly sort: (order: TableOrder) => void;
}

function TableHead({ columns, widths, order, sort }: TableHeadProps) {
  const next = (key: string): TableOrder => {
    if (order.key !== key) return { ...order, key, isDescending: false };
    return order.isDescending ? { ...order, key: undefined } : { ...order, isDescending: true };
  };
  return (
    <>
      <colgroup>
        <col class="number" />
        {widths.map((width, i) => (
          <col key={i} style={{ width }} />
        ))}
      </colgroup>
      <thead>
        <tr aria-rowindex={1}>
          <th scope="col">
            <span class="unseen">Row</span>
          </th>
          {columns.map(({ key, label = key }, i) => (
            <th key={i} scope="col" aria-sort={sortOf(key, order)}>
              <button type="button" onClick={() => sort(next(key))}>
                {toShown(label)}
              </button>
            </th>
          ))}
        </tr>
      </thead>
    </>
  );
}

function sortOf(key: string, order: TableOrder): 'ascending' | 'descending' | 'none' {
  if (order.key !== key) return 'none';
  return order.isDescending ? 'descending' : 'ascending';
}

function RowDetail({ columns, row, close }: { columns: readonly Column[]; row: TableRow; close: () => void }) {
  return (
    <aside class="detail" aria-label="Row">
      <button type="button" class="more" onClick={close}>
        Close
      </button>
      <dl>
        {columns.map(({ key, label = key }, i) => (
          <div key={i}>
            <dt>{toShown(label)}</dt>
            <dd>{cellText(row, key)}</dd>
          </div>
        ))}
      </dl>
    </aside>
  );
}

function widthOf({ key, label = key, width }: Column, rows: readonly TableRow[]): string {
  if (typeof width === 'string' && WIDTH.test(width)) return width;
  const cells = rows.slice(0, MEASURED_ROWS).map((row) => cellText(row, key).length);
  const longest = cells.reduce((most, length) => Math.max(most, length), toShown(label).length + SORT_WIDTH);
  return `${Math.min(MAX_WIDTH, longest) + 2}ch`;
}

/** Returns the text of a cell. Security: an inherited member of a row is not one of its cells. */
function cellText(row: TableRow, key: string): string {
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
