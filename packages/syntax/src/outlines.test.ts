import { expect, test } from 'vitest';
import { createOutlines, isOutline, Outlines } from './index.ts';

const file = (text: string, path = 'a.ts') => ({ path, content: Buffer.from(text), version: text });

test('gives the same outline for a version that it has read', async () => {
  const outlines = createOutlines();
  const first = await outlines.read(file('const a = 1;'));
  expect(await outlines.read(file('const a = 1;'))).toBe(first);
  expect(outlines.known('a.ts', 'const a = 1;')).toBe(first);
  expect(outlines.known('a.ts', 'const b = 1;')).toBeUndefined();
});

test('reads another version anew', async () => {
  const outlines = createOutlines();
  await outlines.read(file('const a = 1;'));
  const outline = await outlines.read(file('const b = 1;'));
  expect(isOutline(outline) && outline.symbols.map(({ name }) => name)).toEqual(['b']);
  expect(outlines.known('a.ts', 'const a = 1;')).toBeUndefined();
});

test('tries again what took too long', async () => {
  const outlines = createOutlines();
  const slow = file('let a = [];\n'.repeat(60_000));
  expect(await outlines.read(slow, { limitMs: 1 })).toMatchObject({ reason: 'too_slow' });
  expect(isOutline(await outlines.read(slow, { limitMs: 60_000 }))).toBe(true);
});

test.for([
  ['a.ts', 'const a = { b() {} } satisfies object;\nconst c = { d() {} } as const;\n', ['a/b', 'c/d']],
  ['b.ts', 'function a() { for (const q of []) { function b() {} } }\n', ['a/b']],
  [
    'a.py',
    'def a(x):\n    for i in x:\n        def b(): pass\n    match x:\n        case 1:\n            class C: pass\n',
    ['a/b', 'a/C'],
  ],
  ['a.rb', 'Entry = Struct.new(:a) do\n  def write; end\nend\n', ['Entry/write']],
  [
    'A.java',
    'class C {\n  void m() {\n    class Local { void n() {} }\n  }\n  Object o = new Object() { void p() {} };\n}\n',
    ['C/m/Local', 'C/m/Local/n', 'C/o/p'],
  ],
  ['a.php', '<?php\nfunction a() { function b() {} }\n', ['a/b']],
  ['a.lua', 'local t = { f = function() end }\nlocal u\n', ['t/f', 'u']],
  ['a.kt', 'class D(val a: Int, b: Int) : I by b {\n  fun m() {}\n}\nval (c, d) = e\n', ['D', 'D/a', 'D/m', 'c', 'd']],
  ['b.kt', 'fun interface F {\n  fun run()\n}\n', ['F', 'F/run']],
  ['b.rb', 'K = Class.new(B) { def k; end }\n', ['K', 'K/k']],
  [
    'c.ts',
    'class P { constructor(private readonly a: A, public b?: B, c = 1) {} }\nexport const { d, e: [f = 1, ...g] } = h;\n',
    ['P', 'P/constructor', 'P/a', 'P/b', 'd', 'f', 'g'],
  ],
  [
    'b.php',
    '<?php\nclass C {\n  function __construct(private ?A $a = null, B $b) {}\n  function m(C $c) {}\n}\n',
    ['C', 'C/__construct', 'C/a', 'C/m'],
  ],
] as const)('finds the declarations of %s in other declarations and values', async ([path, text, paths]) => {
  const outline = await createOutlines().read({ path, content: Buffer.from(text), version: text });
  const found = isOutline(outline) ? outline.symbols.map((symbol) => symbol.path) : [];
  expect(found).toEqual(expect.arrayContaining([...paths]));
});

test('keeps a bounded number of symbols', async () => {
  const outlines = new Outlines({ mostKept: 25 });
  const text = 'let a;\n'.repeat(9);
  for (let i = 0; i < 4; i++) await outlines.read(file(text, `${i}.js`));
  expect([0, 1, 2, 3].map((i) => outlines.known(`${i}.js`, text) !== undefined)).toEqual([false, false, true, true]);
});

test('forgets all when it is closed', async () => {
  const outlines = createOutlines();
  await outlines.read(file('const a = 1;'));
  outlines.close();
  expect(outlines.known('a.ts', 'const a = 1;')).toBeUndefined();
});

test('answers with the reason for a file of no language', async () => {
  const outlines = createOutlines();
  expect(await outlines.read(file('words', 'a.txt'))).toMatchObject({ reason: 'no_grammar' });
  expect(await outlines.identifiers(file('words', 'a.txt'), 'words')).toMatchObject({ reason: 'no_grammar' });
});

test.for([
  ['a.ts', 'run(); // run\nconst a = "run" + `run` + o.run + /run/ + runs;\n', ['1:1', '2:29']],
  ['a.py', 'def run():\n    """run"""\n    # run\n    return f"{run()} run"\n', ['1:5', '4:15']],
  ['a.go', 'package a\n\nfunc run() string { return "run" + `run` }\n', ['3:6']],
  ['a.php', '<?php function run() { $run = 1; return "run $run"; }\n', ['1:16', '1:25', '1:47']],
  ['a.vue', '<script>run()</script><template>run</template>\n', ['1:9']],
  [
    'a.sol',
    'contract run { enum E { run } /* run */ function f() { E.run; string s = "run"; run(1); } }\n',
    ['1:10', '1:25', '1:58', '1:81'],
  ],
  ['a.rs', 'fn run() { /* run */ run!("run"); }\n', ['1:4', '1:22']],
] as const)('finds the identifiers of %s, and no text', async ([path, text, places]) => {
  const content = Buffer.from(text);
  const ranges = await createOutlines().identifiers({ path, content }, 'run');
  if ('reason' in ranges) throw new Error(ranges.message);
  const shown = ranges.map(({ start }) => {
    const before = content.toString('utf8', 0, start).split('\n');
    return `${before.length}:${(before.at(-1) as string).length + 1}`;
  });
  expect(shown).toEqual(places);
});

test('gives identifiers in bytes of the file', async () => {
  const content = Buffer.from('const a = "é😀"; run();\n');
  const ranges = await createOutlines().identifiers({ path: 'a.ts', content }, 'run');
  const start = content.indexOf('run');
  expect(ranges).toEqual([{ start, end: start + 3, type: 'identifier', parent: 'call_expression' }]);
});
