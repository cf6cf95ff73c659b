import { expect, test } from 'vitest';
import { findReferences } from './find-references.ts';
import { openProject } from './fixture/project.ts';
import { location, rangeOf, type Script, scripted } from './fixture/servers.ts';
import { gotoDefinition } from './goto-definition.ts';
import { hover } from './hover.ts';
import { renameSymbol } from './rename-symbol.ts';
import { symbolDiagnostics } from './symbol-diagnostics.ts';

const FILES = {
  'a.ts': 'export function run(): void {}\nrun();\nconst runner = 1;\n',
  'b.ts': "import { run } from './a';\nrun();\n",
  '.env': 'run=1\n',
} as const;
const RUN = { name_path: 'run', path: 'a.ts' };
const DECLARED = location('a.ts', 0, [16, 19]);
const USED = location('a.ts', 1, [0, 3]);

function open(on: Script, capabilities: object = {}) {
  return openProject(FILES, scripted(on, capabilities));
}

function change(edits: readonly object[], file = 'a.ts'): object {
  return { result: { changes: { [`file:///${file}`]: edits } } };
}

function edit(line: number, columns: readonly [number, number], newText = 'start'): object {
  return { range: rangeOf(line, columns), newText };
}

test.for([
  ['leaves the declaration out', [USED], 'does not name a.ts:1, where run is declared'],
  ['names a part of an identifier', [DECLARED, location('a.ts', 2, [6, 9])], 'names a use at a.ts:3:7'],
  ['names a range that is not an identifier', [DECLARED, location('a.ts', 1, [3, 5])], 'names a use at a.ts:2:4'],
  [
    'names a range of several lines',
    [DECLARED, { uri: 'file:///b.ts', range: { start: { line: 0, character: 9 }, end: { line: 1, character: 3 } } }],
    'names a use at b.ts:1:10',
  ],
] as const)('references of a server that %s are not taken', async ([, result, why]) => {
  const { ask } = open({ 'textDocument/references': [{ result }] });
  const answer = await ask(findReferences, RUN);
  expect(answer).toMatchObject({ ok: true, total_count: 4, meta: { textual: true } });
  expect(answer.meta).toHaveProperty('warnings', [expect.stringContaining(why)]);
});

test('references that fit are taken, and a secret is named like what lies outside', async () => {
  const { ask } = open({ 'textDocument/references': [{ result: [DECLARED, USED, location('.env', 0, [0, 3])] }] });
  const answer = await ask(findReferences, RUN);
  expect(answer.meta).toMatchObject({ server: 'scripted', complete: true });
  expect(JSON.parse(answer.result ?? '').references).toEqual([
    { file: '.env', line: 1, source: 'library' },
    expect.objectContaining({ file: 'a.ts', line: 1 }),
    expect.objectContaining({ file: 'a.ts', line: 2 }),
  ]);
});

test.for([
  ['another word', location('a.ts', 2, [6, 12])],
  ['a part of a word', location('a.ts', 2, [6, 9])],
  ['a place behind the end', location('a.ts', 99, [0, 3])],
] as const)('a definition at %s is not taken', async ([, result]) => {
  const { ask } = open({ 'textDocument/definition': [{ result }] });
  for (const tool of [gotoDefinition, hover]) {
    const answer = await ask(tool, { path: 'b.ts', line: 2, identifier: 'run' });
    expect(answer).toMatchObject({ ok: true, meta: { textual: true } });
    expect(answer.meta).toHaveProperty('warnings', [
      expect.stringMatching(/says that run is declared at a\.ts:\d+, where it is not/),
    ]);
  }
});

const REFUSED = 'the plan of the language server is refused: it ';

test.for([
  [
    'a range that is off by one',
    change([edit(0, [16, 19]), edit(1, [1, 4])]),
    `${REFUSED}would change a.ts:2:2, where run does not stand`,
  ],
  [
    'a part of another identifier',
    change([edit(0, [16, 19]), edit(2, [6, 9])]),
    `${REFUSED}would change a.ts:3:7, where run does not stand`,
  ],
  [
    'another word',
    change([edit(0, [16, 19]), edit(2, [6, 12])]),
    `${REFUSED}would change a.ts:3:7, where run does not stand`,
  ],
  [
    'another text',
    change([edit(0, [16, 19]), edit(1, [0, 3], 'start(); evil')]),
    `${REFUSED}would put another text than start at a.ts:2:1`,
  ],
  [
    'an insertion',
    change([edit(0, [16, 19]), edit(1, [0, 0])]),
    `${REFUSED}would change a.ts:2:1, where run does not stand`,
  ],
  ['no declaration', change([edit(1, [0, 3])]), `${REFUSED}would not rename run where it is declared, at a.ts:1`],
  ['nothing', { result: null }, `${REFUSED}would not rename run where it is declared, at a.ts:1`],
  [
    'a new file',
    { result: { documentChanges: [{ kind: 'create', uri: 'file:///c.ts' }] } },
    `${REFUSED}would create c.ts`,
  ],
  [
    'edits in several steps',
    {
      result: {
        documentChanges: [
          { textDocument: { uri: 'file:///a.ts', version: null }, edits: [edit(0, [16, 19])] },
          { textDocument: { uri: 'file:///a.ts', version: null }, edits: [edit(1, [0, 3])] },
          { textDocument: { uri: 'file:///a.ts', version: null }, edits: [edit(1, [0, 3])] },
        ],
      },
    },
    `${REFUSED}would change a.ts in several steps`,
  ],
  [
    'a range behind the end',
    change([edit(9, [0, 3])]),
    'the server sent an edit of a.ts whose range does not lie in the text',
  ],
] as const)('a rename with %s is refused, and changes nothing', async ([, action, error]) => {
  const { ask, read } = open({ 'textDocument/rename': [action] });
  const answer = await ask(renameSymbol, { ...RUN, new_name: 'start' });
  expect(answer).toMatchObject({ ok: false, error_code: 'lsp_error' });
  expect(answer.error).toContain(error);
  expect(answer.error).toMatch(/\(nothing was changed\)$/);
  for (const [name, text] of Object.entries(FILES)) expect(read(name)).toBe(text);
});

test.for([
  ['a file outside', change([edit(0, [0, 3])], '../out.ts')],
  ['a secret', change([edit(0, [0, 3])], '.env')],
] as const)('a rename in %s is refused', async ([, action]) => {
  const { ask, read } = open({ 'textDocument/rename': [action] });
  const answer = await ask(renameSymbol, { ...RUN, new_name: 'start' });
  expect(answer).toMatchObject({ ok: false, error_code: 'path_outside_sandbox' });
  expect([read('a.ts'), read('.env')]).toEqual([FILES['a.ts'], FILES['.env']]);
});

test('a rename of a file that has another version for the agent is refused', async () => {
  const { ask, read } = open({ 'textDocument/rename': [change([edit(0, [16, 19]), edit(1, [0, 3])])] });
  const answer = await ask(renameSymbol, { ...RUN, new_name: 'start', if_version: '1-x' });
  expect(answer).toMatchObject({ ok: false, error_code: 'stale_file' });
  expect(read('a.ts')).toBe(FILES['a.ts']);
});

test('without a server that renames, a name that other files have is refused', async () => {
  const { ask, read } = open({}, { renameProvider: false });
  expect(await ask(renameSymbol, { ...RUN, new_name: 'start' })).toMatchObject({
    ok: false,
    error_code: 'lsp_unavailable',
    error: expect.stringContaining('(scripted cannot rename)'),
    suggestion: expect.stringContaining('try again when a language server answers. Or, '),
  });
  expect(read('b.ts')).toBe(FILES['b.ts']);
});

test('diagnostics behind the end of the file are put at its end', async () => {
  const items = [{ range: rangeOf(99, [5, 9]), message: 'odd' }];
  const { data } = open({ 'textDocument/diagnostic': [{ result: { kind: 'full', items } }] });
  expect((await data(symbolDiagnostics, { path: 'a.ts' })).diagnostics).toMatchObject([{ message: 'odd' }]);
  expect((await data(symbolDiagnostics, { path: 'a.ts', name_path: 'run' })).total).toBe(0);
});

test('a server that does not answer costs five seconds once, and then one', async () => {
  const { ask } = open({ 'textDocument/references': [] });
  const times: number[] = [];
  for (let i = 0; i < 2; i++) {
    const begun = performance.now();
    expect(await ask(findReferences, RUN)).toMatchObject({ ok: true, total_count: 4, meta: { textual: true } });
    times.push(performance.now() - begun);
  }
  expect(times[0]).toBeGreaterThan(4_500);
  expect(times[1]).toBeLessThan(4_500);
}, 30_000);

test('uses and renames of a server that has not loaded the project are not taken, definitions are', async () => {
  const on = {
    'textDocument/references': [{ result: [DECLARED] }],
    'textDocument/rename': [change([edit(0, [16, 19])])],
    'textDocument/definition': [{ result: [DECLARED] }],
  };
  const ready = { progress: 'never', beginsWithin: 60_000 };
  const { ask, read } = openProject(FILES, scripted(on, {}, { ready }));
  const why = expect.stringContaining('the server has not said that the project is loaded');
  const references = await ask(findReferences, RUN);
  expect(references).toMatchObject({ total_count: 4, meta: { textual: true, warnings: [why] } });
  const definition = await ask(gotoDefinition, { path: 'b.ts', line: 2, identifier: 'run' });
  expect(definition).toMatchObject({ meta: { server: 'scripted', complete: false, warnings: [why] } });
  const rename = await ask(renameSymbol, { ...RUN, new_name: 'start' });
  expect(rename).toMatchObject({ ok: false, error_code: 'lsp_unavailable', error: why });
  expect(read('b.ts')).toBe(FILES['b.ts']);
}, 60_000);

test('a server that ends when it is asked leaves the answer to the syntax trees', async () => {
  const { ask } = open({ 'textDocument/references': [{ exit: 1 }] });
  expect(await ask(findReferences, RUN)).toMatchObject({ ok: true, total_count: 4, meta: { textual: true } });
}, 30_000);

test('a call that is canceled while the server is asked ends as canceled', async () => {
  const { ask } = open({ 'textDocument/diagnostic': [] });
  const signal = AbortSignal.timeout(1_000);
  expect(await ask(symbolDiagnostics, { path: 'a.ts' }, { signal })).toMatchObject({ error_code: 'canceled' });
}, 30_000);

test('what a server says of a file that changed while it started is not taken', async () => {
  const changed = { write: 'file:///a.ts', text: `\n${FILES['a.ts']}` };
  const on = {
    initialize: [changed, { capabilities: { textDocumentSync: 1, definitionProvider: true } }],
    'textDocument/definition': [{ result: [DECLARED] }],
  };
  const { ask } = open(on);
  const answer = await ask(gotoDefinition, { path: 'a.ts', line: 2, identifier: 'run' });
  expect(answer).toMatchObject({ ok: true, meta: { textual: true } });
  expect(answer.meta).toHaveProperty('warnings', [expect.stringContaining('a.ts changed while the server was asked')]);
});

test.each([gotoDefinition, hover])('what a server does not know is looked up by its name', async (tool) => {
  const { ask } = open({ 'textDocument/definition': [{ result: null }] }, { hoverProvider: false });
  const answer = await ask(tool, { path: 'b.ts', line: 2, identifier: 'run' });
  expect(answer).toMatchObject({ ok: true, meta: { textual: true } });
  expect(answer.meta).toHaveProperty('warnings', [
    expect.stringContaining('the language server knows no definition of run'),
  ]);
});

test('a server that never says what is wrong leaves it to the syntax tree', async () => {
  const { ask } = open({}, { diagnosticProvider: undefined });
  const answer = await ask(symbolDiagnostics, { path: 'a.ts' });
  expect(answer).toMatchObject({ ok: true, total_count: 0, meta: { textual: true } });
  expect(answer.meta).toHaveProperty('warnings', [expect.stringContaining('has not said yet what is wrong')]);
}, 30_000);
