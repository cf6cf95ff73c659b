import { expect, test } from 'vitest';
import { LineChooser } from './line-chooser.ts';

function choose(lines: readonly string[], usual = 2_000, most = 50_000): string {
  const chooser = new LineChooser(50_000);
  chooser.push(Buffer.from(lines.map((line) => `${line}\n`).join('')));
  return chooser.choose({ usual, most }, '').text;
}

const many = (count: number, line: (i: number) => string) => Array.from({ length: count }, (_, i) => line(i + 1));
/** Lines of which no two are alike, and none tells of a failure. */
const noise = (count: number, label: string) => many(count, (i) => `${label} ${'abcdefghij'.repeat(2).slice(i % 10)}`);

const last = noise(200, 'last');

test('folds a run of lines that differ in digits, and shows its first and last line', () => {
  const run = many(5_200, (i) => `  ✔ case ${i} (${i % 7}ms)`);
  const folded = '  ✔ case 1 (1ms)\n[5,198 lines like `✔ case 2 (2ms)`]\n  ✔ case 5200 (6ms)';
  expect(choose([...run, ...last], 5_000)).toBe([folded, ...last].join('\n'));
  expect(choose(['a 1', 'a 2', 'a 3', 'a 4', ...last], 5_000)).toBe(['a 1\na 2\na 3\na 4', ...last].join('\n'));
});

test('folds lines that only say that something passed', () => {
  const passed = ['adds', 'removes', 'throws an error', 'fails early', 'moves', 'ends'].map((name) => `    ✓ ${name}`);
  expect(choose(['  list', ...passed, ...last], 5_000)).toBe(
    ['  list\n    ✓ adds\n[4 lines like `✓ removes`]\n    ✓ ends', ...last].join('\n'),
  );
});

test('always shows the last 200 lines unchanged, and never folds or leaves out one that fits', () => {
  for (const line of [(i: number) => `✔ case ${i}`, (i: number) => `word ${i} ${'x'.repeat(190)}`]) {
    const lines = many(3_000, line);
    expect(choose(lines)).toContain(`\n${lines.slice(-200).join('\n')}`);
    expect(choose(lines)).not.toContain(`\n${lines.at(-202)}\n`);
  }
  expect(choose(many(300, (i) => `a ${i}`))).toBe(
    ['a 1', '[99 lines like `a 2`]', ...many(200, (i) => `a ${i + 100}`)].join('\n'),
  );
  const wide = choose(many(3_000, (i) => `line ${i} ${'x'.repeat(900)}`)).split('\n');
  expect(wide.filter((line) => line.startsWith('line')).map((line) => line.split(' ')[1])).toEqual(
    expect.arrayContaining(many(200, (i) => String(i + 2_800))),
  );
});

test('never folds lines that report a failure: they come first, and the beginning only if there is room', () => {
  const errors = many(2_997, (i) => `src/f${i}.c:${i}:7: error: 'x${i}' undeclared`);
  const text = choose([...noise(50, 'first'), ...errors, ...last], 8_000);
  expect(text).not.toContain('lines like');
  expect(text).toContain(last.join('\n'));
  const shown = text.split('\n').filter((line) => line.includes('undeclared'));
  expect(shown.join('\n').length).toBeGreaterThan(7_500);
  expect(shown.slice(0, 100)).toEqual(errors.slice(0, 100));
  expect(shown.at(-1)).toBe(errors.at(-1));
  expect(text).not.toMatch(/^first/);
  const few = ['./main.go:4:2: undefined: y', 'make: *** [all] Error 2', 'FAILED tests/a.py::b', 'E   assert 1 == 2'];
  for (const line of [...few, "a.c:(.text+0x5): undefined reference to `f'", 'sh: 1: foo: not found'])
    expect(choose([...noise(900, 'x'), line, ...noise(900, 'y')])).toContain(`\n${line}\n`);
});

test('shows failures before the lines around them, where not all fit', () => {
  const lines = Array.from({ length: 60 }, (_, i) => [
    ...noise(20, 'x'),
    `error ${'abcdefghij'.slice(i % 9)} no. ${i + 1}`,
  ]).flat();
  const text = choose([...lines, ...last], 1_500);
  for (const i of [1, 8, 58, 60]) expect(text).toContain(` no. ${i}\n`);
});

test('keeps to the most bytes, with failures and the last lines in it', () => {
  const lines = [...noise(500, 'x'), 'error: the cause', ...noise(500, 'y')];
  for (const most of [300, 1_000, 3_000]) {
    const text = choose(lines, most, most);
    expect(Buffer.byteLength(text)).toBeLessThan(most + 120);
    expect(text).toContain('error: the cause\n');
    expect(text.endsWith(`\n${lines.at(-1)}`)).toBe(true);
  }
});

test('shows a failure in the middle with the lines around it, and counts what is left out', () => {
  const lines = [...noise(4_000, 'before'), '  1) case 5200:', 'AssertionError: 1 == 2', ...noise(4_000, 'after')];
  const text = choose(lines, 5_000);
  expect(text).toMatch(/\nbefore \S+\nbefore \S+\n {2}1\) case 5200:\nAssertionError: 1 == 2\nafter \S+\n/);
  expect(text.startsWith(`${lines[0]}\n`) && text.endsWith(`\n${lines.at(-1)}`)).toBe(true);
  const gaps = [...text.matchAll(/^\[\.\.\. ([\d,]+) lines left out \.\.\.\]$/gm)].map(([, count = '']) => count);
  const left = gaps.reduce((sum, count) => sum + Number(count.replace(',', '')), 0);
  expect(left + text.split('\n').length - gaps.length).toBe(lines.length);
  expect(Buffer.byteLength(text)).toBeLessThan(5_200);
});

test('does not take a line that tells of no failure for one', () => {
  const calm = ['0 failures, 0 errors', 'Failures: 0', 'no errors found', 'ok 12 - error page', '✔ fails early'];
  for (const line of calm) expect(choose([...noise(500, 'x'), line, ...noise(500, 'y')])).not.toContain(line);
  for (const line of ['3 failures, 0 errors', 'not ok 12', 'thread panicked', '✗ sum', 'Failures: 10', '10 errors'])
    expect(choose([...noise(500, 'x'), line, ...noise(500, 'y')])).toContain(line);
});

test('shows the first failures and the last ones when there are more than fit', () => {
  const failures = many(500, (i) => `error in ${'abcdefghij'.slice(i % 10)}${i} of a file with a long name, no. ${i}`);
  const text = choose([...failures.flatMap((line) => [line, ...noise(20, 'x')]), ...noise(200, 'end')]);
  expect(text).toContain('no. 1\n');
  expect(text).toContain('no. 500\n');
  expect(text).not.toContain('no. 250\n');
});

test('cuts a line that would leave no room for others, and shows what is not ended yet', () => {
  expect(choose([...noise(500, 'x'), `error ${'é'.repeat(5_000)}`, ...noise(500, 'y')])).toMatch(
    /\nerror é{200,260}\.\.\.\n/,
  );
  const chooser = new LineChooser(50_000);
  chooser.push(Buffer.from('a\n'.repeat(3)));
  expect(chooser.choose({ usual: 1_000, most: 1_000 }, 'b\nc').text).toBe('a\na\na\nb\nc');
});

test('counts the lines that one stands for', () => {
  const chooser = new LineChooser(50_000);
  chooser.push(Buffer.from('a\n'));
  chooser.push(Buffer.from('[... 9 identical lines collapsed ...]\n'), 9);
  for (const line of noise(500, 'x')) chooser.push(Buffer.from(`${line}\n`));
  expect(chooser.choose({ usual: 4_000, most: 4_000 }, '').text).toMatch(
    /^a\n\[\.\.\. 9 identical.*\]\nx .*\[\.\.\. \d+ lines left out \.\.\.\]\nx /s,
  );
});

test('holds no more than it may show, however much comes', { tags: 'slow' }, () => {
  const chooser = new LineChooser(50_000);
  const chunk = Buffer.from(
    many(2_000, (i) => `${i % 2 ? 'error' : 'words'} ${'abcdefghij'.slice(i % 10)}`).join('\n'),
  );
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < 300; i++) chooser.push(chunk);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(150e6);
  expect(Buffer.byteLength(chooser.choose({ usual: 3_000, most: 6_000 }, '').text)).toBeLessThan(6_300);
});
