import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { CHANGES, countCalls, findTorn, hasStrace, inCopy, prepare, READING, readAll, wantedOf } from './changes.mjs';
import { newRow, note } from './doors.mjs';
import { callOnce } from './jinn-process.mjs';

const ERRORS = ['ENOSPC', 'EIO'];
/** The room for the history on its own disk, in KB: too little for some step or other. */
const ROOMS = [0, 16, 64, 100, 160, 240, 400];

export const suite = {
  name: 'faults',
  title: 'errors of the system, injected call by call, and disks that are full',
  async *run({ jinn, quick }) {
    for (const flags of quick ? [['--no-history']] : [[], ['--no-history']]) {
      for (const change of CHANGES.filter(({ undone }) => !undone || flags.length === 0)) {
        const prepared = await prepare(jinn, change, flags);
        for (const error of quick ? ['EIO'] : ERRORS) yield await failChanges(prepared, error, { jinn, quick });
        if (!quick) yield await failReads(prepared, { jinn });
        if (flags.length === 0 && !change.undone) yield await fillDisk(prepared, { jinn });
      }
    }
    if (quick) yield await fillDisk(await prepare(jinn, CHANGES[0], []), { jinn });
  },
};

/** Fails each system call that changes a file. */
function failChanges(prepared, error, { jinn, quick }) {
  // What is written to standard output goes through the same call.
  const isTried = (call) => call !== 'write' && (!quick || /link|rename|mkdir/.test(call));
  return inject(prepared, error, { jinn, isTried });
}

/** Fails each system call that reads a file of the change, or the history. */
function failReads(prepared, { jinn }) {
  const files = [
    ...Object.keys(prepared.before).map((name) => path.join(prepared.top, 'work', name)),
    ...['state.db', 'state.db-wal', 'state.db-shm'].map((name) => path.join(prepared.top, 'home/config/jinn', name)),
  ];
  const about = files.flatMap((file) => ['-P', file]);
  return inject(prepared, 'EIO', { jinn, calls: READING, about, what: ' when it is read' });
}

async function inject(prepared, error, { jinn, calls, about = [], isTried = () => true, what = '' }) {
  const row = newRow(`${error} in ${labelOf(prepared)}${what}`);
  if (!hasStrace) return { ...row, notes: ['not tried: strace cannot be used here'] };
  for (const [call, times] of await countCalls(jinn, prepared, calls, about)) {
    if (!isTried(call)) continue;
    for (let when = 1; when <= times; when++) {
      const fault = `inject=${call}:error=${error}:when=${when}`;
      const before = ['strace', '-o', '/dev/null', ...about, '-e', `trace=${call}`, '-e', fault];
      await tryOnce(row, prepared, { jinn, before, when: `${call} ${when}` });
    }
  }
  return row;
}

/** Keeps the history on a disk of its own that is full sooner or later. */
async function fillDisk(prepared, { jinn }) {
  const row = newRow(`a full disk for the history in ${labelOf(prepared)}`);
  const flags = process.getuid() === 0 ? '-m' : '-rm';
  if (spawnSync('unshare', [flags, 'mount', '-t', 'tmpfs', 'tmpfs', '/tmp']).status !== 0) {
    return { ...row, notes: ['not tried: a disk cannot be mounted here'] };
  }
  for (const room of ROOMS) {
    const mount = `mount -t tmpfs -o size=${Math.max(room, 4)}k tmpfs "$0" && exec "$@"`;
    const state = path.join(prepared.top, 'home/config');
    await tryOnce(row, prepared, { jinn, before: ['unshare', flags, 'sh', '-c', mount, state], when: `${room} KB` });
  }
  return row;
}

function labelOf({ name, flags }) {
  return `${name}${flags.length > 0 ? ' without history' : ''}`;
}

async function tryOnce(row, prepared, { jinn, before, when }) {
  const faults = await inCopy(prepared, (place) => {
    const { answer } = callOnce(jinn, prepared.request, { ...place, before });
    return findLies(prepared, answer, readAll(place.cwd, prepared));
  });
  note(row, faults.length === 0, `${when}: ${faults.join('; ')}`);
}

/** What the answer says must be what the files are. */
function findLies(prepared, answer, now) {
  if (!answer) return ['no answer', ...findTorn(prepared, now)];
  const names = Object.keys(prepared.before);
  const changed = names.filter((name) => now[name] !== prepared.before[name]);
  const missing = names.filter((name) => now[name] !== wantedOf(prepared, name));
  const faults = findTorn(prepared, now);
  if (answer.ok && missing.length > 0) faults.push(`ok, but not changed: ${missing.join(', ')}`);
  if (answer.ok) return faults;
  if (answer.error_code === 'internal') faults.push(`internal: ${answer.error}`);
  const admits = /could not be rolled back|did not confirm/.test(answer.error);
  if (changed.length > 0 && !admits) faults.push(`"${answer.error}", but changed: ${changed.join(', ')}`);
  return faults;
}
