import { plural, toShown } from '@jinn/views/text/shown-text';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { CallCard, CallTable, folderOf, timeOfDay } from './call-table.tsx';
import { type CallEvent, type CallRow, read } from './page-api.ts';
import { ChoiceField } from './small-parts.tsx';

interface Filters {
  readonly text: string;
  readonly tool: string;
  readonly state: string;
  readonly session: string;
}

/** How many calls are read at first: few, so that they show at once. */
const FIRST = 150;
const MORE = 1_000;
const SEARCH_MS = 250;
const STATES = { '': 'all', ok: 'ok', failed: 'failed', running: 'running' };
const NO_FILTERS: Filters = { text: '', tool: '', state: '', session: '' };

interface KnownCalls {
  readonly rows: readonly CallRow[];
  /** The place where older calls start. */
  readonly next?: string;
}

interface CallsTabProps {
  /** Registers a listener for each call that starts or ends, and for processes that end. */
  readonly hear: RefObject<(event: CallEvent) => void>;
  /** A number that grows when calls may have been missed. */
  readonly breaks: number;
}

/** Lists calls, the newest first, with filters, and shows the one that is chosen. */
export function CallsTab({ hear, breaks }: CallsTabProps) {
  const [filters, setFilters] = useState(NO_FILTERS);
  const [chosen, setChosen] = useState<string>();
  const [waiting, setWaiting] = useState<readonly CallRow[]>([]);
  const { rows, next, isLoading, load, add, end } = useCalls(filters, breaks);
  const above = waiting.filter((row) => fits(row, filters));
  const region = useRef<HTMLDivElement>(null);
  hear.current = (event) => {
    if (event.type === 'gone') return end(event.pid);
    const { row } = event;
    // A user who has scrolled down reads. New calls wait above.
    if (region.current?.querySelector('.rows')?.scrollTop) setWaiting((known) => [...known, row]);
    else if (fits(row, filters)) add([row]);
  };
  const show = () => {
    add(above);
    setWaiting([]);
  };
  const call = rows.find(({ id }) => id === chosen);
  // The list becomes lower when a call opens below it.
  useLayoutEffect(() => region.current?.querySelector('.marked')?.scrollIntoView({ block: 'nearest' }), [chosen]);
  return (
    <>
      <CallFilters filters={filters} rows={rows} set={setFilters} />
      <div ref={region} class="calls">
        {above.length > 0 && (
          <button type="button" class="more" onClick={show}>
            {plural(above.length, 'change')} above
          </button>
        )}
        <CallTable rows={rows} chosen={chosen} choose={setChosen} />
        <p class="note" role="status">
          {rows.length === 0 && !isLoading ? 'No call was written down that fits.' : plural(rows.length, 'call')}
        </p>
        {next && (
          <button type="button" class="more" disabled={isLoading} onClick={load}>
            Older calls
          </button>
        )}
      </div>
      {call && <CallCard key={call.id} call={call} close={() => setChosen(undefined)} />}
    </>
  );
}

function useCalls(filters: Filters, breaks: number) {
  const [known, setKnown] = useState<KnownCalls>({ rows: [] });
  const [isLoading, setLoading] = useState(true);
  const fetchRows = async (before: string | undefined, isCurrent: () => boolean) => {
    setLoading(true);
    const query = { ...filters, before, limit: String(before ? MORE : FIRST) };
    const { rows, next } = await read<KnownCalls>('calls', query);
    if (!isCurrent()) return;
    setKnown((now) => ({ rows: merge(rows, before ? now.rows : []), ...(next && { next }) }));
    setLoading(false);
  };
  useEffect(() => {
    let isCurrent = true;
    const timer = setTimeout(() => void fetchRows(undefined, () => isCurrent), filters.text === '' ? 0 : SEARCH_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [filters, breaks]);
  return {
    ...known,
    isLoading,
    load: () => void fetchRows(known.next, () => true),
    add: (rows: readonly CallRow[]) => setKnown((now) => ({ ...now, rows: merge(rows, now.rows) })),
    end: (pid: number) => setKnown((now) => ({ ...now, rows: bury(now.rows, pid) })),
  };
}

interface CallFiltersProps {
  readonly filters: Filters;
  readonly rows: readonly CallRow[];
  readonly set: (filters: Filters) => void;
}

function CallFilters({ filters, rows, set }: CallFiltersProps) {
  const tools = useMemo(() => namesOf(rows, 'tool', filters.tool).sort(), [rows, filters.tool]);
  const sessions = useMemo(() => namesOf(rows, 'session', filters.session), [rows, filters.session]);
  const names = useMemo(() => nameSessions(rows), [rows]);
  const nameOf = (session: string) => names.get(session) ?? (session === '' ? 'all' : session);
  const choice = (label: string, name: keyof Filters, values: readonly string[], names: (value: string) => string) => (
    <ChoiceField
      label={label}
      values={values}
      value={filters[name]}
      names={(value) => toShown(names(value))}
      choose={(value) => set({ ...filters, [name]: value })}
    />
  );
  return (
    <p class="filter">
      <label for="search">Search</label>
      <input
        id="search"
        type="search"
        value={filters.text}
        onInput={(event) => set({ ...filters, text: event.currentTarget.value })}
      />
      {choice('Tool', 'tool', tools, (tool) => tool || 'all')}
      {choice('State', 'state', Object.keys(STATES), (state) => STATES[state as keyof typeof STATES])}
      {choice('Session', 'session', sessions, nameOf)}
      {filters.session && <ExportButton session={filters.session} />}
    </p>
  );
}

function namesOf(rows: readonly CallRow[], key: 'tool' | 'session', chosen: string): string[] {
  return [...new Set(['', ...rows.map((row) => row[key]), chosen])];
}

function ExportButton({ session }: { session: string }) {
  const save = async () => {
    const { html } = await read<{ html: string }>('export', { session });
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([html], { type: 'text/html' }));
    link.download = `jinn-session-${session}.html`;
    link.click();
    URL.revokeObjectURL(link.href);
  };
  return (
    <button type="button" class="more" onClick={() => void save()}>
      Save as a page
    </button>
  );
}

/** Adds calls to others, the newest first. The end of a call replaces its start. */
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

/** Reports whether a call that starts or ends now matches the filters. A text is only looked for in the shown part. */
export function fits(row: CallRow, { text, tool, state, session }: Filters): boolean {
  if ((tool && row.tool !== tool) || (session && row.session !== session)) return false;
  if (text && !`${row.tool} ${row.what} ${row.client ?? ''}`.toLowerCase().includes(text.toLowerCase())) return false;
  // The end of a call replaces its start.
  return state === '' || state === 'running' || (row.k === 'end' && (state === 'ok') === row.ok);
}

/** Makes the name of each call's session from its oldest call, with a dot if its process runs. */
export function nameSessions(rows: readonly CallRow[]): ReadonlyMap<string, string> {
  const alive = new Set(rows.filter(({ isAlive }) => isAlive).map(({ session }) => session));
  return new Map(
    rows.map(({ session, client, door, workspace, time }) => [
      session,
      `${alive.has(session) ? '● ' : ''}${client ?? door} · ${folderOf(workspace)} · ${timeOfDay(time)}`,
    ]),
  );
}
