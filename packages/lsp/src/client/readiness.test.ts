import { pathToFileURL } from 'node:url';
import { makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { findWord } from '../answers/parse-symbols.ts';
import { findAllReferences, findDocumentSymbols, type LocationPage } from '../answers/queries.ts';
import { isInstalled, makeWorkspace } from '../fixture/language-workspace.ts';
import { type Action, makeScripted } from '../fixture/scripted.ts';
import { SERVER_TABLE } from '../servers/server-table.ts';
import { Deadline } from './deadline.ts';
import { Readiness } from './readiness.ts';

const PLACE = { line: 1, character: 1 };
const AT = (line: number) => ({
  uri: pathToFileURL('/elsewhere/b.x').href,
  range: { start: { line, character: 0 }, end: { line, character: 1 } },
});

function progress(value: object, token = 'index'): Action {
  return { send: { method: '$/progress', params: { token, value } } };
}

/** A server that knows one reference while it indexes, and three when it has done so. */
function indexing(ms: number, ready: object) {
  return makeScripted(
    { 'a.x': 'one\n' },
    {
      on: {
        'textDocument/didOpen': [
          progress({ kind: 'begin', title: 'Indexing', percentage: 0 }),
          progress({ kind: 'report', message: '3/7', percentage: 43 }),
          { later: ms, action: progress({ kind: 'end' }) },
          {
            later: ms,
            action: { send: { method: 'window/logMessage', params: { type: 3, message: 'Found 3 source files' } } },
          },
          { later: ms, action: { send: { method: 'server/status', params: { quiescent: true } } } },
          { later: ms, action: { send: { method: 'test/done' } } },
        ],
        'textDocument/references': [[{ result: ms > 1_000 ? [AT(1)] : [AT(1), AT(2), AT(3)] }]],
      },
    },
    { server: { ready } },
  );
}

const SIGNALS: readonly [string, object][] = [
  ['the end of a progress by its title', { progress: '^Indexing' }],
  ['the end of a progress by its token', { progress: '^index$' }],
  ['a line of its log', { log: 'Found \\d+ source files' }],
  ['a field of a notification', { notification: { method: 'server/status', field: 'quiescent', value: true } }],
  ['a notification', { notification: { method: 'test/done' } }],
  ['quiet after progress', { quiet: 100 }],
];

for (const [name, ready] of SIGNALS) {
  test(`a question waits for ${name}`, async () => {
    const { ask } = indexing(300, ready);
    const begun = Date.now();
    const told: string[] = [];
    const answer = await ask('a.x', (view) => findAllReferences(view, PLACE), {
      progress: (message) => void told.push(message),
    });
    expect(Date.now() - begun).toBeGreaterThanOrEqual(300);
    expect(answer.incomplete).toEqual([]);
    expect((answer.value as { total: number }).total).toBe(3);
    expect(told.join()).toContain('Indexing 3/7 43 %');
  });
}

const [[, READY]] = SIGNALS as [[string, object]];

/** A server that runs and still indexes: its start counts for no later question. */
async function stillIndexing() {
  const { ask, received } = indexing(60_000, READY);
  ask('a.x', findDocumentSymbols).catch(() => {}); // It waits until the server is ended.
  await expect.poll(() => received('textDocument/didOpen')).toHaveLength(1);
  return ask;
}

test('a question that cannot wait says that the answer may lack something', async () => {
  const ask = await stillIndexing();
  const answer = await ask('a.x', (view) => findAllReferences(view, PLACE), { limitMs: 1_500 });
  expect(answer.incomplete).toEqual(['Indexing 3/7 43 %']);
  expect((answer.value as { total: number }).total).toBe(1);
});

test('nothing found before the server is ready is a timeout, not nothing', async () => {
  const ask = await stillIndexing();
  await expect(ask('a.x', findDocumentSymbols, { limitMs: 1_500 })).rejects.toMatchObject({
    code: 'timeout',
    message: expect.stringContaining('the project is not loaded yet (Indexing 3/7 43 %)'),
  });
});

test('a progress that does not begin in time is not waited for', async () => {
  const { ask } = makeScripted(
    { 'a.x': 'one\n' },
    {},
    { server: { ready: { progress: 'Indexing', beginsWithin: 200 } } },
  );
  const begun = Date.now();
  expect((await ask('a.x', findDocumentSymbols)).incomplete).toEqual([]);
  expect(Date.now() - begun).toBeGreaterThanOrEqual(200);
});

test('a server that falls back to work is not ready again until it is done', () => {
  const readiness = new Readiness({ notification: { method: 's', field: 'quiescent', value: true } });
  expect(readiness.isReady).toBe(false);
  readiness.notified('s', { quiescent: true, health: 'ok' });
  expect([readiness.isReady, readiness.reason]).toEqual([true, undefined]);
  readiness.notified('s', { quiescent: false });
  expect(readiness.isReady).toBe(false);
  readiness.notified('s', { quiescent: true, health: 'error', message: 'cargo metadata failed' });
  expect([readiness.isReady, readiness.reason]).toEqual([true, 'error: cargo metadata failed']);
});

test('progress without end, of any number, takes no memory', () => {
  const readiness = new Readiness({ quiet: 0 });
  readiness.documentOpened();
  for (let i = 0; i < 5_000; i++) readiness.progressed(i, { kind: 'begin', title: 'x'.repeat(10_000) });
  expect(readiness.reason?.length).toBeLessThan(500);
});

test('waiting ends when the server does', async () => {
  const readiness = new Readiness({ log: 'x' });
  const waiting = readiness.wait(new Deadline(60_000));
  readiness.end();
  expect(await waiting).toBe(false);
});

test('waiting ends when the caller cancels', async () => {
  const controller = new AbortController();
  const waiting = new Readiness({ log: 'x' }).wait(new Deadline(60_000, controller.signal));
  controller.abort();
  await expect(waiting).rejects.toMatchObject({ code: 'canceled' });
});

test('the signals of the table are regular expressions', () => {
  for (const { ready } of Object.values(SERVER_TABLE.servers)) {
    for (const pattern of [ready?.log, ready?.progress]) expect(() => new RegExp(pattern ?? '')).not.toThrow();
  }
});

/** A project of its own for the tests, of which a server learns only when one of its files is opened. */
const TWO_PROJECTS = {
  'src/tsconfig.json': '{"compilerOptions":{"composite":true,"types":[]},"include":["*.ts"]}',
  'src/add.ts': 'export function add(a: number): number {\n  return a;\n}\n',
  'src/use.ts': "import { add } from './add';\nadd(1);\n",
  'test/tsconfig.json': '{"compilerOptions":{"types":[]},"include":["*.ts"],"references":[{"path":"../src"}]}',
  'test/add.test.ts': "import { add } from '../src/add';\nadd(2);\nadd(3);\n",
  'package-lock.json': '{}',
};

test('references in another project are found when a file of it mentions the word', async () => {
  const { ask } = makeWorkspace(TWO_PROJECTS, { programs: ['tsc'] });
  const count = async (files: readonly string[]) => {
    const answer = await ask(
      'src/add.ts',
      (view) => findAllReferences(view, findWord(view.document.lines, 'add', 1) ?? PLACE),
      {
        mentioned: { word: 'add', files },
        reported: ({ perFile }: LocationPage) => perFile.keys(),
        isProjectWide: true,
      },
    );
    return (answer.value as { total: number }).total;
  };
  expect(await count([])).toBe(3); // Ready, and yet not complete.
  expect(await count(['test/add.test.ts', 'missing.ts'])).toBe(6);
});

test.skipIf(!isInstalled('clangd'))(
  'clangd without a compile_commands.json says that it knows only open files',
  async () => {
    const { ask, root } = makeWorkspace({ 'a.c': 'int one(void) { return 1; }\n' });
    const references = () =>
      ask('a.c', (view) => findAllReferences(view, { line: 1, character: 5 }), { isProjectWide: true });
    expect((await references()).incomplete).toEqual([expect.stringContaining('without compile_commands.json')]);
    makeTree(root, { 'compile_commands.json': '[]' });
    expect((await references()).incomplete).toEqual([]);
  },
);
