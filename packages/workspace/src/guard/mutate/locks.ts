import fs from 'node:fs';
import { ToolError } from '@jinn/core/errors';
import { foldPath } from '../inode.ts';
import { makePrivateDirectory } from '../private-files.ts';
import { versionOf } from './read-records.ts';

const MAX_WAIT_MS = 10_000;
/** After this, a lock whose holder cannot be asked (another container) counts as left behind. */
const MAX_AGE_MS = 10 * 60 * 1000;
const MAX_POLL_MS = 12;
/** The longest text of a link that every file system takes. */
const MAX_TEXT_BYTES = 1_000;
const OWNER = /^(\d+)\.([\w-]*)\.(\d+)\.([0-9a-z]+)(?: (.*))?$/s;

export interface Lock {
  readonly id: string;
  release(): void;
}

export interface LockRequest {
  readonly path: string;
  readonly asked: string;
  /** Removes what a process left in the workspace that died while it held lock `id` on this file. */
  clean(id: string): void;
}

/**
 * Locks on files, across the processes of a user. A lock is a symbolic link in a private directory. Its text names the
 * holder and the file. A link is made whole or not at all, and is never opened. The lock of a process that died is
 * taken over.
 */
export interface Locks {
  /**
   * Locks all or none, in one order for everybody, so that two calls never wait for each other. Throws `conflict` with
   * the holder's pid if a file stays locked for 10 seconds (or `maxWaitMs`), and the errors of `checkpoint`.
   */
  acquire(requests: readonly LockRequest[], checkpoint: () => Promise<void>): Promise<ReadonlyMap<string, Lock>>;
  /** Returns undefined if the lock is held. */
  tryAcquire(request: LockRequest): Lock | undefined;
  /** Removes the locks and other traces that dead processes left on files below `root` (an absolute real path). */
  clear(root: string, toRequest: (path: string) => LockRequest): void;
}

/** Makes the locks of files. `preferred` is made when it is first needed. See findLockDirectory. */
export function createLocks(preferred: string | undefined, maxWaitMs = MAX_WAIT_MS): Locks {
  let found: string | undefined;
  const directory = () => {
    if (found === undefined) {
      found = findLockDirectory(preferred);
      clearRights(found);
    }
    return found;
  };
  const nameOf = ({ path }: LockRequest) => `${directory()}/${lockName(path)}`;
  return {
    acquire: async (requests, checkpoint) => {
      const held = new Map<string, Lock>();
      const byName = new Map(requests.map((request) => [nameOf(request), request]));
      const deadline = process.uptime() * 1_000 + maxWaitMs; // `performance` would load node:perf_hooks.
      try {
        for (const [name, request] of [...byName].sort(([a], [b]) => (a < b ? -1 : 1))) {
          held.set(name, await waitFor(name, request, () => pause(deadline, checkpoint)));
        }
      } catch (error) {
        for (const lock of held.values()) lock.release();
        throw error;
      }
      return new Map(requests.map((request) => [request.path, held.get(nameOf(request)) as Lock]));
    },
    tryAcquire: (request) => {
      const lock = tryLock(nameOf(request), request);
      return 'release' in lock ? lock : undefined;
    },
    clear: (root, toRequest) => {
      for (const path of deadLocks(directory(), root)) {
        const request = toRequest(path);
        const lock = tryLock(nameOf(request), request);
        if ('release' in lock) lock.release();
      }
    },
  };
}

/** The path is folded: two spellings of a name share a lock on systems that ignore case. A clash costs only a wait. */
function lockName(path: string): string {
  return versionOf(Buffer.from(foldPath(path)));
}

async function waitFor(name: string, request: LockRequest, pauseOrEnd: () => Promise<boolean>): Promise<Lock> {
  for (;;) {
    const found = tryLock(name, request);
    if ('release' in found) return found;
    if (!(await pauseOrEnd())) throw busy(request.asked, found);
  }
}

/** The random length keeps waiters from stepping in time. Returns false at the deadline. */
async function pause(deadline: number, checkpoint: () => Promise<void>): Promise<boolean> {
  await checkpoint();
  await new Promise((resolve) => setTimeout(resolve, 1 + Math.random() * MAX_POLL_MS));
  return process.uptime() * 1_000 < deadline;
}

interface Owner extends ProcessIdentity {
  readonly id: string;
  readonly path: string | undefined;
  readonly text: string;
}

function tryLock(name: string, { path, clean }: Pick<LockRequest, 'path' | 'clean'>): Lock | Owner {
  const lock = makeLock(name, path);
  for (;;) {
    if (makeLink(lock.text, name)) return lock;
    const owner = readOwner(name);
    if (owner && !removeDeadLock(name, owner, clean)) return owner;
  }
}

/**
 * Only the holder of a lock on the lock of a dead process may remove it: otherwise a second process could remove what
 * the first has made instead of it. Returns false if the owner lives, or another process is at it.
 */
function removeDeadLock(name: string, owner: Owner, clean: (id: string) => void): boolean {
  if (isHeld(name, owner)) return false;
  const right = tryLock(`${name}.${owner.id}`, { path: '', clean: () => {} });
  if (!('release' in right)) return false;
  try {
    if (readOwner(name)?.text !== owner.text) return true;
    clean(owner.id);
    fs.unlinkSync(name);
    return true;
  } finally {
    right.release();
  }
}

/** Removes rights to take over a lock that no longer exists. Ids are never used twice, so no process needs them again. */
function clearRights(directory: string): void {
  for (const file of namesIn(directory).filter((each) => each.includes('.'))) {
    const name = `${directory}/${file}`;
    const [lock, id] = [name.slice(0, name.lastIndexOf('.')), name.slice(name.lastIndexOf('.') + 1)];
    const owner = readOwner(name);
    if (owner && readOwner(lock)?.id !== id && !isHeld(name, owner)) fs.rmSync(name, { force: true });
  }
}

function deadLocks(directory: string, root: string): string[] {
  return namesIn(directory).flatMap((file) => {
    const name = `${directory}/${file}`;
    const owner = file.includes('.') ? undefined : readOwner(name);
    if (!owner?.path?.startsWith(`${root}/`) || isHeld(name, owner)) return [];
    return [owner.path.slice(root.length + 1)];
  });
}

function namesIn(directory: string): string[] {
  try {
    return fs.readdirSync(directory);
  } catch {
    return []; // It does not exist yet. Any other failure shows when a lock is made.
  }
}

/** Ids of locks of this process that it could not remove. */
const unremoved = new Set<string>();

function isHeld(name: string, owner: Owner): boolean {
  if (unremoved.has(owner.id)) return false;
  const alive = isAlive(owner);
  if (alive !== undefined) return alive;
  const stat = fs.lstatSync(name, { throwIfNoEntry: false });
  return stat !== undefined && Date.now() - stat.mtimeMs < MAX_AGE_MS;
}

function makeLock(name: string, path: string): Lock & { readonly text: string } {
  const { pid, start, space } = ownIdentity();
  const id = `${pid.toString(36)}x${Math.random().toString(36).slice(2, 12)}`;
  const holder = `${pid}.${start}.${space}.${id}`;
  const isShort = path !== '' && Buffer.byteLength(path) < MAX_TEXT_BYTES;
  const text = isShort ? `${holder} ${path}` : holder;
  return { id, text, release: () => release(name, { id, text }) };
}

/** Never throws, since the work under the lock is done. The next caller takes over a lock that could not be removed. */
function release(name: string, { id, text }: Pick<Owner, 'id' | 'text'>): void {
  try {
    if (readOwner(name)?.text === text) fs.unlinkSync(name);
  } catch {
    unremoved.add(id);
  }
}

function makeLink(text: string, name: string): boolean {
  try {
    fs.symlinkSync(text, name);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    if (code !== 'ENOENT') throw unusable(error);
  }
  makeDirectory(name.slice(0, name.lastIndexOf('/')));
  return makeLink(text, name);
}

function makeDirectory(directory: string): void {
  try {
    makePrivateDirectory(directory);
  } catch (error) {
    throw unusable(error);
  }
}

/** Returns undefined if the lock is gone. Anything but a lock counts as one whose holder cannot be asked. */
function readOwner(name: string): Owner | undefined {
  let text: string;
  try {
    text = fs.readlinkSync(name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw unusable(error);
  }
  const [, pid = '0', start = '', space = '', id = '0', path] = OWNER.exec(text) ?? [];
  return { pid: Number(pid), start, space, id, path, text };
}

function busy(asked: string, { pid }: Owner): ToolError {
  return new ToolError('conflict', `${asked} is being changed by another call (pid ${pid})`, {
    suggestion: 'try again in a moment. If that process hangs, ask the user to stop it',
  });
}

function unusable(cause: unknown): ToolError {
  return new ToolError('write_failed', 'jinn cannot write to its state directory, where its locks are', {
    suggestion: 'make it writable, or set JINN_CONFIG_DIR to a directory that is',
    cause,
  });
}

/** Distinguishes a process from a later one with the same pid. */
interface ProcessIdentity {
  readonly pid: number;
  /** When it started, in the unit of the system. Compared as text. */
  readonly start: string;
  /** The space in which the pid counts: a container has its own. */
  readonly space: string;
}

let own: ProcessIdentity | undefined;

function ownIdentity(): ProcessIdentity {
  own ??= { pid: process.pid, start: startOf(process.pid) ?? '', space: pidSpace() };
  return own;
}

/** Undefined if the process cannot be asked from here (another container). */
function isAlive({ pid, start, space }: ProcessIdentity): boolean | undefined {
  if (space !== ownIdentity().space) return undefined;
  return pid === process.pid ? start === ownIdentity().start : startOf(pid) === start;
}

function startOf(pid: number): string | undefined {
  return process.platform === 'linux' ? startFromProc(pid) : startFromPs(pid);
}

/** Reads fields 3 (state) and 22 (start, in clock ticks since boot) of proc(5) stat. A name in it may hold blanks. */
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

/**
 * Returns a directory for the locks of files: the given one, or, if that cannot be written, a private one in the
 * directory for temporary files. It is the same for every process of a user that has the same state directory and
 * TMPDIR. Throws `write_failed`.
 */
export function findLockDirectory(preferred: string | undefined): string {
  if (preferred !== undefined && isWritable(preferred)) return preferred;
  const { tmpdir, userInfo } = process.getBuiltinModule('node:os');
  const uid = process.getuid?.() ?? userInfo().username;
  const fallback = `${tmpdir()}/jinn-locks-${uid}`;
  if (isWritable(fallback) && isOwn(fallback)) return fallback;
  throw new ToolError(
    'write_failed',
    'jinn can write neither to its state directory nor to a temporary one for locks',
    { suggestion: 'set JINN_CONFIG_DIR or TMPDIR to a directory that jinn can write to' },
  );
}

function isWritable(directory: string): boolean {
  if (isOpenToUs(directory)) return true;
  try {
    makePrivateDirectory(directory);
  } catch {
    return false;
  }
  return isOpenToUs(directory);
}

function isOpenToUs(directory: string): boolean {
  try {
    fs.accessSync(directory, fs.constants.W_OK | fs.constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Security: elsewhere, another user could have made the directory, and then hold or remove our locks. */
function isOwn(directory: string): boolean {
  const stat = fs.lstatSync(directory);
  return stat.isDirectory() && (stat.mode & 0o077) === 0 && stat.uid === (process.getuid?.() ?? stat.uid);
}
