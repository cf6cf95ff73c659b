import type { JournalRow } from '@jinn/journal/read';
import { Icon } from '../show/icon.tsx';
import { RowTable } from '../show/row-table.tsx';
import { toShown } from '../text/shown-text.ts';

/** The calls that are listed, where older ones begin, and the processes that run. */
export interface KnownCalls {
  readonly rows: readonly JournalRow[];
  readonly next?: string | undefined;
  readonly alive: ReadonlySet<number>;
}

interface CallTableProps {
  readonly known: KnownCalls;
  readonly chosen: string | undefined;
  readonly choose: (id: string) => void;
}

/** Lists calls in rows of one line. */
export function CallTable({ known: { rows, alive }, chosen, choose }: CallTableProps) {
  return (
    <RowTable
      label="Calls"
      kind="data"
      count={rows.length}
      columns={7}
      rowClass={(i) => (rows[i]?.id === chosen ? 'marked' : '')}
      head={
        <>
          <colgroup>
            {['9ch', '10ch', '18ch', '48ch', '20ch', '10ch', '14ch'].map((width, i) => (
              <col key={i} style={{ width }} />
            ))}
          </colgroup>
          <thead>
            <tr aria-rowindex={1}>
              {['Time', 'State', 'Tool', 'What', 'Where', 'Took', 'Tokens'].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
        </>
      }
      row={(i) => {
        const row = rows[i];
        return row && <CallCells row={row} isDead={isDead(row, alive)} choose={() => choose(row.id)} />;
      }}
    />
  );
}

function CallCells({ row, isDead: isGone, choose }: { row: JournalRow; isDead: boolean; choose: () => void }) {
  const { time, tool, what, client, door, workspace, ms, tokens } = row;
  return (
    <>
      <td>{timeOf(time)}</td>
      <td>
        <CallState row={row} isDead={isGone} />
      </td>
      <td>
        <button type="button" onClick={choose} aria-label={`Show ${toShown(tool)} ${toShown(what)}`}>
          <bdi>{toShown(tool)}</bdi>
        </button>
      </td>
      <td>
        <bdi>{toShown(what)}</bdi>
      </td>
      <td>
        <bdi>{toShown(`${client ?? door} · ${folderOf(workspace)}`)}</bdi>
      </td>
      <td class="amount">{ms === undefined ? '' : took(ms)}</td>
      <td class="amount">{tokens ? `${tokens[0]} → ${tokens[1]}` : ''}</td>
    </>
  );
}

/** Says how far a call is, or how it ended. */
export function CallState({ row: { k, ok, code }, isDead: isGone }: { row: JournalRow; isDead: boolean }) {
  if (isGone || code === 'died') return <span class="bad">died</span>;
  if (k === 'start') {
    return (
      <span class="warn">
        <Icon name="in_progress" /> running
      </span>
    );
  }
  return ok ? (
    <span class="good">ok</span>
  ) : (
    <span class="bad">{code === 'approval_required' ? 'refused' : 'failed'}</span>
  );
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

/** Reports whether the process of a call that has begun is gone. */
export function isDead({ k, pid }: JournalRow, alive: ReadonlySet<number>): boolean {
  return k === 'start' && !alive.has(pid);
}
