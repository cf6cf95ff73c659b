import { call } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { readFile } from '../read-file.ts';

const files = {
  'a.ts': '/** Runs. */\nexport class A {\n  run(): void {\n    this.stop();\n  }\n\n  stop(): void {}\n}\n',
  'b.java': 'class B {\n  void run() {}\n  void run(int a) {}\n}\n',
  'c.txt': 'run\n',
};

test('reads just the lines of a symbol, with their numbers', async () => {
  expect(await call(readFile, { path: 'a.ts', symbol: 'A/run' }, { files })).toMatchObject({
    ok: true,
    result: '3\t  run(): void {\n4\t    this.stop();\n5\t  }',
    meta: { symbol: { name_path: 'A/run', kind: 'method' }, lines: { total: 8, shown: [{ first: 3, last: 5 }] } },
  });
});

test('says how to continue to the end of a symbol that is too long for an answer', async () => {
  const long = { 'e.ts': `function f() {\n${'  f();\n'.repeat(3_000)}}\nfunction g() {}\n` };
  const { result } = await call(readFile, { path: 'e.ts', symbol: 'f' }, { files: long });
  expect(result).toContain('\n[Showing lines 1-2000 of 3003. Use start_line=2001 and end_line=3002 to continue.');
});

test('takes the doc comment with it', async () => {
  const { result } = await call(readFile, { path: 'a.ts', symbol: 'A', line_numbers: false }, { files });
  expect(result).toBe(files['a.ts']);
});

test.for(['A.run', 'A::run', 'A#run'])('takes %s for A/run', async (symbol) => {
  expect(await call(readFile, { path: 'a.ts', symbol }, { files })).toMatchObject({
    meta: { symbol: { name_path: 'A/run' } },
  });
});

test('names the right symbol first of those that the file declares', async () => {
  const methods = ['full_dispatch', 'dispatch', ...Array.from({ length: 30 }, (_, i) => `m${i}`)];
  const python = { 'f.py': `class F:\n${methods.map((name) => `  def ${name}(self): pass\n`).join('')}` };
  const missed = await call(readFile, { path: 'f.py', symbol: 'app.F.dispatch' }, { files: python });
  expect(missed).toMatchObject({ ok: false, error: 'symbol not found: app.F.dispatch in f.py' });
  const others = Array.from({ length: 17 }, (_, i) => `F/m${i} (line ${i + 4})`).join(', ');
  expect(missed.suggestion).toBe(
    `did you mean F/dispatch? f.py declares F/dispatch (line 3), F (line 1), F/full_dispatch (line 2), ${others} and 13 more`,
  );
});

test.for([
  ['nope', 'a.ts declares A (line 2), A/run (line 3), A/stop (line 7)'],
  ['A/stap', 'did you mean A/stop? a.ts declares A/stop (line 7), A (line 2), A/run (line 3)'],
] as const)('suggests for %s: %s', async ([symbol, suggestion]) => {
  expect((await call(readFile, { path: 'a.ts', symbol }, { files })).suggestion).toBe(suggestion);
});

test('says of a file without declarations that it has none, and cuts long paths', async () => {
  const odd = { 'e.ts': '', 'l.ts': `class ${'L'.repeat(300)} {}\n` };
  const suggestionFor = async (path: string) =>
    (await call(readFile, { path, symbol: 'absent' }, { files: odd })).suggestion;
  expect(await suggestionFor('e.ts')).toBe('e.ts declares nothing');
  expect(await suggestionFor('l.ts')).toBe(`l.ts declares …${'L'.repeat(119)} (line 1)`);
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
  [{ path: 'a.ts', symbol: 'A', outline: true }, 'invalid_args', 'outline does not go with symbol'],
  [{ path: 'c.txt', outline: true }, 'invalid_args', 'c.txt has no symbols: no syntax tree for files of this kind'],
  [{ path: '../a.ts', outline: true }, 'path_outside_sandbox', 'blocked: ../a.ts is outside the working directory'],
  [{ path: '../a.ts', symbol: 'A' }, 'path_outside_sandbox', 'blocked: ../a.ts is outside the working directory'],
] as const)('refuses %j', async ([args, code, error]) => {
  expect(await call(readFile, args, { files })).toMatchObject({ ok: false, error_code: code, error });
});

const OUTLINE = '[Outline of the file: symbol reads one of these, and start_line counts lines of the outline.]';

test('lists what a file declares, without a language server', async () => {
  expect(await call(readFile, { path: 'a.ts', outline: true }, { files })).toMatchObject({
    ok: true,
    result: `1-8\tclass A\n3-5\t  method run\n7\t  method stop\n${OUTLINE}`,
    meta: { version: expect.any(String), lines: { total: 3, shown: [{ first: 1, last: 3 }] } },
  });
  const { result } = await call(readFile, { path: 'e.ts', outline: true }, { files: { 'e.ts': '// nothing\n' } });
  expect(result).toBe(`[it declares nothing]\n${OUTLINE}`);
});

test('says that the parser did not understand a large part of the file', async () => {
  const code = {
    'b.py': 'def a():\n  pass\n\ndef b(:\n  pass\n\nclass C(\n',
    'ok.py': 'def a():\n  pass\n',
    'w.js': `const a = 1;\nclass B {\n${'  @@ %% ((( {{{\n'.repeat(20)}function c() {}\n`,
  };
  const read = (args: object) => call(readFile, args, { files: code });
  const gap =
    /^w\.js: the javascript grammar does not understand what starts in line \d( \(\d+ errors in all\))?, so symbols may be/;
  const { meta, ok } = await read({ path: 'w.js', outline: true });
  expect([ok, meta]).toMatchObject([true, { warnings: [expect.stringMatching(gap)] }]);
  for (const path of ['b.py', 'ok.py'])
    expect((await read({ path, outline: true })).meta).not.toHaveProperty('warnings');
  expect((await read({ path: 'b.py', symbol: 'none' })).error).toMatch(
    /^symbol not found: none in b\.py; the python grammar does not understand what starts in line \d/,
  );
  expect((await read({ path: 'ok.py', symbol: 'none' })).error).toBe('symbol not found: none in ok.py');
});

test('shows a kind once if the name begins with it', async () => {
  const code = {
    'f.rs': 'struct Frame;\nimpl Frame {\n  fn new() {}\n}\nimpl<T>   Drop for\n  Frame {}\n',
    'f.ts': 'class F {\n  constructor() {}\n}\n',
  };
  const lines = async (path: string) =>
    (await call(readFile, { path, outline: true }, { files: code })).result?.split('\n').slice(0, -1);
  expect(await lines('f.rs')).toEqual([
    '1\tstruct Frame',
    '2-4\timpl Frame',
    '3\t  method new',
    '5-6\timpl Drop for Frame',
  ]);
  expect(await lines('f.ts')).toEqual(['1-3\tclass F', '2\t  constructor']);
});

test('lists long outlines in windows', async () => {
  const long = { 'l.ts': Array.from({ length: 3_000 }, (_, i) => `function f${i}() {}\n`).join('') };
  const options = { files: long, maxResult: 10_000 };
  const first = await call(readFile, { path: 'l.ts', outline: true }, options);
  expect(Buffer.byteLength(first.result ?? '')).toBeLessThan(10_000);
  const [, next] =
    /\[Showing lines 1-\d+ of 3000\. Use start_line=(\d+) to continue\.\]/.exec(first.result ?? '') ?? [];
  const second = await call(readFile, { path: 'l.ts', outline: true, start_line: Number(next) }, options);
  expect(second.result).toMatch(new RegExp(`^${next}\tfunction f${Number(next) - 1}\n`));
  expect(first.truncated).toBe(true);
});

test('answers unchanged to an outline of the same version', async () => {
  const { meta } = await call(readFile, { path: 'a.ts', outline: true }, { files });
  const { version: if_version } = meta as { version: string };
  const again = await call(readFile, { path: 'a.ts', outline: true, if_version }, { files });
  expect(again).toMatchObject({ result: 'unchanged', meta: { unchanged: true } });
});

test('warns if an outline may not have all', async () => {
  const many = { 'm.ts': 'let a = {};\n'.repeat(20_001) };
  const { meta, result } = await call(readFile, { path: 'm.ts', outline: true, tail: 1 }, { files: many });
  expect(meta).toMatchObject({ warnings: ['m.ts may declare more than the outline has'] });
  expect(result).toMatch(/^\d+\tvariable a\n/);
});
