import fs from 'node:fs';
import { type CallPicture, createRegistry, createSession, defineTool } from '@jinn/core';
import { makeTempDirectory, makeTree, openTestMachine, toolsetOf } from '@jinn/testkit';
import { createStateFiles } from '@jinn/workspace';
import { expect, test } from 'vitest';
import type { CallDetail, CallHead } from './journal-record.ts';
import { openJournal } from './open-journal.ts';
import { followJournal, readCalls, readDetail } from './read-journal.ts';
import { appendLine, journalFiles, liveFile, removeOld } from './write-journal.ts';

const KEY = `ghp_${'Ab1'.repeat(12)}`;
const DAY_MS = 24 * 60 * 60 * 1000;
const ALL = { limit: 1_000, wants: () => true };

const echo = defineTool({
  name: 'echo',
  effect: 'read',
  description: 'Echo a text.',
  input: (z) => z.strictObject({ text: z.string() }),
  examples: [{ text: 'a' }],
  run: ({ text }) => {
    if (text === 'fail') throw new Error('inside');
    return { text, visualize: () => ({ type: 'markdown', content: text }) };
  },
});

async function open(config: object | string | undefined = { journal: 'always' }) {
  const state = makeTempDirectory();
  const directory = `${state}/journal`;
  if (config !== undefined) {
    makeTree(state, { 'config.json': typeof config === 'object' ? JSON.stringify(config) : config });
  }
  const logged: string[] = [];
  const journal = openJournal({ cache: state, program: 'jinn' });
  const registry = await createRegistry({ toolsets: [toolsetOf('test', [echo])], version: '1', onInternalError() {} });
  const machine = openTestMachine();
  const user = { ...machine.user, state: createStateFiles(state) };
  const at = { ...machine, user, session: createSession(), log: (line: string) => void logged.push(line) };
  const call = (text: unknown) =>
    journal.record(registry.call, { tool: 'echo', args: { text }, client: 'host' }, at, {});
  return { directory, journal, logged, call, at, rows: () => readCalls(directory, ALL).rows };
}

/** Leaves the mark of a page that runs. */
function markLive(directory: string, page: object = { pid: process.pid }): void {
  fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
  fs.writeFileSync(liveFile(directory), JSON.stringify(page));
}

test('a call is written down as it begins and as it ends', async () => {
  const { directory, call, at, rows } = await open();
  expect(await call('one')).toMatchObject({ ok: true, text: 'one' });
  await call('fail');
  const [failed, ended] = rows();
  expect(ended).toMatchObject({
    k: 'end',
    door: 'jinn',
    client: 'host',
    workspace: at.workspace.root,
    tool: 'echo',
    what: 'one',
    ok: true,
  });
  expect(ended?.ms).toBeGreaterThanOrEqual(0);
  expect(ended?.tokens).toEqual([expect.any(Number), 1]);
  expect(ended?.session).toBe(failed?.session);
  expect(readDetail(directory, ended?.at ?? '')).toEqual({
    args: { text: 'one' },
    text: 'one',
    visualization: { type: 'markdown', content: 'one' },
  });
  expect(failed).toMatchObject({ ok: false, code: 'internal' });
});

test('what is made for the journal does not reach a caller that shows nothing', async () => {
  const { call } = await open();
  expect(await call('one')).not.toHaveProperty('visualization', expect.anything());
});

test.each([
  ['nothing is set', {}],
  ['the journal is off', { journal: 'off' }],
  ['the setting cannot be understood', '{"journal": "always"'],
])('nothing is written where %s', async (_, config) => {
  const { directory, call } = await open(config);
  await call('one');
  expect(fs.existsSync(directory)).toBe(false);
});

test('calls are written down while the page runs, and no longer', async () => {
  const { directory, call, rows } = await open({});
  markLive(directory);
  await call('one');
  expect(rows()).toHaveLength(1);
  const old = (Date.now() - 31_000) / 1000;
  fs.utimesSync(liveFile(directory), old, old);
  await call('two');
  expect(rows()).toHaveLength(1);
});

test('the setting off also holds while the page runs', async () => {
  const { directory, call, rows } = await open({ journal: 'off' });
  markLive(directory);
  await call('one');
  expect(rows()).toEqual([]);
});

test('the files are closed to others', async () => {
  const { directory, call } = await open();
  await call('one');
  expect(fs.statSync(directory).mode & 0o777).toBe(0o700);
  for (const name of journalFiles(directory)) expect(fs.statSync(`${directory}/${name}`).mode & 0o777).toBe(0o600);
});

test('nothing is written into a directory that is open to others, and the call goes on', async () => {
  const { directory, call, rows, logged } = await open();
  fs.mkdirSync(directory, { recursive: true });
  fs.chmodSync(directory, 0o755);
  expect(await call('one')).toMatchObject({ ok: true });
  await call('two');
  expect(rows()).toEqual([]);
  expect(logged).toEqual([expect.stringContaining('the journal cannot be written')]);
});

test('a link in the place of a file is not followed', async () => {
  const { directory, call, rows } = await open();
  await call('one');
  const [name] = journalFiles(directory);
  const outside = `${makeTempDirectory()}/outside`;
  fs.writeFileSync(outside, '');
  fs.rmSync(`${directory}/${name}`);
  fs.symlinkSync(outside, `${directory}/${name}`);
  await call('two');
  expect(fs.readFileSync(outside, 'utf8')).toBe('');
  expect(rows()).toEqual([]);
});

test('secrets are taken out of arguments, answers and pictures', async () => {
  const { directory, call } = await open();
  expect(await call(`key ${KEY}`)).toMatchObject({ text: `key ${KEY}` });
  const text = journalFiles(directory)
    .map((name) => fs.readFileSync(`${directory}/${name}`, 'utf8'))
    .join('');
  expect(text).not.toContain(KEY);
  expect(text.split('[a GitHub token]')).toHaveLength(2 + 5);
});

test('what is too large is left out, and named', async () => {
  const { directory, call, rows } = await open();
  await call('x '.repeat(400_000));
  const detail = readDetail(directory, rows()[0]?.at ?? '');
  expect(detail?.args).toBeUndefined();
  expect(detail?.text?.length).toBeGreaterThan(64_000);
  expect(detail?.leftOut).toEqual([
    'the arguments, too large to be kept',
    'all but the first 65536 characters of the answer',
    'the picture, too large to be kept',
  ]);
});

test('a torn line costs itself alone, and lines of a later version are passed over', async () => {
  const { directory, call, rows } = await open();
  await call('one');
  const [name] = journalFiles(directory);
  fs.appendFileSync(`${directory}/${name}`, '\n{"v":1,"id":"to');
  await call('two');
  appendLine(directory, `${JSON.stringify({ v: 2, id: 'later' })}\t{}`);
  expect(rows().map(({ what }) => what)).toEqual(['two', 'one']);
});

function fill(directory: string, count: number): void {
  for (let i = 0; i < count; i++) {
    const head: Partial<CallHead> = { v: 1, k: 'end', id: String(i), tool: i % 2 ? 'odd' : 'even', what: `call ${i}` };
    appendLine(directory, `${JSON.stringify(head)}\t${JSON.stringify({ args: { deep: `Word${i}` } })}`);
  }
}

test('calls are read backwards in pages, by tool and by text', () => {
  const directory = `${makeTempDirectory()}/journal`;
  fill(directory, 50);
  const seen: string[] = [];
  let next: string | undefined;
  do {
    const page = readCalls(directory, { before: next, limit: 7, wants: ({ tool }) => tool === 'odd' });
    seen.push(...page.rows.map(({ id }) => id));
    next = page.next;
  } while (next !== undefined);
  expect(seen).toEqual(Array.from({ length: 25 }, (_, i) => String(49 - 2 * i)));
  expect(readCalls(directory, { ...ALL, text: 'word17' }).rows.map(({ id }) => id)).toEqual(['17']);
});

test.each(['../x:3', 'live:2', '20261127T010203004-1.jsonl', '20261127T010203004-1.jsonl:-1', '/etc/passwd:10'])(
  'a place that is none is refused: %s',
  (at) => {
    expect(() => readDetail('/nowhere', at)).toThrow('not a place');
    expect(() => readCalls('/nowhere', { ...ALL, before: at })).toThrow('not a place');
  },
);

test('a full file is followed by a new one, and what is old or too much is removed', () => {
  const directory = `${makeTempDirectory()}/journal`;
  fill(directory, 1);
  const [first = ''] = journalFiles(directory);
  const [day] = first.split('T');
  fs.renameSync(`${directory}/${first}`, `${directory}/${day}T000000000-1.jsonl`);
  fs.truncateSync(`${directory}/${day}T000000000-1.jsonl`, 16 * 1024 * 1024);
  fill(directory, 1);
  expect(journalFiles(directory)).toHaveLength(2);
  for (let i = 0; i < 20; i++) {
    const name = `${directory}/20200101T0000000${String(i).padStart(2, '0')}-1.jsonl`;
    fs.writeFileSync(name, '');
    fs.truncateSync(name, 16 * 1024 * 1024);
  }
  removeOld(directory);
  expect(journalFiles(directory)).toHaveLength(15);
  const old = (Date.now() - 8 * DAY_MS) / 1000;
  for (const name of journalFiles(directory)) fs.utimesSync(`${directory}/${name}`, old, old);
  removeOld(directory);
  expect(journalFiles(directory)).toEqual([]);
});

test('who follows hears of each line soon', async () => {
  const directory = `${makeTempDirectory()}/journal`;
  fill(directory, 2);
  const heard: string[] = [];
  const stop = followJournal(directory, ({ id, at }) => heard.push(`${id} ${readDetail(directory, at) !== undefined}`));
  fill(directory, 3);
  await expect.poll(() => heard).toEqual(['0 true', '1 true', '2 true']);
  stop();
});

test('no secret is cut in two, so that its beginning would stay', async () => {
  const { directory, call, rows } = await open();
  for (const filler of ['x '.repeat(32_750), 'x'.repeat(65_500)]) {
    await call(`${filler}${KEY} ${'y'.repeat(100_000)}`);
    const text = readDetail(directory, rows()[0]?.at ?? '')?.text;
    expect(text).not.toContain('ghp_');
    expect(text?.length).toBeGreaterThan(64_000);
  }
});

test('a call with arguments that are no JSON runs, and is written down without them', async () => {
  const { journal, at, rows, directory } = await open();
  const loop: Record<string, unknown> = {};
  loop['loop'] = loop;
  await journal.record(async () => ({ ok: true, text: 'ran' }), { tool: 'echo', args: loop }, at, {});
  expect(readDetail(directory, rows()[0]?.at ?? '')?.leftOut).toEqual([
    'the arguments, which cannot be written as JSON',
  ]);
});

test('a call with an argument that is undefined, as a library may pass it, is written down', async () => {
  const { journal, at, rows } = await open();
  const request = { tool: 'echo', args: { path: undefined } };
  const ran = await journal.record(async () => ({ ok: true, text: 'ran' }), request, at, {});
  expect(ran).toMatchObject({ ok: true, text: 'ran' });
  expect(rows()[0]).toMatchObject({ k: 'end', ok: true, what: '' });
});

test('the mark of a page that died is removed', async () => {
  const { directory, call } = await open({});
  markLive(directory);
  const old = (Date.now() - 31_000) / 1000;
  fs.utimesSync(liveFile(directory), old, old);
  await call('one');
  expect(fs.existsSync(liveFile(directory))).toBe(false);
});

/** A changed file. */
function changed(path: string, before: string | Buffer | undefined, after: string | Buffer | undefined) {
  const toContent = (side: string | Buffer | undefined) =>
    side === undefined ? undefined : Buffer.from(side as string);
  const file = { asked: path, path, content: toContent(before), mode: 0o644, version: undefined };
  return { file, after: toContent(after), changed: true, version: undefined, undoId: undefined };
}

/** Returns what records a call with a picture, and says what is kept of that. */
async function recordPictures() {
  const { directory, journal, at, rows } = await open();
  return async (picture: Partial<CallPicture>) => {
    const draw = async () => ({ type: 'none' as const });
    const shown = { changes: [], planned: [], draw, ...picture };
    await journal.record(async () => ({ ok: true, text: '', picture: shown }), { tool: 'echo' }, at, {});
    const { args: _, text: __, ...kept } = readDetail(directory, rows()[0]?.at ?? '') ?? {};
    return kept as Omit<CallDetail, 'args' | 'text'>;
  };
}

test('changes of files are kept in parts, of which a reader makes a diff', async () => {
  const record = await recordPictures();
  const lines = Array.from({ length: 100 }, (_, i) => `line ${i + 1}\n`);
  const text = lines.join('');
  const edited = changed('a', text, text.replace('line 50\n', `${KEY}\nmore\n`));
  const part = {
    path: 'a',
    line: 47,
    before: lines.slice(46, 53).join(''),
    after: 'line 47\nline 48\nline 49\n[a GitHub token]\nmore\nline 51\nline 52\nline 53\n',
  };
  expect(await record({ changes: [edited] })).toEqual({ changes: [part] });
  expect(await record({ planned: [edited] })).toEqual({ changes: [part], dryRun: true });
  const made = changed('b', undefined, 'new\n');
  const removed = changed('c', 'old\n', undefined);
  expect(await record({ changes: [made, removed] })).toEqual({
    changes: [
      { path: 'b', line: 1, after: 'new\n' },
      { path: 'c', line: 1, before: 'old\n' },
    ],
  });
  const facts = { matchInfo: { strategy: 'fuzzy', lineNumber: 50 } };
  expect(await record({ changes: [edited], facts })).toEqual({ changes: [part], facts });
});

test.each([
  ['there are none', []],
  ['a file is binary', [changed('a', 'a\0', 'b\0')]],
  ['bytes are not UTF-8', [changed('a', Buffer.from('caf\xe9\n', 'latin1'), Buffer.from('caf\xe8\n', 'latin1'))]],
  ['they are too large', [changed('a', 'x'.repeat(600_000), '')]],
  ['their JSON would be too large', [changed('a', undefined, 'x\n'.repeat(200_000))]],
  ['only a mode differs', [changed('a', 'same\n', 'same\n')]],
])('changes of files are drawn at once if %s', async (_, changes) => {
  const record = await recordPictures();
  expect(await record({ changes })).toEqual({ visualization: { type: 'none' } });
});

test.each([
  ['PEM', '-----BEGIN PRIVATE KEY-----\n', '-----END PRIVATE KEY-----\n'],
  ['PuTTY', 'PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 9\n', 'Private-MAC: 0f\n'],
])('of a changed file with a %s key no line of the key is kept', async (_, begin, end) => {
  const record = await recordPictures();
  const line = `${'REVG'.repeat(10)}\n`;
  const [before, after] = [`${begin}${line.repeat(9)}${end}`, `${begin}${line.repeat(5)}${end}`];
  const content = line.trim();
  const draw = async () => ({ type: 'code' as const, path: 'key', content });
  const leftOut = ['the picture, which may hold a private key'];
  const binary = changed('b', 'a\0', 'b\0');
  const kept = await record({ changes: [changed('key', before, after)], draw });
  expect(JSON.stringify(kept)).not.toContain(content);
  expect(kept.changes).toHaveLength(1);
  expect(await record({ changes: [binary, changed('key', before, after)], draw })).toEqual({ leftOut });
  expect(await record({ planned: [changed('key', `${before}${'x'.repeat(300_000)}`, after)], draw })).toEqual({
    leftOut,
  });
  const wide = [before, after].map((text) => Buffer.from(text, 'utf16le'));
  expect(await record({ changes: [changed('key', wide[0], wide[1])], draw })).toEqual({ leftOut });
  expect(await record({ changes: [changed('key', before, undefined), binary], draw })).toEqual({ leftOut });
});

test('who follows or lists calls gets with each what is shown of it', async () => {
  const { directory, call } = await open();
  await call('one');
  const heard: unknown[] = [];
  const stop = followJournal(directory, (row, detail) => void heard.push([row.k, detail.args, detail.text]));
  await call('two');
  const told = [
    ['start', { text: 'two' }, undefined],
    ['end', { text: 'two' }, 'two'],
  ];
  await expect.poll(() => heard).toEqual(told);
  stop();
  const listed: unknown[] = [];
  readCalls(directory, { ...ALL, onRow: (row, detail) => void listed.push([row.what, detail.text]) });
  expect(listed).toEqual([
    ['two', 'two'],
    ['one', 'one'],
  ]);
});
