import type { JournalRow } from '@jinn/journal/read';

/** Returns the processes of these calls that still run. */
export function alivePids(rows: readonly JournalRow[]): number[] {
  return [...new Set(rows.map(({ pid }) => pid))].filter(isAlive);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
