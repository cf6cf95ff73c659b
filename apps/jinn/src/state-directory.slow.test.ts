import { execFileSync, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, onTestFinished, type TestContext, test } from 'vitest';

const JINN = path.resolve(import.meta.dirname, '../dist/jinn.cjs');
const isRoot = process.getuid?.() === 0;

interface Answer {
  readonly ok: boolean;
  readonly result?: string;
  readonly error?: string;
  readonly error_code?: string;
  readonly suggestion?: string;
  readonly meta?: { readonly undo_id?: string; readonly warnings?: readonly string[]; readonly removed?: number };
}

interface Surroundings {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** The user who calls; the one of the tests if absent. */
  readonly uid?: number;
}

function makeSurroundings(env: NodeJS.ProcessEnv): Surroundings {
  return { cwd: makeTempDirectory(), env: { PATH: process.env['PATH'], TMPDIR: makeTempDirectory(), ...env } };
}

const toLine = (tool: string, args: object) => `${JSON.stringify({ tool, args })}\n`;

/** Calls in one process; one that hangs fails the test. */
function callAll({ cwd, env, uid }: Surroundings, lines: readonly string[], ...argv: string[]): Answer[] {
  const options = { cwd, env, input: lines.join(''), timeout: 50_000, ...(uid !== undefined && { uid }) };
  const { stdout } = spawnSync(process.execPath, [JINN, ...argv], options);
  return stdout
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Answer);
}

function call(surroundings: Surroundings, tool: string, args: object, ...argv: string[]): Answer {
  return callAll(surroundings, [toLine(tool, args)], ...argv)[0] as Answer;
}

function mount(context: TestContext, options: string): string {
  const directory = makeTempDirectory();
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', directory]).status !== 0) {
    context.skip('mount is not allowed here');
  }
  onTestFinished(() => void execFileSync('umount', ['-l', directory]));
  return directory;
}

test('leaves the memory whole in its own file, and the history in its file and its log', () => {
  const state = makeTempDirectory();
  const surroundings = makeSurroundings({ JINN_CONFIG_DIR: state });
  call(surroundings, 'memory', { action: 'save', key: 'k', value: 'remembered' });
  call(surroundings, 'write_file', { path: 'f', content: 'new' });
  const copy = makeTempDirectory();
  fs.mkdirSync(`${copy}/jinn`);
  for (const name of ['memory.db', 'state.db', 'state.db-wal'])
    fs.copyFileSync(`${state}/jinn/${name}`, `${copy}/jinn/${name}`);
  const other = { ...surroundings, env: { ...surroundings.env, JINN_CONFIG_DIR: copy } };
  expect(call(other, 'memory', { action: 'recall', key: 'k' }).result).toBe('remembered');
  expect(call(other, 'undo', { action: 'list' }).result).toContain('"path":"f"');
});

/** Reading works whatever the state directory is like. */
function expectReading(surroundings: Surroundings): void {
  fs.writeFileSync(`${surroundings.cwd}/text`, 'some words\n');
  const answers = callAll(surroundings, [
    toLine('read_file', { path: 'text' }),
    toLine('search_files', { pattern: 'words' }),
    toLine('find_files', { pattern: '*' }),
    toLine('detect_project', {}),
    toLine('memory', { action: 'list' }),
    toLine('related_context', { query: 'words' }),
  ]);
  expect(answers.map(({ ok, error }) => ({ ok, error }))).toEqual(answers.map(() => ({ ok: true })));
}

/** Edits go on without undo, and the first one of a process says so and what to do about it. */
function expectUnrecordedEdits(surroundings: Surroundings): void {
  const answers = callAll(
    surroundings,
    ['x', 'y'].map((content) => toLine('write_file', { path: 'new', content })),
  );
  expect(answers).toMatchObject([{ ok: true, meta: { warnings: [expect.stringMatching(UNRECORDED)] } }, { ok: true }]);
  for (const { meta } of answers) expect(meta).not.toHaveProperty('undo_id');
  expect(answers[1]?.meta).not.toHaveProperty('warnings');
  expect(fs.readFileSync(`${surroundings.cwd}/new`, 'utf8')).toBe('y');
  const elsewhere = { ...surroundings, env: { ...surroundings.env, JINN_CONFIG_DIR: makeTempDirectory() } };
  const recorded = call(elsewhere, 'write_file', { path: 'new', content: 'z' });
  expect(recorded).toMatchObject({ ok: true, meta: { undo_id: expect.any(String) } });
}

const UNRECORDED = /^files are changed without undo: .*; set JINN_CONFIG_DIR to a directory that jinn can write to$/;

test.skipIf(process.platform !== 'linux').for(['/proc/x', '/dev/null', '/proc/self/fdinfo'])(
  'answers with HOME=%s, where nothing can be made',
  (HOME) => {
    const surroundings = makeSurroundings({ HOME });
    expectReading(surroundings);
    expectUnrecordedEdits(surroundings);
    expect(call(surroundings, 'undo', { action: 'list' })).toMatchObject({ error_code: 'write_failed' });
  },
);

test.skipIf(!isRoot)('reads, previews and lists on a read-only state directory', (context) => {
  const JINN_CONFIG_DIR = mount(context, 'size=8m');
  const surroundings = makeSurroundings({ JINN_CONFIG_DIR });
  fs.writeFileSync(`${surroundings.cwd}/f`, 'before\n');
  const { meta } = call(surroundings, 'write_file', { path: 'f', content: 'after\n' });
  execFileSync('mount', ['-o', 'remount,ro', JINN_CONFIG_DIR]);
  expectReading(surroundings);
  expectUnrecordedEdits(surroundings);
  expect(call(surroundings, 'undo', { action: 'list' }).result).toContain(meta?.undo_id);
  expect(call(surroundings, 'undo', { action: 'preview', id: meta?.undo_id }).result).toContain('+before');
  const restored = call(surroundings, 'undo', { action: 'restore', id: meta?.undo_id });
  expect(restored).toMatchObject({
    ok: true,
    meta: { warnings: [expect.stringContaining('without undo: state.db is read-only')] },
  });
  expect(fs.readFileSync(`${surroundings.cwd}/f`, 'utf8')).toBe('before\n');
});

test.skipIf(!isRoot)('refuses changes where the settings want a history and the disk is read-only', (context) => {
  const JINN_CONFIG_DIR = mount(context, 'size=8m');
  const surroundings = makeSurroundings({ JINN_CONFIG_DIR });
  call(surroundings, 'write_file', { path: 'f', content: 'before' });
  fs.writeFileSync(`${JINN_CONFIG_DIR}/jinn/config.json`, '{"history":"require"}');
  execFileSync('mount', ['-o', 'remount,ro', JINN_CONFIG_DIR]);
  const refused = call(surroundings, 'write_file', { path: 'f', content: 'x' });
  expect(refused).toMatchObject({
    error: 'the change cannot be recorded for undo: state.db is read-only',
    suggestion: expect.stringMatching(/JINN_CONFIG_DIR.*--no-history changes files without undo/),
  });
  expect(call(surroundings, 'write_file', { path: 'f', content: 'x' }, '--no-history')).toMatchObject({ ok: true });
});

/** Someone who is neither root nor the owner of anything here. */
const NOBODY = 65_534;

test.skipIf(!isRoot).for([
  ['a home that others own', () => {}, undefined],
  ['a database of another user', makeForeign, 'state.db is closed to this user'],
  ['a state directory that is closed', makeClosed, 'state.db is closed to this user'],
] as const)('judges %s by what it hides', ([, prepare, refusal]) => {
  const config = makeTempDirectory();
  fs.chmodSync(config, 0o755);
  const surroundings = makeSurroundings({ JINN_CONFIG_DIR: config });
  for (const directory of [surroundings.cwd, surroundings.env['TMPDIR'] ?? '']) fs.chmodSync(directory, 0o777);
  prepare(surroundings, config);
  const answer = call({ ...surroundings, uid: NOBODY }, 'write_file', { path: 'f', content: 'x' });
  if (refusal === undefined) {
    expect(answer).toMatchObject({ ok: true, meta: { warnings: [expect.stringMatching(UNRECORDED)] } });
  } else {
    expect(answer).toMatchObject({ ok: false, error: `undo is unavailable: ${refusal}` });
    expect(fs.readdirSync(surroundings.cwd)).toEqual([]);
  }
});

function makeForeign(surroundings: Surroundings, config: string): void {
  call(surroundings, 'undo', { action: 'clear' });
  fs.chmodSync(`${config}/jinn`, 0o755);
}

function makeClosed(_: Surroundings, config: string): void {
  fs.mkdirSync(`${config}/jinn`, { mode: 0o700 });
}

test.skipIf(!isRoot)('lists the history of a read-only directory whose log is gone', (context) => {
  const JINN_CONFIG_DIR = mount(context, 'size=8m');
  const surroundings = makeSurroundings({ JINN_CONFIG_DIR });
  const { meta } = call(surroundings, 'write_file', { path: 'f', content: 'x' });
  call(surroundings, 'undo', { action: 'clear' });
  const { meta: kept } = call(surroundings, 'write_file', { path: 'g', content: 'x' });
  // Closing the last connection merges the log and removes it.
  execFileSync(process.execPath, ['-e', MERGE, `${JINN_CONFIG_DIR}/jinn/state.db`], { cwd: STORE });
  execFileSync('mount', ['-o', 'remount,ro', JINN_CONFIG_DIR]);
  expect(fs.readdirSync(`${JINN_CONFIG_DIR}/jinn`)).not.toContain('state.db-wal');
  const { result } = call(surroundings, 'undo', { action: 'list' });
  expect(result).toContain(kept?.undo_id);
  expect(result).not.toContain(meta?.undo_id);
});

const STORE = path.resolve(import.meta.dirname, '../../../packages/store');
const MERGE = `const name = process.versions.napi >= 10 ? 'better-sqlite3' : 'better-sqlite3-node20';
const sqlite = new (require(name))(process.argv[1]);
sqlite.pragma('wal_checkpoint(TRUNCATE)');
sqlite.close();`;

test.skipIf(!isRoot).for([1, 8])(
  'clears the history on a full disk, which frees space for edits again: %i MB of snapshots',
  { timeout: 60_000 },
  (megabytes, context) => {
    const JINN_CONFIG_DIR = mount(context, `size=${3 + megabytes}m`);
    const surroundings = makeSurroundings({ JINN_CONFIG_DIR });
    const write = () => call(surroundings, 'write_file', { path: 'f', content: noise(1_000_000) });
    let last = write();
    for (let n = 1; n <= megabytes && last.ok; n++) last = write();
    const ballast = `${JINN_CONFIG_DIR}/ballast`;
    spawnSync('sh', ['-c', `cat /dev/zero > ${ballast}`], { stdio: 'ignore' });
    expect(fs.statfsSync(JINN_CONFIG_DIR).bavail).toBe(0);
    expectReading(surroundings);
    // The log has space of its own for some more.
    let unrecorded = write();
    for (let n = 0; n < 10 && unrecorded.meta?.undo_id !== undefined; n++) unrecorded = write();
    expect(unrecorded).toMatchObject({
      ok: true,
      meta: { warnings: [expect.stringMatching(/without undo: no space left .*undo with action "clear"/)] },
    });
    expect(call(surroundings, 'undo', { action: 'list' })).toMatchObject({ ok: true });
    expect(call(surroundings, 'undo', { action: 'clear' })).toMatchObject({ ok: true });
    const { bavail, bsize } = fs.statfsSync(JINN_CONFIG_DIR);
    expect(bavail * bsize).toBeGreaterThan(megabytes * 400_000);
    expect(write()).toMatchObject({ ok: true, meta: { undo_id: expect.any(String) } });
  },
);

function noise(bytes: number): string {
  return Array.from({ length: bytes }, () => String.fromCharCode(32 + Math.random() * 95)).join('');
}

test('sets a damaged history aside once, though ten processes find it at once', { timeout: 60_000 }, async () => {
  const JINN_CONFIG_DIR = makeTempDirectory();
  const surroundings = makeSurroundings({ JINN_CONFIG_DIR });
  const first = call(surroundings, 'write_file', { path: 'first', content: 'x' });
  const state = `${JINN_CONFIG_DIR}/jinn`;
  fs.rmSync(`${state}/state.db-wal`);
  fs.writeFileSync(`${state}/state.db`, 'damaged'.repeat(5_000));
  const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => start(surroundings, `file-${i}`)));
  expect(answers.map(({ ok, error }) => ({ ok, error }))).toEqual(answers.map(() => ({ ok: true })));
  expect(answers.flatMap(({ meta }) => meta?.warnings ?? []).length).toBeGreaterThan(0);
  expect(fs.readdirSync(state).filter((name) => /\.damaged-.*Z$/.test(name))).toHaveLength(1);
  for (const [i, { meta }] of answers.entries()) {
    expect(call(surroundings, 'undo', { action: 'restore', id: meta?.undo_id })).toMatchObject({ ok: true });
    expect(fs.existsSync(`${surroundings.cwd}/file-${i}`)).toBe(false);
  }
  const lost = call(surroundings, 'undo', { action: 'restore', id: first.meta?.undo_id });
  expect(lost).toMatchObject({ error_code: 'not_found', error: expect.stringContaining('state.db.damaged-') });
  expect(call(surroundings, 'undo', { action: 'list' }).meta?.warnings?.[0]).toContain('state.db.damaged-');
});

function start({ cwd, env }: Surroundings, file: string): Promise<Answer> {
  const child = spawn(process.execPath, [JINN], { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(toLine('write_file', { path: file, content: 'x' }));
  return new Promise((resolve) => {
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    child.on('close', () => resolve(JSON.parse(text) as Answer));
  });
}

test('warns of a damaged history once in a session', () => {
  const JINN_CONFIG_DIR = makeTempDirectory();
  const surroundings = makeSurroundings({ JINN_CONFIG_DIR });
  fs.mkdirSync(`${JINN_CONFIG_DIR}/jinn`);
  fs.writeFileSync(`${JINN_CONFIG_DIR}/jinn/state.db`, 'damaged'.repeat(5_000));
  const lines = ['a', 'b', 'c'].map((file) => toLine('write_file', { path: file, content: 'x' }));
  const warnings = callAll(surroundings, lines).map(({ meta }) => meta?.warnings?.length ?? 0);
  expect(warnings).toEqual([1, 0, 0]);
});

test('says in a line that the working directory was deleted', () => {
  const cwd = `${makeTempDirectory()}/deleted`;
  fs.mkdirSync(cwd);
  const script = `cd "${cwd}" && rmdir "${cwd}" && echo '{}' | "${process.execPath}" "${JINN}"`;
  const { status, stderr } = spawnSync('sh', ['-c', script], { encoding: 'utf8' });
  expect(stderr).toBe('jinn: the working directory was deleted, or cannot be reached: start jinn in one that exists\n');
  expect(status).toBe(2);
});
