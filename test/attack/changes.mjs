import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { callOnce, makeDirectory, removeDirectory, startSession } from './jinn-process.mjs';

const OLD = 'one\ntwo\nthree\n';
const NEW = 'one\nTWO\nthree\n';
const PATCH = [
  '*** Begin Patch',
  '*** Update File: a',
  '*** Move to: deep/er/moved',
  ' one',
  '-two',
  '+TWO',
  '*** Add File: new/x',
  '+made',
  '*** Delete File: gone',
  '*** End Patch',
].join('\n');

/** What the files are before every change. */
const BEFORE = { a: OLD, b: OLD, c: OLD, gone: OLD };

/**
 * The changes that are killed and disturbed. `after` says what the files are afterwards: undefined for none. `undone` names
 * a change that is made first, and that the request then undoes.
 */
export const CHANGES = [
  { name: 'edit', request: editOf('edit_file', 'a'), after: { a: NEW } },
  {
    name: 'patch with a move',
    request: () => ({ tool: 'apply_patch', args: { patch: PATCH } }),
    after: { a: undefined, 'deep/er/moved': NEW, 'new/x': 'made\n', gone: undefined },
    moves: [['a', 'deep/er/moved']],
  },
  {
    name: 'multi_edit',
    request: () => ({ tool: 'multi_edit', args: { edits: ['a', 'b', 'c'].map((name) => editOf('', name)().args) } }),
    after: { a: NEW, b: NEW, c: NEW },
  },
  {
    name: 'undo',
    undone: () => ({ tool: 'apply_patch', args: { patch: PATCH } }),
    request: (id) => ({ tool: 'undo', args: { action: 'restore', id } }),
    after: { ...BEFORE, 'deep/er/moved': undefined, 'new/x': undefined },
    // What is undone made directories, which stay.
    leavesDirectories: true,
  },
];

function editOf(tool, name) {
  return () => ({ tool, args: { path: name, old_text: 'two', new_text: 'TWO' } });
}

/** Makes a workspace and a home as they are before a change, to be copied for each attempt. */
export async function prepare(jinn, change, flags) {
  const top = makeDirectory();
  const [cwd, home] = [path.join(top, 'work'), path.join(top, 'home')];
  for (const directory of [cwd, home]) fs.mkdirSync(directory);
  for (const [name, content] of Object.entries(BEFORE)) fs.writeFileSync(path.join(cwd, name), content);
  const session = startSession(jinn, { cwd, home, flags });
  const first = await session.ask(change.undone?.() ?? { tool: 'list_dir', args: {} });
  await session.ask({ tool: 'undo', args: { action: 'list' } });
  await session.close();
  const prepared = {
    ...change,
    top,
    before: readAll(cwd, change),
    request: change.request(first.meta?.operation_id),
    flags,
  };
  await inCopy(prepared, (place) => {
    const { answer } = callOnce(jinn, prepared.request, place);
    if (!answer?.ok) throw new Error(`${change.name} fails even if nothing disturbs it: ${answer?.error}`);
  });
  return prepared;
}

/** Runs `attempt` in a copy of what was prepared, below a directory that has the same path each time. */
export async function inCopy(prepared, attempt) {
  // The history knows a workspace by its path.
  const kept = path.join(prepared.top, 'kept');
  if (!fs.existsSync(kept)) {
    fs.mkdirSync(kept);
    for (const name of ['work', 'home']) fs.renameSync(path.join(prepared.top, name), path.join(kept, name));
  }
  for (const name of ['work', 'home']) {
    removeDirectory(path.join(prepared.top, name));
    fs.cpSync(path.join(kept, name), path.join(prepared.top, name), { recursive: true, preserveTimestamps: true });
  }
  return attempt({
    cwd: path.join(prepared.top, 'work'),
    home: path.join(prepared.top, 'home'),
    flags: prepared.flags,
  });
}

/** The files that a change may touch, and what they hold. */
export function readAll(cwd, { after }) {
  const names = [...new Set([...Object.keys(BEFORE), ...Object.keys(after), 'deep/er/moved', 'new/x'])];
  return Object.fromEntries(names.map((name) => [name, contentOf(path.join(cwd, name))]));
}

function contentOf(file) {
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : undefined;
}

/** What is wrong with the files after an attempt that was killed: an array of sentences. */
export function findTorn(prepared, now) {
  const { before, after, moves = [] } = prepared;
  const torn = Object.keys(before).filter(
    (name) => now[name] !== before[name] && now[name] !== wantedOf(prepared, name),
  );
  const lost = moves.filter(([from, to]) => now[from] !== before[from] && now[to] !== after[to]);
  return [
    ...torn.map((name) => `${name} is neither old nor new: ${JSON.stringify(now[name])}`),
    ...lost.map(([from]) => `the content of ${from} has no name`),
  ];
}

export function wantedOf({ before, after }, name) {
  return name in after ? after[name] : before[name];
}

/**
 * What is wrong after the next calls: the history must have an entry for each file that changed and for no other, restore
 * it, and nothing may be left behind.
 */
export async function findLeft(jinn, prepared, { cwd, home, flags }) {
  const session = startSession(jinn, { cwd, home, flags });
  try {
    const now = readAll(cwd, prepared);
    const probe = await session.ask({ tool: 'write_file', args: { path: 'probe', content: 'x' } });
    const faults = probe?.ok
      ? leftIn(prepared, { cwd, home })
      : [`the next change failed: ${probe?.error ?? 'no answer'}`];
    if (flags.includes('--no-history')) return faults;
    return [...faults, ...(await findWrongHistory(session, prepared, { cwd, now }))];
  } finally {
    await session.close();
  }
}

function leftIn({ leavesDirectories }, { cwd, home }) {
  const entries = fs.readdirSync(cwd, { recursive: true, withFileTypes: true });
  const locks = fs.readdirSync(`${home}/config/jinn/locks`);
  const hidden = entries.filter(({ name }) => name.startsWith('.jinn-'));
  const directories = leavesDirectories ? [] : entries.filter((entry) => entry.isDirectory());
  const empty = directories.filter(({ parentPath, name }) => isEmpty(path.join(parentPath, name)));
  return [
    ...hidden.map(({ name }) => `${name} is left`),
    ...empty.map(({ name }) => `the empty directory ${name} is left`),
    ...locks.map((name) => `the lock ${name} is left`),
  ];
}

function isEmpty(directory) {
  return fs.readdirSync(directory).length === 0;
}

async function findWrongHistory(session, { before, name: change }, { cwd, now }) {
  const listed = await session.ask({ tool: 'undo', args: { action: 'list' } });
  if (!listed?.ok) return [`the history cannot be listed: ${listed?.error ?? 'no answer'}`];
  const known = change === 'undo' ? 'apply_patch' : undefined;
  const entries = JSON.parse(listed.result).entries.filter(
    ({ path: file, operation }) => file !== 'probe' && operation !== known,
  );
  const faults = [];
  for (const name of Object.keys(before)) {
    const entry = entries.find((each) => each.path === name);
    const changed = now[name] !== before[name];
    if (changed !== Boolean(entry)) faults.push(`the history ${entry ? 'has' : 'lacks'} an entry for ${name}`);
    if (!entry) continue;
    const restored = await session.ask({ tool: 'undo', args: { action: 'restore', id: entry.id } });
    if (!restored?.ok || contentOf(path.join(cwd, name)) !== before[name]) faults.push(`${name} is not restored`);
  }
  return faults;
}

export const hasStrace = spawnSync('strace', ['-V']).status === 0 && canTrace();

/** Some containers do not let processes be traced. */
function canTrace() {
  return spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;
}

/** System calls that change files, by the names of x64 and arm64; strace ignores those that a machine does not have. */
const MODIFYING =
  '?link ?linkat ?unlink ?unlinkat ?rename ?renameat ?renameat2 ?symlink ?symlinkat ?mkdir ?mkdirat ?rmdir ?fsync ?fdatasync ?fchmod ?pwrite64 ?ftruncate ?write';

/** System calls that read files. */
export const READING = '?openat ?read ?pread64 ?fstat ?newfstatat ?statx ?lseek ?fcntl ?getdents64';

/**
 * How often a change makes each of the system calls, in the thread that changes files: by default those that change files.
 * `about` are options of strace that name files; without any, all files count.
 */
export function countCalls(jinn, prepared, calls = MODIFYING, about = []) {
  return inCopy(prepared, (place) => {
    const log = path.join(prepared.top, 'calls');
    const names = calls.split(' ').join(',');
    callOnce(jinn, prepared.request, { ...place, before: ['strace', '-o', log, ...about, '-e', `trace=${names}`] });
    const counts = new Map();
    for (const [, name] of fs.readFileSync(log, 'utf8').matchAll(/^(\w+)\(/gm))
      counts.set(name, (counts.get(name) ?? 0) + 1);
    return counts;
  });
}
