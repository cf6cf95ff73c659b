import { pathToFileURL } from 'node:url';
import { ToolError } from '@jinn/core/errors';
import { makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import type { ServerView } from './answers/language-question.ts';
import {
  findAllReferences,
  findCodeActions,
  findDiagnostics,
  findDocumentSymbols,
  findHover,
  findLocations,
  planCodeAction,
  planFormat,
  planRename,
} from './answers/queries.ts';
import { processesWith } from './fixture/language-workspace.ts';
import { type Action, CAPABILITIES, makeScripted, type Script } from './fixture/scripted.ts';

const FILES = { 'a.x': 'one two\nthree\n', 'b.x': 'one\n' };
const START = { line: 1, character: 1 };

const hover = (view: ServerView) => findHover(view, START);
const rename = (view: ServerView) => planRename(view, START, { expected: 'one', newName: 'uno' });

function makeError(code: string, message: RegExp | string): object {
  return expect.objectContaining({ code, message: expect.stringMatching(message) });
}

/** A workspace whose server does this when it is asked for a hover. */
function atHover(...actions: Action[]): ReturnType<typeof makeScripted> {
  return makeScripted(FILES, { on: { 'textDocument/hover': actions } });
}

const SAYS = { result: { contents: 'it is one' } };

test('a request without an answer ends at its deadline, and the server is told to stop', async () => {
  const { ask, received } = makeScripted(FILES, { on: { 'textDocument/hover': [] } });
  await ask('a.x', findDocumentSymbols);
  const begun = Date.now();
  await expect(ask('a.x', hover, { limitMs: 300 })).rejects.toEqual(makeError('timeout', /timed out after 0.3s/));
  expect(Date.now() - begun).toBeLessThan(5_000);
  await expect.poll(() => received('$/cancelRequest').length).toBe(1);
});

test('a caller that cancels is not kept waiting', async () => {
  const { ask, received } = makeScripted(FILES, { on: { 'textDocument/hover': [] } });
  await ask('a.x', findDocumentSymbols);
  const controller = new AbortController();
  const asked = ask('a.x', hover, { signal: controller.signal });
  await expect.poll(() => received('textDocument/hover').length).toBe(1);
  controller.abort();
  await expect(asked).rejects.toEqual(makeError('canceled', /canceled/));
});

test('a server that leaves three requests without an answer is replaced', async () => {
  const { ask, received } = makeScripted(FILES, { on: { 'textDocument/hover': [] } });
  await ask('a.x', findDocumentSymbols);
  for (let i = 0; i < 3; i++)
    await expect(ask('a.x', hover, { limitMs: 300 })).rejects.toEqual(makeError('timeout', /./));
  await ask('a.x', findDocumentSymbols);
  expect(received('initialize')).toHaveLength(2);
});

test('a server that says something meanwhile is not replaced, however many requests it leaves', async () => {
  const says = { send: { method: 'window/logMessage', params: { type: 3, message: 'still at work' } } };
  const { ask, received } = makeScripted(FILES, { on: { 'textDocument/hover': [says] } });
  await ask('a.x', findDocumentSymbols);
  for (let i = 0; i < 4; i++)
    await expect(ask('a.x', hover, { limitMs: 300 })).rejects.toEqual(makeError('timeout', /./));
  await ask('a.x', findDocumentSymbols);
  expect(received('initialize')).toHaveLength(1);
});

test('a server that loads is waited for beyond the limit, and no longer than that', async () => {
  const progress = (value: object) => ({ send: { method: '$/progress', params: { token: 1, value } } });
  const begins = progress({ kind: 'begin', title: 'Initializing' });
  const ends = { later: 1_500, action: progress({ kind: 'end' }) };
  const on = (last: readonly Action[]) => ({ 'textDocument/didOpen': [begins], 'textDocument/hover': last });
  const loads = makeScripted(FILES, { on: on([ends, { later: 1_600, action: SAYS }]) });
  const limits = { limitMs: 500, loadingMs: 20_000 };
  expect(await loads.ask('a.x', hover, limits)).toMatchObject({ value: 'it is one' });
  const never = makeScripted(FILES, { on: on([]) });
  const refused = expect.objectContaining({ code: 'timeout', suggestion: expect.stringContaining('timeout: 60') });
  await expect(never.ask('a.x', hover, { limitMs: 500, loadingMs: 2_000 })).rejects.toEqual(refused);
  await expect(never.ask('a.x', hover, { limitMs: 500 })).rejects.toEqual(refused);
});

const BROKEN_FRAMES: readonly [string, string, RegExp][] = [
  ['a length that is too small', 'Content-Length: 5\r\n\r\n{"jsonrpc":"2.0"}', /not JSON|not a message/],
  ['a length of many gigabytes', 'Content-Length: 5000000000\r\n\r\n{}', /5000000000 bytes is too large/],
  ['a length that is no number', 'Content-Length: much\r\n\r\n{}', /not a message/],
  ['a header without a length', 'Content-Type: x\r\n\r\n{}', /header without Content-Length/],
  ['a line between messages', 'loading...\n', /not a message: "loading..."/],
  ['a message of no kind', 'Content-Length: 7\r\n\r\n{"a":1}', /of no kind/],
  ['a message whose method is a number', 'Content-Length: 12\r\n\r\n{"method":1}', /of no kind/],
  ['a message that is a list', 'Content-Length: 2\r\n\r\n[]', /not an object/],
];

for (const [name, raw, message] of BROKEN_FRAMES) {
  test(`${name} ends the server with an error that says so`, async () => {
    const { ask } = atHover({ raw });
    await expect(ask('a.x', hover, { mayRepeat: false })).rejects.toEqual(makeError('lsp_error', message));
  });
}

test('a banner before the first message is passed over', async () => {
  const { ask } = makeScripted(FILES, {
    atStart: [{ raw: 'Welcome!\n\nVersion: 3\r\n' }],
    on: { 'textDocument/hover': [SAYS] },
  });
  expect((await ask('a.x', hover)).value).toBe('it is one');
});

test('headers whose lines end without a carriage return are read', async () => {
  const body = '{"jsonrpc":"2.0","method":"window/logMessage","params":{"type":3,"message":"x"}}';
  const { ask } = atHover({ raw: `Content-Length: ${body.length}\n\n${body}` }, SAYS);
  expect((await ask('a.x', hover)).value).toBe('it is one');
});

test('JSON that is nested without end is survived', async () => {
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  const frame = (text: string) => ({ raw: `Content-Length: ${text.length}\r\n\r\n${text}` });
  const { ask } = atHover(
    frame(`{"jsonrpc":"2.0","method":"noise","params":${deep}}`),
    frame(`{"jsonrpc":"2.0","id":null,"method":"noise","params":${deep}}`),
    frame(`{"jsonrpc":"2.0","id":77,"result":${deep}}`),
    SAYS,
  );
  expect((await ask('a.x', hover)).value).toBe('it is one');
});

test('a body that never comes ends at the deadline', async () => {
  const { ask } = atHover({ raw: 'Content-Length: 1000000\r\n\r\n{' });
  await ask('a.x', findDocumentSymbols);
  await expect(ask('a.x', hover, { limitMs: 300 })).rejects.toEqual(makeError('timeout', /./));
});

const FLOODS: readonly [string, string][] = [
  ['without an end of line', 'x'],
  ['of lines', 'x\n'],
  ['of messages', 'Content-Length: 34\r\n\r\n{"jsonrpc":"2.0","method":"noise"}'],
];

for (const [name, flood] of FLOODS) {
  test(`endless output ${name} takes neither the memory nor the time of others`, async () => {
    const { ask } = atHover({ flood });
    await ask('a.x', findDocumentSymbols);
    globalThis.gc?.();
    const before = process.memoryUsage().rss;
    await expect(ask('a.x', hover, { limitMs: 2_000, mayRepeat: false })).rejects.toBeInstanceOf(ToolError);
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
  });
}

const DEATHS: readonly [string, Script][] = [
  ['before initialize', { atStart: [{ stderr: 'fatal: no licence\n', exit: 3 }] }],
  ['at initialize', { on: { initialize: [{ stderr: 'fatal: no licence\n', exit: 3 }] } }],
  [
    'at initialize, by closing its output',
    { on: { initialize: [{ stderr: 'fatal: no licence\n', closeOutput: true }] } },
  ],
];

for (const [name, script] of DEATHS) {
  test(`a server that dies ${name} is unavailable at once, and the reason is told`, async () => {
    const { ask, received } = makeScripted(FILES, script);
    const begun = Date.now();
    await expect(ask('a.x', hover)).rejects.toMatchObject({
      code: 'lsp_unavailable',
      // That nothing could be written to it is no reason, and to install it is not the first thing to do.
      message: expect.stringMatching(
        /^the language server scripted failed: it (ended|closed its output); fatal: no licence$/,
      ),
      suggestion: expect.stringMatching(
        /^see whether \S+ works by itself; it is installed with: npm install -g scripted$/,
      ),
    });
    expect(Date.now() - begun).toBeLessThan(10_000);
    expect(received('initialize').length).toBeLessThanOrEqual(1);
  });
}

/** What servers write to standard error when they cannot work, and what is said of it. */
const ENDS: readonly [string, RegExp][] = [
  [
    "error: Unknown binary 'rust-analyzer' in official toolchain 'stable'.\n",
    /component of rustup that is not installed/,
  ],
  ['Error: Could not find a valid TypeScript installation. Please ensure\n', /needs TypeScript 5 next to it/],
  [
    "Error: Cannot find module '/home/me/lib/x.js'\n    at Module (node:internal/x:1:2)\n",
    /module of it cannot be found/,
  ],
  ['some line\npanic: index out of range in /home/me/src/x.go\n\ngoroutine 1\n', /panic: index out of range in x.go/],
  ['', /scripted failed: it ended$/],
];

for (const [stderr, message] of ENDS) {
  test(`the reason of an end is told: ${JSON.stringify(stderr.slice(0, 30))}`, async () => {
    const { ask } = makeScripted(FILES, { on: { initialize: [{ stderr, exit: 1 }] } });
    await expect(ask('a.x', hover)).rejects.toEqual(makeError('lsp_unavailable', message));
    await expect(ask('a.x', hover)).rejects.not.toEqual(makeError('lsp_unavailable', /home/));
  });
}

test('a question whose server dies is asked again of a new one, once', async () => {
  const { ask, received } = makeScripted(FILES, {
    on: { 'textDocument/hover': [{ stderr: 'panic: x\n', kill: true }] },
  });
  const asked = ask('a.x', hover);
  await expect(asked).rejects.toEqual(makeError('lsp_error', /scripted failed: it ended; panic: x/));
  expect(received('textDocument/hover')).toHaveLength(2);
});

test('a question that may not be repeated is asked once', async () => {
  const { ask, received } = makeScripted(FILES, { on: { 'textDocument/hover': [{ kill: true }] } });
  await expect(ask('a.x', hover, { mayRepeat: false })).rejects.toEqual(makeError('lsp_error', /ended/));
  expect(received('textDocument/hover')).toHaveLength(1);
});

test('a server that keeps failing is left alone for a while', async () => {
  const { ask, received } = makeScripted(FILES, { on: { initialize: [{ exit: 1 }] } });
  for (let i = 0; i < 3; i++) await expect(ask('a.x', hover)).rejects.toEqual(makeError('lsp_unavailable', /ended/));
  await expect(ask('a.x', hover)).rejects.toMatchObject({
    code: 'lsp_unavailable',
    message: 'the language server scripted failed 3 times in a row',
    suggestion: expect.stringContaining('seconds'),
  });
  expect(received('initialize')).toHaveLength(3);
});

test('requests that are pending when the server dies settle', async () => {
  const { ask } = makeScripted(FILES, {
    on: { 'textDocument/hover': [], 'textDocument/references': [{ kill: true }] },
  });
  await ask('a.x', findDocumentSymbols);
  const pending = ask('a.x', hover, { mayRepeat: false });
  const deadly = ask('a.x', (view) => findAllReferences(view, START), { mayRepeat: false });
  for (const asked of [pending, deadly]) await expect(asked).rejects.toEqual(makeError('lsp_error', /ended/));
});

test('a server that ignores the end of the session is killed with its children', async () => {
  const { ask, servers, mark } = makeScripted(FILES, {
    ignoresEnd: true,
    on: { initialized: [{ child: {} }, { child: { detached: true } }], shutdown: [], exit: [] },
  });
  await ask('a.x', findDocumentSymbols);
  await expect.poll(() => processesWith(mark).length).toBe(3);
  await servers.close();
  await expect.poll(() => processesWith(mark)).toEqual([]);
}, 30_000);

test('the session can end while a server starts', async () => {
  const { ask, servers, received, mark } = makeScripted(FILES, { on: { initialize: [] } });
  const asked = ask('a.x', hover);
  await expect.poll(() => received('initialize').length).toBe(1);
  await Promise.all([servers.close(), expect(asked).rejects.toBeInstanceOf(ToolError)]);
  expect(processesWith(mark)).toEqual([]);
});

test('a request of the server that has the id of ours is not taken for the answer', async () => {
  const asks = [0, 1, 2, 3, 4].map((id) => ({
    send: { id, method: 'workspace/configuration', params: { items: [{}] } },
  }));
  const { ask, received } = atHover(...asks, { later: 50, action: SAYS });
  expect((await ask('a.x', hover)).value).toBe('it is one');
  const answers = received().filter((message) => !('method' in message));
  expect(answers.map((message) => message.id)).toEqual([0, 1, 2, 3, 4]);
});

test('answers that nobody asked for, or that come twice, are dropped', async () => {
  const { ask } = atHover(
    { send: { id: 9_999, result: 'x' } },
    { send: { id: 'x', result: 'x' } },
    { send: { id: null, error: { code: 1, message: 'x' } } },
    { send: { method: '$/cancelRequest' } },
    { send: { method: '$/progress', params: 'x' } },
    { send: { method: 'textDocument/publishDiagnostics', params: null } },
    SAYS,
    { result: { contents: 'another' } },
  );
  expect((await ask('a.x', hover)).value).toBe('it is one');
});

test('requests of the server get an answer, whatever their id and method are', async () => {
  const asks = [
    { id: 'a', method: 'workspace/configuration', params: { items: [{ section: 'one' }, { section: 'no.ne' }, {}] } },
    { id: 'b', method: 'client/registerCapability', params: { registrations: [{ id: '1', method: 'x/y' }] } },
    { id: 'c', method: 'window/workDoneProgress/create', params: { token: 1 } },
    { id: 'd', method: 'workspace/workspaceFolders' },
    {
      id: 'e',
      method: 'window/showMessageRequest',
      params: { type: 1, message: 'Sure?', actions: [{ title: 'Yes' }] },
    },
    { id: 'f', method: 'workspace/applyEdit', params: { edit: {} } },
    { id: 'g', method: 'workspace/diagnostic/refresh' },
    { id: 'h', method: 'made/up', params: [1, 2] },
    { id: 'i', method: 'window/showDocument', params: { uri: 'https://example.com' } },
  ];
  const { ask, received, root } = makeScripted(
    FILES,
    { on: { initialized: asks.map((send) => ({ send })) } },
    { server: { settings: { one: { two: 3 } } } },
  );
  await ask('a.x', findDocumentSymbols);
  const answers = () => received().filter((message) => !('method' in message));
  await expect.poll(() => answers().length).toBe(asks.length);
  const byId = Object.fromEntries(answers().map(({ id, result }) => [id, result]));
  expect(byId).toEqual({
    a: [{ two: 3 }, {}, { one: { two: 3 } }],
    b: null,
    c: null,
    d: [{ uri: pathToFileURL(root).href, name: expect.any(String) }],
    e: null,
    f: { applied: false, failureReason: expect.any(String) },
    g: null,
    h: null,
    i: { success: false },
  });
});

const STRANGE_RESULTS = [
  null,
  5,
  'x',
  true,
  [],
  {},
  [null, 5, 'x', [], {}],
  { uri: 5 },
  [{ uri: 'x', range: { start: 1 } }],
];

test('results of a wrong shape are nothing, not a failure', async () => {
  for (const result of STRANGE_RESULTS) {
    const on = Object.fromEntries(
      ['hover', 'definition', 'references', 'documentSymbol'].map((name) => [`textDocument/${name}`, [{ result }]]),
    );
    const { ask, servers } = makeScripted(FILES, { on });
    expect((await ask('a.x', hover)).value).toBeUndefined();
    expect((await ask('a.x', (view) => findLocations(view, 'definition', START))).value).toEqual([]);
    expect((await ask('a.x', (view) => findAllReferences(view, START))).value.total).toBe(0);
    expect((await ask('a.x', findDocumentSymbols)).value).toEqual([]);
    await servers.close();
  }
}, 60_000);

test('symbols that hold each other without end are cut', async () => {
  const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 3 } };
  let symbol: object = { name: 'deep', kind: 99, range, selectionRange: range };
  for (let i = 0; i < 3_000; i++) symbol = { name: 'deep', kind: 99, range, selectionRange: range, children: [symbol] };
  const { parseSymbols } = await import('./answers/parse-symbols.ts');
  const { TextLines } = await import('./client/positions.ts');
  const lines = new TextLines('one two\n');
  const found = parseSymbols([symbol], lines, { range: () => ({ start: START, end: START }) } as never);
  let depth = 0;
  for (let at = found; at.length > 0; at = [...(at[0]?.children ?? [])]) depth++;
  expect(depth).toBeLessThan(100);
});

test('locations outside of the workspace are named, and are not opened', async () => {
  const range = { start: { line: 4, character: 0 }, end: { line: 4, character: 1 } };
  const uris = [
    'file:///usr/lib/go/src/fmt/print.go',
    'file:///etc/passwd',
    'jdt://contents/java.base/java.lang/String.class?=x',
    'file://other.host/a.x',
    'file:///a%2Fb.x',
    'not a uri',
    '',
  ];
  const { ask, root } = makeScripted(
    { ...FILES, '.env': 'SECRET=1\n', link: { symlink: '/etc' } },
    {
      on: {
        'textDocument/definition': [{ result: uris.map((uri) => ({ uri, range })) }],
        'textDocument/references': [],
      },
    },
  );
  const { value } = await ask('a.x', (view) => findLocations(view, 'definition', START));
  expect(value).toEqual(
    ['fmt/print.go', 'etc/passwd', 'java.lang/String.class', 'other.host/a.x', 'a/b.x', 'not a uri', 'unknown'].map(
      (outside) => ({ outside: expect.stringContaining(outside.split('/').at(-1) ?? ''), line: 5 }),
    ),
  );
  expect(JSON.stringify(value)).not.toContain('/usr/lib');
  expect(root).not.toBe('');
});

test('a file that no tool may open is not read for an answer', async () => {
  const at = (root: string, name: string) => ({
    targetUri: pathToFileURL(`${root}/${name}`).href,
    targetRange: { start: { line: 0, character: 0 }, end: { line: 0, character: 3 } },
    targetSelectionRange: { start: { line: 0, character: 0 }, end: { line: 0, character: 3 } },
  });
  const { makeTempDirectory } = await import('@jinn/testkit');
  const root = makeTempDirectory();
  makeTree(root, { '.env': 'SECRET=1\n', link: { symlink: '/etc' } });
  const result = [at(root, '.env'), at(root, 'link/hostname'), at(root, 'missing.x'), at(root, 'b.x')];
  const { ask } = makeScripted(FILES, { on: { 'textDocument/definition': [{ result }] } }, { root });
  const { value } = await ask('a.x', (view) => findLocations(view, 'definition', START));
  expect(value.map((location) => ('path' in location ? location.text : location.outside))).toEqual([
    '.env',
    'link/hostname',
    'missing.x',
    'one',
  ]);
});

const RANGE = (line: number, from: number, to: number) => ({
  start: { line, character: from },
  end: { line, character: to },
});

/** Edits that are refused, each with the code of the refusal. */
const BAD_EDITS: readonly [string, (uri: (name: string) => string) => unknown, string, RegExp][] = [
  [
    'a line that is not there',
    (uri) => ({ changes: { [uri('a.x')]: [{ range: RANGE(9, 0, 1), newText: '' }] } }),
    'lsp_error',
    /does not lie in the text/,
  ],
  [
    'a column beyond the line',
    (uri) => ({ changes: { [uri('a.x')]: [{ range: RANGE(0, 0, 99), newText: '' }] } }),
    'lsp_error',
    /does not lie in the text/,
  ],
  [
    'negative numbers',
    (uri) => ({ changes: { [uri('a.x')]: [{ range: RANGE(0, -1, 2), newText: '' }] } }),
    'lsp_error',
    /unknown form/,
  ],
  [
    'an end before the start',
    (uri) => ({ changes: { [uri('a.x')]: [{ range: RANGE(0, 3, 1), newText: '' }] } }),
    'lsp_error',
    /unknown form/,
  ],
  [
    'edits that overlap',
    (uri) => ({
      changes: {
        [uri('a.x')]: [
          { range: RANGE(0, 0, 3), newText: 'a' },
          { range: RANGE(0, 2, 5), newText: 'b' },
        ],
      },
    }),
    'lsp_error',
    /overlap/,
  ],
  [
    'two texts for one range',
    (uri) => ({
      changes: {
        [uri('a.x')]: [
          { range: RANGE(0, 0, 3), newText: 'a' },
          { range: RANGE(0, 0, 3), newText: 'b' },
        ],
      },
    }),
    'lsp_error',
    /overlap/,
  ],
  [
    'a file outside',
    () => ({ changes: { 'file:///etc/passwd': [] } }),
    'path_outside_sandbox',
    /blocked: .*etc\/passwd/,
  ],
  [
    'a file above by dots',
    (uri) => ({ changes: { [`${uri('')}../../../x.x`]: [] } }),
    'path_outside_sandbox',
    /blocked/,
  ],
  [
    'a secret',
    (uri) => ({ changes: { [uri('.env')]: [{ range: RANGE(0, 0, 1), newText: '' }] } }),
    'path_outside_sandbox',
    /blocked/,
  ],
  ['another scheme', () => ({ changes: { 'untitled:x': [] } }), 'path_outside_sandbox', /blocked/],
  [
    'the root',
    (uri) => ({ documentChanges: [{ kind: 'delete', uri: uri(''), options: { recursive: true } }] }),
    'path_outside_sandbox',
    /workspace itself/,
  ],
  [
    'a rename that leaves',
    (uri) => ({ documentChanges: [{ kind: 'rename', oldUri: uri('a.x'), newUri: 'file:///tmp/a.x' }] }),
    'path_outside_sandbox',
    /blocked/,
  ],
  [
    'a rename onto a file',
    (uri) => ({ documentChanges: [{ kind: 'rename', oldUri: uri('a.x'), newUri: uri('b.x') }] }),
    'conflict',
    /exists/,
  ],
  [
    'a new file that exists',
    (uri) => ({ documentChanges: [{ kind: 'create', uri: uri('b.x') }] }),
    'conflict',
    /exists/,
  ],
  [
    'an unknown operation',
    (uri) => ({ documentChanges: [{ kind: 'chmod', uri: uri('b.x') }] }),
    'lsp_error',
    /not known: chmod/,
  ],
  [
    'an old version',
    (uri) => ({ documentChanges: [{ textDocument: { uri: uri('a.x'), version: 7_777 }, edits: [] }] }),
    'stale_file',
    /has changed/,
  ],
  ['a file that is missing', (uri) => ({ changes: { [uri('missing.x')]: [] } }), 'file_not_found', /missing/],
  [
    'bytes that are no text',
    (uri) => ({ changes: { [uri('latin.x')]: [{ range: RANGE(0, 0, 1), newText: '' }] } }),
    'binary_file',
    /UTF-8/,
  ],
  [
    'what a person must confirm',
    (uri) => ({
      changeAnnotations: { a: { label: 'Really?', needsConfirmation: true } },
      changes: { [uri('a.x')]: [] },
    }),
    'lsp_error',
    /confirm: Really/,
  ],
  [
    'text that is none',
    (uri) => ({ changes: { [uri('a.x')]: [{ range: RANGE(0, 0, 1), newText: 5 }] } }),
    'lsp_error',
    /unknown form/,
  ],
  ['an edit that is a word', () => ({ changes: 'x' }), 'lsp_error', /unknown form/],
];

for (const [name, edit, code, message] of BAD_EDITS) {
  test(`a rename is refused for ${name}`, async () => {
    const { makeTempDirectory } = await import('@jinn/testkit');
    const root = makeTempDirectory();
    const result = edit((file) => pathToFileURL(`${root}/${file}`).href);
    const tree = { ...FILES, '.env': 'X=1\n', 'latin.x': Buffer.from([0xe9, 0x0a]) };
    const on = { 'textDocument/rename': [{ result }], 'textDocument/definition': [{ result: null }] };
    const { ask } = makeScripted(tree, { on }, { root });
    await expect(ask('a.x', rename)).rejects.toEqual(makeError(code, message));
  });
}

test('an edit may create, rename and delete files, and change them on the way', async () => {
  const { makeTempDirectory } = await import('@jinn/testkit');
  const root = makeTempDirectory();
  const uri = (file: string) => pathToFileURL(`${root}/${file}`).href;
  const first = { range: RANGE(0, 0, 3), newText: 'uno' };
  const result = {
    documentChanges: [
      { textDocument: { uri: uri('a.x'), version: null }, edits: [first, first] },
      { kind: 'rename', oldUri: uri('b.x'), newUri: uri('c.x') },
      { textDocument: { uri: uri('c.x'), version: 0 }, edits: [first] },
      { kind: 'create', uri: uri('new.x') },
      { textDocument: { uri: uri('new.x'), version: null }, edits: [{ range: RANGE(0, 0, 0), newText: 'hello\n' }] },
      { kind: 'delete', uri: uri('d.x') },
    ],
  };
  const tree = { ...FILES, 'd.x': 'gone\n' };
  const { ask } = makeScripted(tree, { on: { 'textDocument/rename': [{ result }] } }, { root });
  expect((await ask('a.x', rename)).value).toEqual([
    {
      kind: 'change',
      path: 'a.x',
      before: 'one two\nthree\n',
      after: 'uno two\nthree\n',
      edits: [{ range: { start: START, end: { line: 1, character: 4 } }, newText: 'uno' }],
    },
    { kind: 'rename', path: 'b.x', to: 'c.x', overwrite: false, before: 'one\n', after: 'uno\n' },
    { kind: 'create', path: 'new.x', after: 'hello\n', overwrite: false },
    { kind: 'delete', path: 'd.x', recursive: false },
  ]);
});

test('a rename of another word than the one that is meant is refused', async () => {
  const capabilities = { ...CAPABILITIES, definitionProvider: false, renameProvider: { prepareProvider: true } };
  const on = (result: unknown) => ({ capabilities, on: { 'textDocument/prepareRename': [{ result }] } });
  const other = makeScripted(FILES, on({ range: RANGE(0, 4, 7), placeholder: 'two' }));
  await expect(other.ask('a.x', rename)).rejects.toEqual(makeError('lsp_error', /rename "two", not "one"/));
  const none = makeScripted(FILES, on(null));
  await expect(none.ask('a.x', rename)).rejects.toEqual(makeError('lsp_error', /nothing to rename/));
});

for (const newName of ['1 bad', 'a b', '', 'a-b', 'x\ny', 'a'.repeat(501)]) {
  test(`a rename to ${JSON.stringify(newName.slice(0, 10))} is refused before it is asked`, async () => {
    const { ask, received } = makeScripted(FILES, {});
    const asked = ask('a.x', (view) => planRename(view, START, { expected: 'one', newName }));
    await expect(asked).rejects.toEqual(makeError('invalid_args', /cannot be the new name/));
    expect(received('textDocument/rename')).toEqual([]);
  });
}

test('an error of the server is told with its code, without the paths of the machine', async () => {
  const { ask } = atHover({
    error: { code: -32_603, message: 'cannot open /home/someone/secret/a.ts:\n at /usr/lib/x.js' },
  });
  await expect(ask('a.x', hover)).rejects.toEqual(
    makeError('lsp_error', /^lsp error -32603: cannot open a.ts: at x.js$/),
  );
});

test('an error of any form answers the request at once', async () => {
  for (const error of [{}, { code: 'x', message: { toString: 1 } }, { code: {}, message: null }]) {
    const { ask } = atHover({ error });
    await expect(ask('a.x', hover)).rejects.toEqual(makeError('lsp_error', /^lsp error -32001: $/));
  }
});

test('a question is asked again when the server says that its content changed', async () => {
  const modified = { error: { code: -32_801, message: 'content modified' } };
  const { ask } = makeScripted(FILES, { on: { 'textDocument/hover': [[modified], [modified], [SAYS]] } });
  expect((await ask('a.x', hover)).value).toBe('it is one');
});

test('a code action may edit, and may run a command that sends its edit', async () => {
  const { makeTempDirectory } = await import('@jinn/testkit');
  const root = makeTempDirectory();
  const edit = { changes: { [pathToFileURL(`${root}/a.x`).href]: [{ range: RANGE(0, 0, 3), newText: 'uno' }] } };
  const result = [
    { title: 'edit', kind: 'quickfix', edit },
    { title: 'command', command: 'do', arguments: [1] },
    { title: 'off', disabled: { reason: 'not now' } },
    { kind: 'nameless' },
    null,
  ];
  const { ask } = makeScripted(
    FILES,
    {
      on: {
        'textDocument/codeAction': [{ result }],
        'workspace/executeCommand': [
          { send: { id: 'e', method: 'workspace/applyEdit', params: { edit } } },
          { later: 100, action: { result: null } },
        ],
      },
    },
    { root },
  );
  const { value } = await ask('a.x', async (view) => {
    const actions = await findCodeActions(view, { start: START, end: START });
    const plans = [];
    for (const action of actions.slice(0, 2)) plans.push(await planCodeAction(view, action));
    return { actions, plans };
  });
  expect(value.actions.map(({ title, disabled }) => [title, disabled])).toEqual([
    ['edit', undefined],
    ['command', undefined],
    ['off', 'not now'],
  ]);
  for (const plan of value.plans)
    expect(plan).toMatchObject([{ kind: 'change', path: 'a.x', after: 'uno two\nthree\n' }]);
  const off = value.actions[2];
  await expect(ask('a.x', (view) => planCodeAction(view, off as never))).rejects.toEqual(
    makeError('lsp_error', /not now/),
  );
});

test('what a server cannot do is told', async () => {
  const { ask } = makeScripted(FILES, { capabilities: {} });
  await expect(ask('a.x', hover)).rejects.toEqual(
    makeError('lsp_error', /scripted does not support textDocument\/hover/),
  );
  const formatted = ask('a.x', (view) => planFormat(view, { tabSize: 2, insertSpaces: true }));
  await expect(formatted).rejects.toEqual(makeError('lsp_error', /does not support/));
});

test('a position that is not in the file is refused, with what the file has', async () => {
  const { ask } = makeScripted(FILES, {});
  const at = (line: number, character: number) => ask('a.x', (view) => findHover(view, { line, character }));
  await expect(at(1, 99)).rejects.toEqual(makeError('invalid_args', /line 1 has 7 characters/));
  await expect(at(9, 1)).rejects.toEqual(makeError('invalid_args', /a.x has 3 lines/));
});

test('diagnostics for an old version, or for a file that is not open, are not taken', async () => {
  const { makeTempDirectory } = await import('@jinn/testkit');
  const root = makeTempDirectory();
  const publish = (file: string, version: number, message: string) => ({
    send: {
      method: 'textDocument/publishDiagnostics',
      params: {
        uri: pathToFileURL(`${root}/${file}`).href,
        version,
        diagnostics: [{ range: RANGE(0, 0, 3), message }],
      },
    },
  });
  const { ask } = makeScripted(
    FILES,
    {
      on: {
        'textDocument/didOpen': [
          publish('a.x', 0, 'old'),
          publish('b.x', 1, 'other'),
          { later: 200, action: publish('a.x', 1, 'new') },
        ],
      },
    },
    { root },
  );
  const { value } = await ask('a.x', findDiagnostics);
  expect(value).toEqual({
    diagnostics: [
      { path: 'a.x', range: { start: START, end: { line: 1, character: 4 } }, severity: 'error', message: 'new' },
    ],
    isPending: false,
  });
});

test('without diagnostics in time they are pending, not none', async () => {
  const { ask } = makeScripted(FILES, {});
  const { value } = await ask('a.x', findDiagnostics, { limitMs: 600 });
  expect(value).toEqual({ diagnostics: [], isPending: true });
});
