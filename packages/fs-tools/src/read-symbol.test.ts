import { call } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { readFile } from './read-file.ts';

const files = {
  'a.ts': '/** Runs. */\nexport class A {\n  run(): void {\n    this.stop();\n  }\n\n  stop(): void {}\n}\n',
  'b.java': 'class B {\n  void run() {}\n  void run(int a) {}\n}\n',
  'c.txt': 'run\n',
};

test('reads just the lines of a symbol, with their numbers', async () => {
  expect(await call(readFile, { path: 'a.ts', symbol: 'A/run' }, { files })).toMatchObject({
    ok: true,
    result: '3\t  run(): void {\n4\t    this.stop();\n5\t  }\n[Showing lines 3-5 of 8.]',
    meta: { symbol: { name_path: 'A/run', kind: 'method' }, lines: { total: 8, shown: [{ first: 3, last: 5 }] } },
  });
});

test('says how to go on to the end of a symbol that is too long for an answer', async () => {
  const long = { 'e.ts': `function f() {\n${'  f();\n'.repeat(3_000)}}\nfunction g() {}\n` };
  const { result } = await call(readFile, { path: 'e.ts', symbol: 'f' }, { files: long });
  expect(result).toContain('\n[Showing lines 1-2000 of 3003. Use start_line=2001 and end_line=3002 to continue.');
});

test('takes the doc comment with it', async () => {
  const { result } = await call(readFile, { path: 'a.ts', symbol: 'A', line_numbers: false }, { files });
  expect(result).toBe(files['a.ts']);
});

test('refuses a file that is too large for a syntax tree', async () => {
  const large = { 'd.ts': ' '.repeat(2 * 1024 * 1024 + 1) };
  expect(await call(readFile, { path: 'd.ts', symbol: 'A' }, { files: large })).toMatchObject({
    ok: false,
    error: 'd.ts has no symbols: it is larger than 2 MiB, too large for a syntax tree',
  });
});

test.for([
  [{ path: 'a.ts', symbol: 'A/rum' }, 'not_found', 'symbol not found: A/rum in a.ts'],
  [
    { path: 'b.java', symbol: 'run' },
    'invalid_args',
    '2 symbols of b.java are called run: B/run[0] (line 2), B/run[1] (line 3)',
  ],
  [{ path: 'c.txt', symbol: 'run' }, 'invalid_args', 'c.txt has no symbols: no syntax tree for files of this kind'],
  [
    { path: 'a.ts', symbol: 'A', start_line: 2 },
    'invalid_args',
    'symbol does not go with start_line, end_line or tail',
  ],
  [{ path: '../a.ts', symbol: 'A' }, 'path_outside_sandbox', 'blocked: ../a.ts is outside the working directory'],
] as const)('refuses %j', async ([args, code, error]) => {
  expect(await call(readFile, args, { files })).toMatchObject({ ok: false, error_code: code, error });
});
