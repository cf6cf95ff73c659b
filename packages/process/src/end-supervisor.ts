import type { ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import type { Socket } from 'node:net';

const TICK_MS = 50;
/** How long a supervisor has before jinn itself ends the processes that the command started. */
const PATIENCE_MS = 500;
const LIMIT_MS = 3_000;

/**
 * Makes a supervisor end everything, by closing its socket. A command may stop it again and again (SIGSTOP), so it is
 * resumed until it ends. If that takes too long, jinn ends its descendants, which it adopts, and it last.
 */
export function endSupervisor({ socket, process: child }: { socket: Socket; process: ChildProcess }): void {
  let waited = 0;
  const timer = setInterval(() => {
    if (child.exitCode !== null || child.signalCode !== null) return clearInterval(timer);
    waited += TICK_MS;
    if (waited >= PATIENCE_MS) for (const pid of descendantsOf(child.pid ?? 0)) kill(pid);
    child.kill(waited < LIMIT_MS ? 'SIGCONT' : 'SIGKILL');
  }, TICK_MS).unref();
  child.kill('SIGCONT');
  socket.end();
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended, or belongs to another user.
  }
}

/** Returns all processes below one, or none without /proc, and none for 0, below which the system lists all. */
export function descendantsOf(ancestor: number): number[] {
  if (ancestor <= 0) return [];
  const children = new Map<number, number[]>();
  for (const pid of processes()) {
    const parent = parentOf(pid);
    children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  const found: number[] = [];
  for (let pids = children.get(ancestor) ?? []; pids.length > 0; ) {
    found.push(...pids);
    pids = pids.flatMap((pid) => children.get(pid) ?? []);
  }
  return found;
}

function processes(): number[] {
  if (process.platform !== 'linux') return [];
  return fs.readdirSync('/proc').map(Number).filter(Boolean);
}

/** Field 4 of proc(5) stat. The name before it may hold blanks and parentheses. 0 if the process has ended. */
function parentOf(pid: number): number {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return 0;
  }
}
