import { expect, test } from 'vitest';
import { openProject } from './fixture/project.ts';
import { gotoDefinition } from './goto-definition.ts';
import { hover } from './hover.ts';

test('finds what an identifier of a line means by its name', async () => {
  const { ask } = openProject();
  const answer = await ask(gotoDefinition, { path: 'src/store.ts', line: 9, identifier: 'parse' });
  expect(JSON.parse(answer.result ?? '')).toEqual({
    definitions: [
      {
        file: 'src/parse.ts',
        line: 2,
        end_line: 4,
        name_path: 'parse',
        context: 'export function parse(text: string): string {',
      },
    ],
    from: 'src/store.ts:9 parse',
  });
  expect(answer.meta).toMatchObject({ textual: true, complete: false });
});

test('without an identifier takes the first of the line that is declared', async () => {
  const { data } = openProject();
  const { definitions, from } = await data(gotoDefinition, { path: 'src/store.ts', line: 13 });
  expect([from, definitions[0].name_path]).toEqual(['src/store.ts:13 add', 'Store/add']);
});

test('puts the declaration of the same file and the same class first', async () => {
  const { data } = openProject({
    'a.ts': 'class A {\n  run() {}\n}\nclass B {\n  run() {}\n  go() {\n    this.run();\n  }\n}\n',
    '0.ts': 'function run() {}\n',
  });
  const { definitions } = await data(gotoDefinition, { path: 'a.ts', line: 7, identifier: 'run' });
  expect(definitions.map(({ name_path }: { name_path: string }) => name_path)).toEqual(['B/run', 'A/run', 'run']);
});

test('finds an identifier far behind the beginning of its line', async () => {
  const { data } = openProject({ 'a.ts': `function far() {}\nconst all = [${'0, '.repeat(200)}far()];\n` });
  const { definitions } = await data(gotoDefinition, { path: 'a.ts', line: 2, identifier: 'far' });
  expect(definitions[0].name_path).toBe('far');
});

test.for([
  [{ line: 99 }, 'invalid_args', 'src/store.ts has 16 lines, so that there is no line 99'],
  [{ line: 9, identifier: 'nothing' }, 'invalid_args', /line 9 of src\/store\.ts has no nothing/],
  [{ line: 9, identifier: 'item' }, 'not_found', 'nothing called item is declared in the project'],
  [{ line: 2 }, 'not_found', 'nothing is declared in the project that this line names'],
] as const)('refuses %j', async ([args, code, error]) => {
  const { ask } = openProject();
  for (const tool of [gotoDefinition, hover]) {
    const answer = await ask(tool, { path: 'src/store.ts', ...args });
    expect(answer).toMatchObject({ ok: false, error_code: code });
    expect(answer.error).toMatch(error);
  }
});

test('hover shows the signature and the doc comment', async () => {
  const { data } = openProject();
  expect(await data(hover, { path: 'src/store.ts', line: 9, identifier: 'parse' })).toEqual({
    content: '```typescript\nexport function parse(text: string): string\n```\n/** Reads a text; see parse. */',
    location: 'src/parse.ts:2',
    from: 'src/store.ts:9 parse',
  });
});

test.for([
  ['const one = 1, two = 2;\n', 'one'],
  ['class Outer { inner() {} }\n', 'Outer'],
  ['function first() {} function last() {}\n', 'first'],
] as const)('of several declarations in a line takes the first, and says so: %s', async ([text, name]) => {
  const { data } = openProject({ 'a.ts': text });
  for (const tool of [gotoDefinition, hover]) {
    const { from } = await data(tool, { path: 'a.ts', line: 1 });
    expect(from).toBe(`a.ts:1 ${name}`);
  }
});

test('suggests no tool that need not be served', async () => {
  const { ask } = openProject();
  const place = { path: 'src/store.ts', line: 9 };
  for (const args of [
    { ...place, identifier: 'nowhere' },
    { ...place, identifier: 'item' },
    { ...place, line: 999 },
  ]) {
    const { ok, suggestion } = await ask(gotoDefinition, args);
    expect([ok, suggestion]).toEqual([false, expect.not.stringMatching(/\w_\w/)]);
  }
});
