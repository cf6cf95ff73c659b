import { type JournalRow, readDetail } from '@jinn/journal/read';
import { writeCall } from '@jinn/journal/write';
import { alivePids } from './alive-pids.ts';

const CHECK_MS = 1_000;

/** Writes down the end of calls whose process has died, which cannot do that itself. */
export function createDeathWatch(directory: string) {
  const running = new Map<string, JournalRow>();
  /** Calls whose process was gone at the last look. Their last line may still be on its way. */
  let suspected = new Set<string>();
  const check = setInterval(() => {
    const alive = new Set(alivePids([...running.values()]));
    const gone = [...running.values()].filter(({ pid }) => !alive.has(pid));
    for (const row of gone.filter(({ id }) => suspected.has(id))) {
      running.delete(row.id);
      const { at, tokens: _, ...head } = row;
      const detail = readDetail(directory, at) ?? { args: undefined };
      writeCall(directory, { ...head, k: 'end', ok: false, code: 'died' }, detail);
    }
    suspected = new Set(gone.map(({ id }) => id));
  }, CHECK_MS);
  return {
    hear: (row: JournalRow) => {
      if (row.k === 'start') running.set(row.id, row);
      else running.delete(row.id);
    },
    stop: () => clearInterval(check),
  };
}
