import type { JournalRow } from '@jinn/journal/read';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { plural, toShown } from '../text/shown-text.ts';
import { CallCard } from './call-card.tsx';
import { CallTable, folderOf, isDead, type KnownCalls, timeOf } from './call-table.tsx';
import { read } from './page-api.ts';
import { Choice } from './small-parts.tsx';

/** Few at first, so that they show at once. */
const FIRST = 150;
const MORE = 1_000;
const SEARCH_MS = 250;
const STATES: Readonly<Record<string, string>> = { '': 'all', ok: 'ok', failed: 'failed', running: 'running' };
const NO_FILTERS = { text: '', tool: '', state: '', session: '' };

type Filters = typeof NO_FILTERS;

interface CallsAnswer {
  readonly rows: readonly JournalRow[];
  readonly next?: string;
  readonly alive: readonly number[];
}

const NONE: KnownCalls = { rows: [], alive: new Set() };

interface CallsTabProps {
  /** The calls that have begun or ended since `take` was called. */
  readonly live: readonly JournalRow[];
  readonly take: () => void;
}

/** Lists calls, the newest first, with filters, and shows the one that is chosen. */
export function CallsTab({ live, take }: CallsTabProps) {
  const [filters, setFilters] = useState<Filters>(NO_FILTERS);
  const [chosen, setChosen] = useState<string>();
  const { known, isLoading, load, add } = useCalls(filters);
  const region = useRef<HTMLDivElement>(null);
  const wanted = live.filter((row) => fits(row, filters));
  const isAtTop = () => (region.current?.querySelector('.rows')?.scrollTop ?? 0) === 0;
  const show = () => {
    add(wanted);
    take();
  };
  // Who has scrolled down reads; what is new waits above.
  useLayoutEffect(() => {
    if (live.length > 0 && isAtTop()) show();
  });
  const call = known.rows.find(({ id }) => id === chosen);
  return (
    <>
      <CallFilters filters={filters} rows={known.rows} alive={known.alive} set={setFilters} />
      <div class="calls">
        <div ref={region}>
          {wanted.length > 0 && !isAtTop() && (
            <button type="button" class="more" onClick={show}>
              {plural(wanted.length, 'change')} above
            </button>
          )}
          <CallTable known={known} chosen={chosen} choose={setChosen} />
          <p class="note" role="status">
            {known.rows.length === 0 && !isLoading
              ? 'No call was written down that fits.'
              : plural(known.rows.length, 'call')}
          </p>
          {known.next && (
            <button type="button" class="more" disabled={isLoading} onClick={load}>
              Older calls
            </button>
          )}
        </div>
        {call && (
          <CallCard key={call.id} call={call} isDead={isDead(call, known.alive)} close={() => setChosen(undefined)} />
        )}
      </div>
    </>
  );
}

/** Reads calls by filters: the newest, and more when it is asked for. */
function useCalls(filters: Filters) {
  const [known, setKnown] = useState<KnownCalls>(NONE);
  const [isLoading, setLoading] = useState(true);
  const fetchRows = useCallback(
    async (before: KnownCalls, isCurrent: () => boolean) => {
      setLoading(true);
      const query = {
        ...filters,
        limit: String(before.next ? MORE : FIRST),
        ...(before.next && { before: before.next }),
      };
      const { rows, next, alive } = await read<CallsAnswer>('calls', query);
      if (!isCurrent()) return;
      setKnown((now) => ({
        rows: merge([...rows].reverse(), before === NONE ? [] : now.rows, false),
        next,
        alive: new Set([...before.alive, ...alive]),
      }));
      setLoading(false);
    },
    [filters],
  );
  useEffect(() => {
    let isCurrent = true;
    const timer = setTimeout(() => void fetchRows(NONE, () => isCurrent), filters.text === '' ? 0 : SEARCH_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [fetchRows, filters.text]);
  return {
    known,
    isLoading,
    load: () => void fetchRows(known, () => true),
    add: (rows: readonly JournalRow[]) =>
      setKnown((now) => ({
        ...now,
        rows: merge(rows, now.rows, true),
        alive: new Set([...now.alive, ...rows.map(({ pid }) => pid)]),
      })),
  };
}

/** Adds calls, which come from the oldest to the newest, to others. An end takes the place of its beginning. */
function merge(more: readonly JournalRow[], known: readonly JournalRow[], areNewer: boolean): readonly JournalRow[] {
  const byId = new Map(known.map((row) => [row.id, row]));
  const fresh = more.filter((row) => {
    const before = byId.get(row.id);
    if (!before || before.k === 'start') byId.set(row.id, row);
    return !before;
  });
  const ids = [...new Set(fresh.map(({ id }) => id))].reverse();
  const order = areNewer ? [...ids, ...known.map(({ id }) => id)] : [...known.map(({ id }) => id), ...ids];
  return order.flatMap((id) => byId.get(id) ?? []);
}

/** Reports whether a call that is told live is wanted. A text is looked for in what is shown of it alone. */
function fits(row: JournalRow, { text, tool, state, session }: Filters): boolean {
  if ((tool && row.tool !== tool) || (session && row.session !== session)) return false;
  if (text && !`${row.tool} ${row.what} ${row.client ?? ''}`.toLowerCase().includes(text.toLowerCase())) return false;
  if (state === '') return true;
  if (row.k === 'start') return state === 'running';
  // One that has ended takes the place of its beginning.
  return state === 'running' || (state === 'ok') === row.ok;
}

interface CallFiltersProps {
  readonly filters: Filters;
  readonly rows: readonly JournalRow[];
  readonly alive: ReadonlySet<number>;
  readonly set: (filters: Filters) => void;
}

function CallFilters({ filters, rows, alive, set }: CallFiltersProps) {
  const tools = useMemo(() => ['', ...new Set(rows.map(({ tool }) => tool))].sort(), [rows]);
  const sessions = useMemo(() => new Map(rows.toReversed().map((row) => [row.session, row])), [rows]);
  const nameOf = (session: string) => {
    const row = sessions.get(session);
    if (!row) return session === '' ? 'all' : session;
    const facts = [row.client ?? row.door, folderOf(row.workspace), timeOf(row.time)];
    return toShown(`${alive.has(row.pid) ? '● ' : ''}${facts.join(' · ')}`);
  };
  const values = ['', ...new Set([...sessions.keys()].reverse()), ...(filters.session ? [filters.session] : [])];
  return (
    <p class="filter">
      <label for="search">Search</label>
      <input
        id="search"
        type="search"
        value={filters.text}
        onInput={(event) => set({ ...filters, text: event.currentTarget.value })}
      />
      <Choice
        label="Tool"
        values={tools.includes(filters.tool) ? tools : [...tools, filters.tool]}
        value={filters.tool}
        names={(tool) => toShown(tool) || 'all'}
        choose={(tool) => set({ ...filters, tool })}
      />
      <Choice
        label="State"
        values={Object.keys(STATES)}
        value={filters.state}
        names={(state) => STATES[state] ?? state}
        choose={(state) => set({ ...filters, state })}
      />
      <Choice
        label="Session"
        values={[...new Set(values)]}
        value={filters.session}
        names={nameOf}
        choose={(session) => set({ ...filters, session })}
      />
      {filters.session && <ExportButton session={filters.session} />}
    </p>
  );
}

/** Saves a session as a file that shows it anywhere. */
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
