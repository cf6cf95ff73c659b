import fs from 'node:fs';
import { pathToFileURL } from 'node:url';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, test } from 'vitest';
import type { ServerView } from './answers/language-question.ts';
import {
  findAllReferences,
  findCodeActions,
  findDiagnostics,
  findDocumentSymbols,
  findHover,
} from './answers/queries.ts';
import { RequestAnswers } from './client/server-requests.ts';
import { processesWith } from './fixture/language-workspace.ts';
import { type Action, CAPABILITIES, makeScripted } from './fixture/scripted.ts';

const FILES = { 'a.x': 'one two\nthree\n' };
const START = { line: 1, character: 1 };
const RANGE = { start: { line: 0, character: 0 }, end: { line: 0, character: 3 } };
const DEEP = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
const SAYS = { result: { contents: 'it is one' } };

const hover = (view: ServerView) => findHover(view, START);

function frame(text: string): string {
  return `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}

/** A workspace whose server does this when it is asked for a hover. */
function atHover(...actions: Action[]): ReturnType<typeof makeScripted> {
  return makeScripted(FILES, { on: { 'textDocument/hover': actions } });
}

test.each(['99999999999999999999', '-5', '0x10', '1e3', ''])(
  'a length of %j in the first header ends the server at once',
  async (length) => {
    const { ask } = makeScripted(FILES, { atStart: [{ raw: `Content-Length: ${length}\r\n\r\n{}` }] });
    await expect(ask('a.x', hover)).rejects.toMatchObject({
      code: 'lsp_unavailable',
      message: expect.stringContaining(`not a message: "Content-Length:${length && ` ${length}`}"`),
    });
  },
);

/** Keeps a text in a file for the server, since it would be too long for its arguments. */
function keep(text: string): string {
  const file = `${makeTempDirectory()}/text`;
  fs.writeFileSync(file, text);
  return file;
}

test.each([
  ['lists within lists', '['.repeat(2_000_000)],
  ['empty lists', `[${'[],'.repeat(5_000_000)}1]`],
  ['empty objects', `[${'{},'.repeat(5_000_000)}1]`],
])('a result of millions of %s is refused before it is parsed', async (_, result) => {
  const { ask } = atHover({ resultFile: keep(result) });
  await expect(ask('a.x', hover, { mayRepeat: false })).rejects.toMatchObject({
    code: 'lsp_error',
    message: expect.stringMatching(/it sent a message of \d+ bytes with too many values/),
  });
});

test('commas and brackets in texts are not counted', async () => {
  const { ask } = atHover({ resultFile: keep(`{"contents":"\\\\\\"${','.repeat(10_000_000)}"}`) });
  expect((await ask('a.x', hover)).value).toMatch(/^\\",,,/);
});

test('a result of 60,000 locations is taken', async () => {
  const place = `{"uri":"file:///a.x","range":${JSON.stringify(RANGE)}},`;
  const { ask } = makeScripted(FILES, {
    on: { 'textDocument/references': [{ resultFile: keep(`[${place.repeat(60_000)}null]`) }] },
  });
  expect((await ask('a.x', (view) => findAllReferences(view, START))).value.total).toBe(1);
});

test.runIf(process.platform === 'linux')(
  'a server that asks without end and reads nothing is not read either',
  async () => {
    const asks = frame('{"jsonrpc":"2.0","id":"#########","method":"workspace/configuration","params":{"items":[{}]}}');
    const { ask, mark } = atHover({ deaf: true, flood: asks });
    await ask('a.x', findDocumentSymbols);
    await expect(ask('a.x', hover, { limitMs: 3_000 })).rejects.toMatchObject({ code: 'timeout' });
    const written = processesWith(mark).map(
      (pid) => /wchar: (\d+)/.exec(fs.readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1],
    );
    expect(Math.max(...written.map(Number))).toBeLessThan(1024 * 1024);
  },
);

test('of what a server registers for, only short options are kept', () => {
  const answers = new RequestAnswers({ root: '/', settings: {}, answers: {} });
  const registerOptions = {
    identifier: 'x',
    resolveProvider: true,
    text: 'x'.repeat(1_000),
    list: ['x'.repeat(1_000_000)],
  };
  answers.answer('client/registerCapability', { registrations: [{ id: 1, method: 'x/y', registerOptions }] });
  expect(answers.registrationOf('x/y')).toEqual({ identifier: 'x', resolveProvider: true });
  answers.answer('client/unregisterCapability', { unregisterations: [{ id: 1 }] });
  expect(answers.registrationOf('x/y') !== undefined).toBe(false);
});

test('of what a server publishes about a file, half a megabyte is kept', async () => {
  const root = makeTempDirectory();
  const item = { range: RANGE, message: 'one', data: 'x'.repeat(10_000) };
  const params = { uri: pathToFileURL(`${root}/a.x`).href, diagnostics: Array.from({ length: 100 }, () => item) };
  const message = JSON.stringify({ jsonrpc: '2.0', method: 'textDocument/publishDiagnostics', params });
  const on = { 'textDocument/didOpen': [{ rawFile: keep(frame(message)) }] };
  const { ask } = makeScripted(FILES, { on }, { root });
  const { diagnostics } = (await ask('a.x', findDiagnostics)).value;
  expect(diagnostics.length).toBe(Math.floor((512 * 1024) / JSON.stringify(item).length));
});

/** What is deep, by the method that it answers, and what is made of it. */
const DEEP_RESULTS: readonly [string, string, (view: ServerView) => Promise<unknown>, unknown][] = [
  [
    'textDocument/documentSymbol',
    `[{"name":${DEEP},"kind":${DEEP},"detail":${DEEP},"range":${JSON.stringify(RANGE)}}]`,
    findDocumentSymbols,
    [expect.objectContaining({ name: '', kind: 'Symbol' })],
  ],
  [
    'textDocument/diagnostic',
    `{"items":[{"range":${JSON.stringify(RANGE)},"severity":${DEEP},"code":${DEEP},"message":${DEEP}}]}`,
    findDiagnostics,
    { diagnostics: [expect.objectContaining({ severity: 'error', message: '' })], isPending: false },
  ],
  [
    'textDocument/codeAction',
    `[{"title":"x","disabled":{"reason":${DEEP}}}]`,
    (view) => findCodeActions(view, { start: START, end: START }),
    [expect.objectContaining({ disabled: 'it is disabled' })],
  ],
];

test.each(DEEP_RESULTS)('a text of %s that is nested 100,000 deep is none', async (method, result, run, value) => {
  const capabilities = { ...CAPABILITIES, diagnosticProvider: {} };
  const { ask } = makeScripted(FILES, { capabilities, on: { [method]: [{ resultFile: keep(result) }] } });
  expect((await ask('a.x', run)).value).toEqual(value);
});

test('messages that are nested 100,000 deep are survived', async () => {
  const notes = [
    ['window/logMessage', `{"message":${DEEP}}`],
    ['$/progress', `{"token":${DEEP},"value":{"kind":"begin","title":${DEEP}}}`],
    ['$/progress', `{"token":1,"value":{"kind":"begin","title":${DEEP}}}`],
    ['textDocument/publishDiagnostics', `{"uri":${DEEP},"diagnostics":${DEEP}}`],
    ['experimental/serverStatus', `{"health":${DEEP},"message":${DEEP}}`],
  ];
  const asks = [
    ['client/registerCapability', `{"registrations":[{"id":${DEEP},"method":${DEEP},"registerOptions":${DEEP}}]}`],
    ['window/showMessageRequest', `{"message":${DEEP},"actions":[${DEEP}]}`],
    ['workspace/applyEdit', `{"edit":${DEEP}}`],
  ];
  const raw = [
    ...notes.map(([method, params]) => `{"jsonrpc":"2.0","method":"${method}","params":${params}}`),
    ...asks.map(([method, params]) => `{"jsonrpc":"2.0","id":"${method}","method":"${method}","params":${params}}`),
  ];
  const { ask } = atHover({ rawFile: keep(raw.map(frame).join('')) }, SAYS);
  expect((await ask('a.x', hover)).value).toBe('it is one');
});
