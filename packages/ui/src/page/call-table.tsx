import { Icon } from '@jinn/views/show/icon';
import { RowTable } from '@jinn/views/show/row-table';
import { toShown } from '@jinn/views/text/shown-text';
import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import type { CallRow } from './page-api.ts';

/** The widths of the columns, in characters; the main argument gets the rest. */
const COLUMNS = { Time: '10ch', State: '12ch', Tool: '18ch', What: '', Where: '22ch', Took: '10ch', Tokens: '14ch' };

interface CallTableProps {
  readonly rows: readonly CallRow[];
  readonly chosen: string | undefined;
  readonly choose: (id: string) => void;
}

/** Lists calls in rows of one line. A row is drawn once, so that one more call costs no more if there are many. */
export function CallTable({ rows, chosen, choose }: CallTableProps) {
  const { current: drawn } = useRef(new WeakMap<CallRow, VNode>());
  const draw = (row: CallRow) => {
    const cells = drawn.get(row) ?? <CallCells row={row} choose={choose} />;
    drawn.set(row, cells);
    return cells;
  };
  return (
    <RowTable
      label="Calls"
      kind="data"
      count={rows.length}
      columns={7}
      rowKey={(i) => rows[i]?.id ?? i}
      rowClass={(i) => (rows[i]?.id === chosen ? 'marked' : '')}
      head={
        <>
          <colgroup>
            {Object.values(COLUMNS).map((width, i) => (
              <col key={i} style={{ width }} />
            ))}
          </colgroup>
          <thead>
            <tr aria-rowindex={1}>
              {Object.keys(COLUMNS).map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
        </>
      }
      row={(i) => rows[i] && draw(rows[i])}
    />
  );
}

function CallCells({ row, choose }: { row: CallRow; choose: (id: string) => void }) {
  const { id, time, tool, what, client, door, workspace, ms, tokens } = row;
  return (
    <>
      <td>{timeOf(time)}</td>
      <td>
        <CallState row={row} />
      </td>
      <td>
        <button type="button" onClick={() => choose(id)} aria-label={`Show ${toShown(tool)} ${toShown(what)}`}>
          <bdi>{toShown(tool)}</bdi>
        </button>
      </td>
      <td>
        <bdi>{toShown(what)}</bdi>
      </td>
      <td>
        <bdi>{toShown(`${client ?? door} · ${folderOf(workspace)}`)}</bdi>
      </td>
      <td>{ms === undefined ? '' : took(ms)}</td>
      <td>{tokens ? `${tokens[0]} → ${tokens[1]}` : ''}</td>
    </>
  );
}

/** Shows how far a call is, or how it ended. */
export function CallState({ row: { k, ok, code } }: { row: CallRow }) {
  if (k === 'start') {
    return (
      <span class="warn">
        <Icon name="in_progress" />
        running
      </span>
    );
  }
  if (ok) return <span class="good">ok</span>;
  return <span class="bad">{code === 'died' ? 'died' : code === 'approval_required' ? 'refused' : 'failed'}</span>;
}

/** Returns how long something took. */
export function took(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

/** Returns the time of day. */
export function timeOf(time: number): string {
  return new Date(time).toTimeString().slice(0, 8);
}

/** Returns the name of a directory. */
export function folderOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
