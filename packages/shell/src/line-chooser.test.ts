import { expect, test } from 'vitest';
import { LineChooser } from './line-chooser.ts';

function choose(lines: readonly string[], room = 2_000): string {
  const chooser = new LineChooser(50_000);
  chooser.push(Buffer.from(lines.map((line) => `${line}\n`).join('')));
  return chooser.choose(room, '').text;
}

const many = (count: number, line: (i: number) => string) => Array.from({ length: count }, (_, i) => line(i + 1));
/** Lines of which no two are alike, and none tells of a failure. */
const noise = (count: number, label: string) => many(count, (i) => `${label} ${'abcdefghij'.repeat(2).slice(i % 10)}`);

test('folds a run of lines that differ in digits, and shows its first and last line', () => {
  expect(choose(many(5_200, (i) => `  ✔ case ${i} (${i % 7}ms)`))).toBe(
    '  ✔ case 1 (1ms)\n[5,198 lines like `✔ case 2 (2ms)`]\n  ✔ case 5200 (6ms)',
  );
  expect(choose(['a 1', 'a 2', 'a 3', 'a 4', 'b'])).toBe('a 1\na 2\na 3\na 4\nb');
});

test('folds lines that only say that something passed', () => {
  const passed = ['adds', 'removes', 'throws an error', 'fails early', 'moves', 'ends'].map((name) => `    ✓ ${name}`);
  expect(choose(['  list', ...passed])).toBe('  list\n    ✓ adds\n[4 lines like `✓ removes`]\n    ✓ ends');
});

test('shows a failure in the middle with the lines around it, and counts what is left out', () => {
  const lines = [...noise(4_000, 'before'), '  1) case 5200:', 'AssertionError: 1 == 2', ...noise(4_000, 'after')];
  const text = choose(lines);
  expect(text).toMatch(/\nbefore \S+\nbefore \S+\n {2}1\) case 5200:\nAssertionError: 1 == 2\nafter \S+\n/);
  expect(text.startsWith(`${lines[0]}\n`) && text.endsWith(`\n${lines.at(-1)}`)).toBe(true);
  const gaps = [...text.matchAll(/^\[\.\.\. ([\d,]+) lines left out \.\.\.\]$/gm)].map(([, count = '']) => count);
  const left = gaps.reduce((sum, count) => sum + Number(count.replace(',', '')), 0);
  expect(left + text.split('\n').length - gaps.length).toBe(lines.length);
  expect(Buffer.byteLength(text)).toBeLessThan(2_200);
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
  expect(chooser.choose(1_000, 'b\nc').text).toBe('a\na\na\nb\nc');
});

test('counts the lines that one stands for', () => {
  const chooser = new LineChooser(50_000);
  chooser.push(Buffer.from('a\n'));
  chooser.push(Buffer.from('[... 9 identical lines collapsed ...]\n'), 9);
  for (const line of noise(500, 'x')) chooser.push(Buffer.from(`${line}\n`));
  expect(chooser.choose(400, '').text).toMatch(
    /^a\n\[\.\.\. 9 identical.*\]\n\[\.\.\. 481 lines left out \.\.\.\]\nx /,
  );
});

test('holds no more than it may show, however much comes', () => {
  const chooser = new LineChooser(50_000);
  const chunk = Buffer.from(
    many(2_000, (i) => `${i % 2 ? 'error' : 'words'} ${'abcdefghij'.slice(i % 10)}`).join('\n'),
  );
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < 300; i++) chooser.push(chunk);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(150e6);
  expect(Buffer.byteLength(chooser.choose(3_000, '').text)).toBeLessThan(3_300);
});
