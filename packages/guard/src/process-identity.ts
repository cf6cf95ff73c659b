import fs from 'node:fs';

/** A process, told apart from a later one with the same pid. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, in whatever unit the system tells; compared as text. */
  readonly start: string;
  /** The space in which the pid counts: a container has its own. */
  readonly space: string;
}

let own: ProcessIdentity | undefined;

/** Returns the identity of this process. */
export function ownIdentity(): ProcessIdentity {
  own ??= { pid: process.pid, start: startOf(process.pid) ?? '', space: pidSpace() };
  return own;
}

/** Says whether a process still runs; undefined when it cannot be asked from here (another container). */
export function isAlive({ pid, start, space }: ProcessIdentity): boolean | undefined {
  if (space !== ownIdentity().space) return undefined;
  return pid === process.pid ? start === ownIdentity().start : startOf(pid) === start;
}

/** Returns undefined if no such process runs. */
function startOf(pid: number): string | undefined {
  return process.platform === 'linux' ? startFromProc(pid) : startFromPs(pid);
}

/** Fields 3 (state) and 22 (start, in clock ticks since boot) of proc(5) stat; a name in it may hold blanks. */
function startFromProc(pid: number): string | undefined {
  let stat: string;
  try {
    stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return undefined;
  }
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state] = fields;
  return state === 'Z' || state === 'X' ? undefined : fields[19];
}

function startFromPs(pid: number): string | undefined {
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  const { stdout } = spawnSync('/bin/ps', ['-o', 'lstart=', '-p', String(pid)], {
    encoding: 'utf8',
    env: { LC_ALL: 'C', TZ: 'UTC' },
  });
  return stdout?.trim().replace(/\W+/g, '-') || undefined;
}

function pidSpace(): string {
  try {
    return fs.readlinkSync('/proc/self/ns/pid').replace(/\D/g, '');
  } catch {
    return '0';
  }
}
