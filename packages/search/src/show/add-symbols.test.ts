import { call } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { searchFiles } from '../search-files.ts';

const files = {
  'a.ts': 'class A {\n  run(): void {\n    wanted();\n  }\n}\nwanted();\n',
  'b.txt': 'wanted\n',
};
const ask = (args: object) => call(searchFiles, { pattern: 'wanted', symbols: true, ...args }, { files });

test('names the symbol around each match', async () => {
  expect((await ask({ format: 'text' })).result).toBe(
    'a.ts:3:    wanted();  [in A/run]\na.ts:6:wanted();\nb.txt:1:wanted',
  );
  expect((await ask({ format: 'grouped' })).result).toContain('3:    wanted();  [in A/run]\n');
});

test('adds it to the objects of JSON', async () => {
  expect(JSON.parse((await ask({ format: 'json' })).result ?? '')).toMatchObject([
    { file: 'a.ts', line: 3, text: '    wanted();', symbol: 'A/run' },
    { file: 'a.ts', line: 6 },
    { file: 'b.txt', line: 1 },
  ]);
});

test('adds nothing that is not asked for', async () => {
  const { result } = await call(searchFiles, { pattern: 'wanted' }, { files });
  expect(result).toBe('a.ts\n3:    wanted();\n6:wanted();\n\nb.txt:1:wanted');
});
