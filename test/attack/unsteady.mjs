import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { within } from './bounds.mjs';
import { newRow, note } from './doors.mjs';
import { createRandom, makeDirectory, startSession } from './jinn-process.mjs';

const DISTURBER = fileURLToPath(new URL('programs/disturber.mjs', import.meta.url));
const FLAGS = ['--toolset', 'jinn,jinni'];
const WAIT_MS = 60_000;
const SECRET = 'KEPT-OUTSIDE-OF-THE-WORKSPACE';
const TEXT = 'one\ntwo\nthree\n';

export const suite = {
  name: 'unsteady',
  title: 'files that change while they are read, links that are swapped, many writers, and clocks that go back',
  async *run(options) {
    const { quick } = options;
    const seconds = options.seconds ?? (quick ? 3 : 60);
    yield await callWhile('shape', options, { seconds, requests: READS });
    yield await callWhile('swap', options, { seconds, requests: [...READS, ...WRITES] });
    yield await letManyWrite(options);
    yield await setClockBack(options);
  },
};

const patch = (...lines) => ({ patch: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n') });

/** Every tool that reads files, at the place that changes. */
const READS = [
  (at) => ['read_file', { path: at }],
  (at) => ['read_file', { path: at, tail: 3 }],
  (at) => ['multi_read', { files: [{ path: at }, { path: 'steady' }] }],
  (at) => ['stat_file', { path: at }],
  () => ['list_dir', { depth: 10 }],
  () => ['find_files', { pattern: '*' }],
  () => ['search_files', { pattern: 'e' }],
  (at) => ['search_files', { pattern: 'OUTSIDE|two', path: at }],
  () => ['search_files', { pattern: '(?<=t)w', multiline: true }],
  () => ['search_replace', { pattern: 'two', replacement: 'TWO', files: '**', dry_run: true }],
  (at) => ['diff_files', { path_a: at, path_b: 'steady' }],
  () => ['checksum_tree', {}],
  () => ['read_context', {}],
  () => ['read_context', { list_only: true }],
  (at) => ['edit_file', { path: at, old_text: 'two', new_text: 'TWO', dry_run: true }],
];

/** Every tool that changes files, in the directory whose place a link takes. */
const WRITES = [
  (at) => ['write_file', { path: at, content: TEXT }],
  (at) => ['write_file', { path: `${at}-${Math.random()}`, content: 'new' }],
  (at) => ['edit_file', { path: at, old_text: 'two', new_text: 'TWO' }],
  (at) => ['edit_file', { path: at, old_text: 'TWO', new_text: 'two' }],
  (at) => ['multi_edit', { edits: [{ path: at, old_text: 'one', new_text: 'one\nmore' }] }],
  () => ['search_replace', { pattern: 'more\\n', replacement: '', files: '**', multiline: true }],
  (at) => ['apply_patch', patch(`*** Update File: ${at}`, ' one', '-two', '+TWO')],
  (at) => ['apply_patch', patch(`*** Add File: ${at}.added`, '+added')],
  (at) => ['apply_patch', patch(`*** Delete File: ${at}.added`)],
  (at) => ['apply_patch', patch(`*** Update File: ${at}`, `*** Move to: ${at}.moved`, ' one')],
  (at) => ['apply_patch', patch(`*** Update File: ${at}.moved`, `*** Move to: ${at}`, ' one')],
  () => ['undo', { action: 'list' }],
  () => ['undo', { action: 'restore', last: 1 }],
];

/** Calls tools while another process changes what they look at. Each must be answered, and nothing outside read or changed. */
async function callWhile(kind, { jinn, seed }, { seconds, requests }) {
  const row = newRow(
    kind === 'swap'
      ? 'calls of every file tool while a link is swapped in'
      : 'calls while a file changes its size and kind',
  );
  const [cwd, home, outside] = [makeDirectory(), makeDirectory(), makeDirectory()];
  for (const name of ['f', 'f.added', 'f.moved']) fs.writeFileSync(path.join(outside, name), `${SECRET}\n${TEXT}`);
  fs.mkdirSync(path.join(cwd, 'd'));
  fs.writeFileSync(path.join(cwd, 'd/f'), TEXT);
  fs.writeFileSync(path.join(cwd, 'steady'), TEXT);
  const before = contentOf(outside);
  const target = kind === 'swap' ? [path.join(cwd, 'd'), outside] : [path.join(cwd, 'd/f'), path.join(outside, 'f')];
  const random = createRandom(seed);
  const session = startSession(jinn, { cwd, home, flags: FLAGS });
  await session.ask({ tool: 'list_tools', args: {} });
  const disturber = spawn(process.execPath, [DISTURBER, kind, ...target], { stdio: 'ignore' });
  const disturbed = new Promise((resolve) => disturber.on('exit', resolve));
  const end = performance.now() + 1000 * seconds;
  let answered = true;
  while (answered && performance.now() < end) {
    const [tool, args] = requests[Math.floor(random() * requests.length)]('d/f');
    const answer = await within(WAIT_MS, session.ask({ tool, args }));
    answered = answer !== undefined;
    const text = JSON.stringify(answer ?? '');
    const faults = [
      !answered && 'no answer',
      answer?.error_code === 'internal' && answer.error,
      text.includes(SECRET) && 'it tells what lies outside',
      contentOf(outside) !== before && 'it changed what lies outside',
    ].filter(Boolean);
    note(row, faults.length === 0, `${tool} ${JSON.stringify(args).slice(0, 100)}: ${faults.join('; ')}`);
  }
  disturber.kill('SIGKILL');
  await disturbed;
  session.kill();
  await session.close();
  return row;
}

/** Returns the names and the content of all files of a directory. */
function contentOf(directory) {
  const names = fs.readdirSync(directory).sort();
  return JSON.stringify(names.map((name) => [name, fs.readFileSync(path.join(directory, name), 'utf8')]));
}

/** Sessions that insert lines into the same files at once. What was answered with ok is there once; nothing else is. */
async function letManyWrite({ jinn, quick, count = quick ? 5 : 20 }) {
  const writers = quick ? 6 : 30;
  const row = newRow(`${writers} writers in 3 files, ${count} edits each`);
  const [cwd, home] = [makeDirectory(), makeDirectory()];
  const files = ['a', 'b', 'c'];
  for (const name of files) fs.writeFileSync(path.join(cwd, name), 'top\nbottom\n');
  const sessions = Array.from({ length: writers }, () => startSession(jinn, { cwd, home }));
  const outcomes = new Map();
  await Promise.all(
    sessions.map(async (session, writer) => {
      for (let i = 0; i < count; i++) {
        const line = `line ${writer} ${i}`;
        const args = { path: files[(writer + i) % files.length], old_text: 'top\n', new_text: `top\n${line}\n` };
        outcomes.set(line, await within(WAIT_MS, session.ask({ tool: 'edit_file', args })));
      }
    }),
  );
  const lines = files.flatMap((name) => fs.readFileSync(path.join(cwd, name), 'utf8').split('\n'));
  for (const [line, answer] of outcomes) {
    const times = lines.filter((one) => one === line).length;
    const isRefused = ['stale_file', 'conflict'].includes(answer?.error_code);
    note(
      row,
      times === (answer?.ok ? 1 : 0) && (answer?.ok || isRefused),
      `${line}: ${times} times, ${JSON.stringify(answer)}`,
    );
  }
  const known = new Set([...outcomes.keys(), 'top', 'bottom', '']);
  note(
    row,
    lines.every((line) => known.has(line)),
    'a file has a line that nobody wrote',
  );
  const left = [...fs.readdirSync(cwd), ...fs.readdirSync(path.join(home, 'config/jinn/locks'))];
  note(row, left.sort().join() === files.join(), `these are left: ${left.join(', ')}`);
  await Promise.all(sessions.map((session) => session.close()));
  const ok = [...outcomes.values()].filter((answer) => answer?.ok).length;
  return { ...row, what: `${row.what} (${ok} were made, the others refused)` };
}

const FAKETIME = [
  '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1',
  '/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1',
];
const CLOCKS = ['+0', '-1h', '-10y', '+10y', '+0', '-3s', '+30y', '-20y'];

/** Sets the clock of a session forth and back between its calls. */
async function setClockBack({ jinn }) {
  const row = newRow('calls while the clock is set');
  const library = FAKETIME.find((file) => fs.existsSync(file));
  if (library === undefined) return { ...row, notes: ['not tried: faketime is not installed'] };
  const [cwd, home] = [makeDirectory(), makeDirectory()];
  spawnSync('git', ['init', '-q'], { cwd });
  fs.writeFileSync(path.join(cwd, 'a'), TEXT);
  const clock = path.join(home, 'clock');
  fs.writeFileSync(clock, '+0');
  const env = {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: clock,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    NO_FAKE_STAT: '1',
  };
  const session = startSession(jinn, { cwd, home, flags: FLAGS, env });
  const ask = async (tool, args, isRight, what) => {
    const started = performance.now();
    const answer = await within(WAIT_MS, session.ask({ tool, args }));
    const isSoon = performance.now() - started < WAIT_MS / 2;
    note(row, answer !== undefined && isSoon && isRight(answer), `${what}: ${JSON.stringify(answer)?.slice(0, 300)}`);
    return answer;
  };
  const isOk = ({ ok }) => ok === true;
  for (const [round, offset] of CLOCKS.entries()) {
    fs.writeFileSync(clock, offset);
    const what = (text) => `${text} at ${offset}, round ${round}`;
    const before = fs.readFileSync(path.join(cwd, 'a'), 'utf8');
    fs.writeFileSync(path.join(cwd, `new${round}`), `found ${round}\n`);
    const names = ({ result }) => result?.includes(`new${round}`);
    await ask('list_dir', {}, names, what('list_dir'));
    await ask('search_files', { pattern: `found ${round}` }, names, what('search_files'));
    await ask('read_context', { list_only: true }, names, what('read_context'));
    await ask('read_file', { path: 'a' }, isOk, what('read_file'));
    await ask('edit_file', { path: 'a', old_text: 'two', new_text: `two ${round}` }, isOk, what('edit_file'));
    await ask('undo', { action: 'restore', last: 1 }, isOk, what('undo'));
    note(row, fs.readFileSync(path.join(cwd, 'a'), 'utf8') === before, what('undo did not restore'));
    await ask('memory', { action: 'save', key: `k${round}`, value: `v${round}` }, isOk, what('memory save'));
    await ask(
      'memory',
      { action: 'recall', key: `k${round}` },
      ({ result }) => result === `v${round}`,
      what('memory recall'),
    );
    await ask(
      'run_shell',
      { command: 'echo done', timeout: 20 },
      ({ result }) => result?.includes('done'),
      what('run_shell'),
    );
    await ask('search_files', { pattern: '(a+)+(?=$)', path: 'a' }, isOk, what('a thread'));
  }
  await session.close();
  return row;
}
