import type { CallHead } from '../journal/read-journal.ts';

/** Reports whether a process runs. */
export function isAlive(pid: number): boolean {
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
