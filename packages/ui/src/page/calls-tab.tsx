import { plural, toShown } from '@jinn/views/text/shown-text';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { CallList, ROW_HEIGHT } from './call-list.tsx';
import { CallCard } from './call-view.tsx';
import { type Filters, NO_FILTERS, nameSessions } from './call-words.ts';
import type { CallRow } from './page-api.ts';
import { SessionView } from './session-view.tsx';
import { Button, ChoiceField, useKeys } from './small-parts.tsx';
import { useCalls } from './use-calls.ts';

/** How many calls are read at first: few, so that they show at once. */
const FIRST = 150;
const STATES = ['', 'ok', 'failed', 'refused', 'running', 'changes', 'commands'];

export interface CallsTabProps {
  /** The session that is to be shown. It is another object each time. */
  readonly asked: { readonly session: string };
  /** False while another part of the page is shown. */
  readonly isShown: boolean;
}

/** Lists calls, the newest first, and beside them shows the one that is chosen, or else a session. */
export function CallsTab({ asked, isShown }: CallsTabProps) {
  const [filters, setFilters] = useState(NO_FILTERS);
  const [chosen, setChosen] = useState<string>();
  const [isReading, setReading] = useState(false);
  const side = useRef<HTMLDivElement>(null);
  const onNew = () => {
    // What a user reads who has scrolled down stays in its place.
    const list = side.current?.querySelector('.rows');
    if (list?.scrollTop) list.scrollTop += ROW_HEIGHT;
  };
  const { rows, count, isLoading, loadMore } = useCalls(filters, { first: FIRST, counts: true, onNew });
  const call = rows.find(({ id }) => id === chosen);
  // The session that is read stays when a call of another one comes.
  const reading = useRef('');
  const of = rows.find(({ session }) => session === (filters.session || reading.current)) ?? rows[0];
  reading.current = of?.session ?? '';
  const choose = (id: string | undefined, reads = false) => {
    setChosen(id);
    setReading(reads);
  };
  useEffect(() => {
    if (asked.session === '') return;
    setFilters({ ...NO_FILTERS, session: asked.session });
    choose(undefined, true);
  }, [asked]);
  const keys = {
    j: () => moveFocus(1),
    k: () => moveFocus(-1),
    '/': () => document.getElementById('search')?.focus(),
    u: () => (document.activeElement?.closest('.step') ?? document).querySelector<HTMLElement>('.undo-this')?.click(),
    Escape: () => choose(undefined),
  };
  useKeys(keys, isShown);
  return (
    <div class={call || isReading ? 'split opened' : 'split'}>
      <div class="list-side">
        <CallFilters filters={filters} rows={rows} set={setFilters} />
        <div ref={side} class="calls-side">
          {rows.length > 0 && <CallList {...{ rows, chosen, choose }} onEnd={() => loadMore?.()} />}
          {rows.length === 0 && !isLoading && <NoCalls isFiltered={filters !== NO_FILTERS} />}
        </div>
        <p class="answers">
          <span role="status">{rows.length > 0 && countOf(rows.length, count)}</span>
          {rows.length > 0 && <Button press={() => choose(undefined, true)}>Read as a session</Button>}
        </p>
      </div>
      <section class="detail-side" aria-label={call ? 'Call' : 'Session'}>
        <Button look="back" press={() => choose(undefined)}>
          ← Back
        </Button>
        {call && <CallCard key={call.id} call={call} />}
        {!call && of && <SessionView key={of.session} of={of} />}
      </section>
    </div>
  );
}

function countOf(shown: number, count: number | undefined): string {
  if (count === undefined || count <= shown) return plural(shown, 'call');
  return `${shown.toLocaleString('en')} of ${plural(count, 'call')}`;
}

/** Moves the focus to another call, in the list or in the session. Enter opens it. */
function moveFocus(by: number): void {
  const side = document.activeElement?.closest('.list-side, .detail-side') ?? document;
  const calls = [...side.querySelectorAll<HTMLElement>('button.call')].filter((call) => call.offsetParent);
  const at = calls.indexOf(document.activeElement as HTMLElement);
  calls[Math.max(0, at + by)]?.focus();
}

function NoCalls({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <p class="note">No recorded call fits these filters.</p>;
  return (
    <div class="note">
      <p>No calls yet. They appear here while this page is open.</p>
      <p>Connect an agent in your project, and restart it:</p>
      <pre>{'jinn-mcp install claude-code\njinn-mcp install codex      # or cursor, vscode, zed, …'}</pre>
      <p>Or try a call in a terminal:</p>
      <pre>{`echo '{"tool":"list_dir"}' | jinn`}</pre>
    </div>
  );
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
  const choice = (name: keyof Filters, values: readonly string[], names: (value: string) => string | undefined) => (
    <ChoiceField
      label={name}
      values={values}
      value={filters[name]}
      names={(value) => toShown(names(value) ?? (value || `All ${name}s`))}
      choose={(value) => set({ ...filters, [name]: value })}
    />
  );
  return (
    <p class="filter">
      <input
        id="search"
        type="search"
        aria-label="Search"
        placeholder="Search arguments and results"
        value={filters.text}
        onInput={(event) => set({ ...filters, text: event.currentTarget.value })}
      />
      {choice('tool', tools, () => undefined)}
      {choice('state', STATES, () => undefined)}
      {choice('session', sessions, (session) => names.get(session))}
    </p>
  );
}

function namesOf(rows: readonly CallRow[], key: 'tool' | 'session', chosen: string): string[] {
  return [...new Set(['', ...rows.map((row) => row[key]), chosen])];
}
