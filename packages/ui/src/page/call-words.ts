import { plural, shownNumber } from '@jinn/views/text/shown-text';
import { callStateOf, isOfKind } from '../journal/call-state.ts';
import type { CallRow } from './page-api.ts';

/** What tools do, as a verb before what their call is about. Others are named. */
const VERBS: Readonly<Record<string, string>> = {
  read_file: 'Read',
  multi_read: 'Read',
  list_dir: 'List',
  find_files: 'Find',
  search_files: 'Search',
  write_file: 'Write',
  edit_file: 'Edit',
  multi_edit: 'Edit',
  apply_patch: 'Patch',
  search_replace: 'Replace',
  run_shell: 'Run',
  undo: 'Undo:',
  memory: 'Memory:',
};

/** Returns the verb of a call. */
export function verbOf(tool: string): string {
  return (Object.hasOwn(VERBS, tool) && VERBS[tool]) || tool;
}

/** Says how far a call is, or how it ended, with the icon and the color for that. */
export function markOf(row: CallRow, isWaiting: boolean) {
  const state = callStateOf(row);
  if (state === 'running')
    return { icon: 'in_progress', tone: 'warn', text: isWaiting ? 'waiting for you' : 'running' } as const;
  if (state === 'ok') return { icon: 'completed', tone: 'good', text: 'ok' } as const;
  const tone = state === 'stopped' ? 'warn' : 'bad';
  return { icon: 'cancelled', tone, text: row.exit ? `exit ${row.exit}` : state } as const;
}

/** How a question was settled: by an answer, or otherwise. */
export const SETTLED: Readonly<Record<string, string>> = {
  grant: 'allowed by a saved approval',
  once: 'allowed once',
  always: 'allowed, and saved',
  everybody: 'allowed, and saved for everybody',
  deny: 'denied',
  denied: 'denied',
  unanswered: 'asked, and not answered',
  nobody: 'needs approval, and could not ask',
  gone: 'gone: the call was ended, was answered elsewhere, or waited too long',
};

/** Returns how long something took. */
export function took(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  return ms < 60_000
    ? `${(ms / 1_000).toFixed(1)} s`
    : `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
}

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

/** Returns a time of today as `14:03:22`, and another one with its day, as `28 Nov 14:03`. */
export function shownTime(time: number | string): string {
  const date = new Date(time);
  const clock = date.toTimeString();
  if (date.toDateString() === new Date().toDateString()) return clock.slice(0, 8);
  const year = date.getFullYear() === new Date().getFullYear() ? '' : ` ${date.getFullYear()}`;
  return `${DAY.format(date)}${year} ${clock.slice(0, 5)}`;
}

/** Returns the name of a directory. */
export function folderOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1) || path;
}

/** Returns the estimated tokens of a call. */
export function shownTokens([sent, answered]: readonly [number, number]): string {
  return `≈ ${plural(sent, 'token')} in, ${shownNumber(answered)} out`;
}

/** What the user looks for in the list. */
export interface Filters {
  readonly text: string;
  readonly tool: string;
  readonly state: string;
  readonly session: string;
}

export const NO_FILTERS: Filters = { text: '', tool: '', state: '', session: '' };

/** Reports whether a call that starts or ends now matches the filters. A text is only looked for in the shown part. */
export function fits(row: CallRow, { text, tool, state, session }: Filters): boolean {
  if ((tool && row.tool !== tool) || (session && row.session !== session)) return false;
  const shown = `${verbOf(row.tool)} ${row.tool} ${row.what} ${row.client ?? ''}`;
  if (text && !shown.toLowerCase().includes(text.toLowerCase())) return false;
  // The end of a call replaces its start.
  return state === '' || state === 'running' || isOfKind(row, state);
}

/** Adds calls to others, the newest first. The end of a call replaces its start. */
export function mergeCalls(more: readonly CallRow[], known: readonly CallRow[]): readonly CallRow[] {
  const byId = new Map(known.map((row) => [row.id, row]));
  for (const row of more) {
    const present = byId.get(row.id);
    // A process that seemed dead may have written the end after all.
    if (present?.k !== 'end' || (present.code === 'died' && row.k === 'end')) byId.set(row.id, row);
  }
  return [...byId.values()].sort((a, b) => b.time - a.time);
}

/** Marks the calls of a process that is gone. Returns the same list if there are none. */
export function buryCalls(rows: readonly CallRow[], pid: number): readonly CallRow[] {
  if (!rows.some((row) => row.pid === pid)) return rows;
  return rows.map((row) => (row.pid === pid ? { ...row, isAlive: false } : row));
}

/** Makes the name of each call's session from its oldest call, with a dot if its process runs. */
export function nameSessions(rows: readonly CallRow[]): ReadonlyMap<string, string> {
  const alive = new Set(rows.filter(({ isAlive }) => isAlive).map(({ session }) => session));
  return new Map(
    rows.map(({ session, client, door, workspace, time }) => [
      session,
      `${alive.has(session) ? '● ' : ''}${client ?? door} · ${folderOf(workspace)} · ${shownTime(time)}`,
    ]),
  );
}
