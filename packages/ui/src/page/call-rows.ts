import { folderOf, timeOf } from './call-table.tsx';
import type { CallRow } from './page-api.ts';

export interface Filters {
  readonly text: string;
  readonly tool: string;
  readonly state: string;
  readonly session: string;
}

/** Adds calls to others, the newest first. The end of a call replaces its beginning. */
export function merge(more: readonly CallRow[], known: readonly CallRow[]): readonly CallRow[] {
  const byId = new Map(known.map((row) => [row.id, row]));
  for (const row of more) {
    const present = byId.get(row.id);
    // A process that seemed dead may have written the end after all.
    if (present?.k !== 'end' || (present.code === 'died' && row.k === 'end')) byId.set(row.id, row);
  }
  return [...byId.values()].sort((a, b) => b.time - a.time);
}

/** Marks the calls of a process that is gone. Returns the same list if there are none. */
export function bury(rows: readonly CallRow[], pid: number): readonly CallRow[] {
  if (!rows.some((row) => row.pid === pid)) return rows;
  return rows.map((row) => (row.pid === pid ? { ...row, isAlive: false } : row));
}

/** Reports whether a call that begins or ends now matches the filters. A text is only looked for in the shown part. */
export function fits(row: CallRow, { text, tool, state, session }: Filters): boolean {
  if ((tool && row.tool !== tool) || (session && row.session !== session)) return false;
  if (text && !`${row.tool} ${row.what} ${row.client ?? ''}`.toLowerCase().includes(text.toLowerCase())) return false;
  // The end of a call replaces its beginning.
  return state === '' || state === 'running' || (row.k === 'end' && (state === 'ok') === row.ok);
}

/** Makes the name of each call's session from its oldest call, with a dot if its process runs. */
export function nameSessions(rows: readonly CallRow[]): ReadonlyMap<string, string> {
  const alive = new Set(rows.filter(({ isAlive }) => isAlive).map(({ session }) => session));
  return new Map(
    rows.map(({ session, client, door, workspace, time }) => [
      session,
      `${alive.has(session) ? '● ' : ''}${client ?? door} · ${folderOf(workspace)} · ${timeOf(time)}`,
    ]),
  );
}
