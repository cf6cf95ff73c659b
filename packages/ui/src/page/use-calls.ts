import { useEffect, useState } from 'preact/hooks';
import { buryCalls, type Filters, fits, mergeCalls } from './call-words.ts';
import { type KnownCalls, read } from './page-api.ts';
import { useCallEvents, useLive } from './small-parts.tsx';

const MORE = 5_000;
const SEARCH_MS = 250;

interface CallsOptions {
  /** How many are read at first. */
  readonly first: number;
  /** True to count all that fit, which takes the server a while. */
  readonly counts?: boolean;
  /** Hears of each call that comes. */
  readonly onNew?: () => void;
}

/** Reads the calls that fit, in pages, and adds those that come. */
export function useCalls(filters: Filters, { first, counts, onNew }: CallsOptions) {
  const { breaks } = useLive();
  const [{ rows, next }, setKnown] = useState<KnownCalls>({ rows: [] });
  const [isLoading, setLoading] = useState(true);
  const [count, setCount] = useState<number>();
  const readPage = async (before: string | undefined, isCurrent: () => boolean) => {
    setLoading(true);
    const page = await read<KnownCalls>('calls', { ...filters, before, limit: String(before ? MORE : first) });
    if (!isCurrent()) return;
    setKnown((now) => ({ rows: mergeCalls(page.rows, before ? now.rows : []), next: page.next }));
    setLoading(false);
    if (before || !page.next || !counts) return;
    const all = await read<{ count: number }>('count', { ...filters });
    if (isCurrent()) setCount(all.count);
  };
  useEffect(() => {
    let isCurrent = true;
    setCount(undefined);
    const timer = setTimeout(() => void readPage(undefined, () => isCurrent), filters.text === '' ? 0 : SEARCH_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [filters, breaks]);
  useCallEvents((event) => {
    if (event.type === 'gone') return setKnown((now) => ({ ...now, rows: buryCalls(now.rows, event.pid) }));
    const { row } = event;
    if (!fits(row, filters)) return;
    const isNew = row.k === 'start' || !rows.some(({ id }) => id === row.id);
    setCount((now) => now && now + Number(isNew));
    setKnown((now) => ({ ...now, rows: mergeCalls([row], now.rows) }));
    if (isNew) onNew?.();
  });
  const loadMore = next && !isLoading ? () => void readPage(next, () => true) : undefined;
  return { rows, count: next ? count : undefined, isLoading, loadMore };
}
