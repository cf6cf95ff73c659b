import { expect, test } from 'vitest';
import { findReferences } from './find-references.ts';
import { openProject } from './fixture/project.ts';

test('finds the identifiers of a name, not text, nor those of other languages', async () => {
  const { ask } = openProject();
  const answer = await ask(findReferences, { name_path: 'parse', path: 'src/parse.ts' });
  expect(JSON.parse(answer.result ?? '')).toEqual({
    references: [
      { file: 'src/parse.ts', line: 2, column: 17, context: 'export function parse(text: string): string {' },
      { file: 'src/store.ts', line: 1, column: 10, context: "import { parse } from './parse.ts';" },
      { file: 'src/store.ts', line: 9, column: 22, context: 'this.#items.push(parse(item));', in: 'Store/add' },
    ],
    total: 3,
  });
  expect(answer.meta).toMatchObject({
    textual: true,
    complete: false,
    warnings: [expect.stringContaining('by the name parse')],
  });
});

test('counts columns in characters', async () => {
  const { data } = openProject({ 'a.ts': "function run() {}\nconst a = '😀é' + run();\n" });
  const { references } = await data(findReferences, { name_path: 'run', path: 'a.ts' });
  expect(references[1]).toMatchObject({ line: 2, column: 18 });
});

test('pages, with counts by file', async () => {
  const { data } = openProject({ 'a.ts': `function run() {}\n${'run();\n'.repeat(70)}`, 'b.ts': 'run();\n' });
  const first = await data(findReferences, { name_path: 'run', path: 'a.ts' });
  expect(first.references).toHaveLength(50);
  expect(first.overflow).toMatchObject({
    total: 72,
    next_offset: 50,
    by_file: [
      { file: 'a.ts', count: 71 },
      { file: 'b.ts', count: 1 },
    ],
  });
  const rest = await data(findReferences, { name_path: 'run', path: 'a.ts', detail_level: 'full', offset: 50 });
  expect(rest.references).toHaveLength(22);
});

test('finds uses in the script of a page', async () => {
  const { data } = openProject({
    'a.ts': 'export function run() {}\n',
    'b.vue': '<script setup lang="ts">\nimport { run } from "./a";\nrun();\n</script>\n<template>run</template>\n',
  });
  const { references } = await data(findReferences, { name_path: 'run', path: 'a.ts' });
  expect(references.map(({ file, line }: { file: string; line: number }) => `${file}:${line}`)).toEqual([
    'a.ts:1',
    'b.vue:2',
    'b.vue:3',
  ]);
});
