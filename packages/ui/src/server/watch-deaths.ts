import { type CallHead, type JournalRow, readDetail } from '../journal/read-journal.ts';
import { writeCall } from '../journal/write-journal.ts';

const CHECK_MS = 1_000;

/**
 * Calls back when a process that made calls is gone, and records the end of its open calls, which it cannot do itself.
 */
export function createDeathWatch(directory: string, onGone: (pid: number) => void) {
  const running = new Map<string, JournalRow>();
  const pids = new Set<number>();
  const writeEnd = ({ at, tokens: _, ...head }: JournalRow) => {
    running.delete(head.id);
    writeCall(
      directory,
      { ...head, k: 'end', ok: false, code: 'died' },
      readDetail(directory, at) ?? { args: undefined },
    );
  };
  /** Processes that were gone at the last look. The last line of such a process may still arrive. */
  let suspected = new Set<number>();
  const check = setInterval(() => {
    const gone = [...pids].filter((pid) => !isAlive(pid));
    for (const pid of gone.filter((each) => suspected.has(each))) {
      pids.delete(pid);
      for (const row of running.values()) if (row.pid === pid) writeEnd(row);
      onGone(pid);
    }
    suspected = new Set(gone);
  }, CHECK_MS);
  return {
    hear: (row: JournalRow) => {
      if (row.code !== 'died') pids.add(row.pid);
      if (row.k === 'start') running.set(row.id, row);
      else running.delete(row.id);
    },
    stop: () => clearInterval(check),
  };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Makes a function that returns the state of calls. A call whose process is gone before it has ended has died. Each
 * process is looked for once.
 */
export function createLifeLook() {
  const known = new Map<number, boolean>();
  return <Head extends CallHead>(head: Head): Head & { readonly isAlive: boolean } => {
    const lives = known.get(head.pid) ?? isAlive(head.pid);
    known.set(head.pid, lives);
    return { ...head, isAlive: lives, ...(head.k === 'start' && !lives && { k: 'end', ok: false, code: 'died' }) };
  };
}
