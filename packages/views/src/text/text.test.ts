import { expect, test } from 'vitest';
import { orderRows } from '../show/data-table-view.tsx';
import { markChanges } from '../show/diff-view.tsx';
import { highlightLines, markRanges } from './highlight.ts';
import { shownLinesOf, toShown } from './shown-text.ts';
import { toTerminalLines } from './terminal-colors.ts';

const textOf = (lines: readonly (readonly { text: string }[])[]) =>
  lines.map((line) => line.map(({ text }) => text).join(''));

test('a value becomes text in which nothing hides, and tabs stay', () => {
  expect(toShown('a\u202eb\u0007\tc')).toBe('a\\u{202e}b\\x07\tc');
  expect([toShown(undefined), toShown(null), toShown(7), toShown({ type: 'b' })]).toEqual([
    '',
    '',
    '7',
    '{"type":"b"}',
  ]);
});

test('lines end with a newline of Unix or Windows', () => {
  expect(shownLinesOf('a\r\nb\n')).toEqual(['a', 'b']);
  expect(shownLinesOf('')).toEqual(['']);
});

test('colours keep every character, and know comments over several lines', () => {
  const lines = ['/* a', '', ' b */ const c = `d', 'e`;'];
  const highlighted = highlightLines(lines, 'typescript') ?? [];
  expect(textOf(highlighted)).toEqual(lines);
  expect(highlighted[2]?.[0]).toEqual({ text: ' b */', className: 'hljs-comment' });
});

test.each(['unknown', '__proto__', 'constructor', 7, undefined])('the language %s has no colours', (language) => {
  expect(highlightLines(['a'], language)).toBeUndefined();
});

test('a text or a line that is too long has no colours', () => {
  expect(highlightLines(['a'.repeat(5_001)], 'json')).toBeUndefined();
  expect(
    highlightLines(
      Array.from({ length: 301 }, () => 'a'.repeat(1_000)),
      'json',
    ),
  ).toBeUndefined();
});

test('marks split the parts of a line', () => {
  const segments = [
    { text: 'abc', className: 'x' },
    { text: 'def', className: '' },
  ];
  expect(
    markRanges(segments, [
      [2, 4],
      [5, 6],
    ]),
  ).toEqual([
    { text: 'ab', className: 'x' },
    { text: 'c', className: 'x mark' },
    { text: 'd', className: 'mark' },
    { text: 'e', className: '' },
    { text: 'f', className: 'mark' },
  ]);
});

test('changed words are marked in the line that stands in the place of another', () => {
  const removed = { type: 'removed', content: 'let old = 1;' } as const;
  const other = { type: 'added', content: '// something else entirely' } as const;
  const added = { type: 'added', content: 'let fresh = 1;' } as const;
  const marks = markChanges([removed, other, added]);
  expect([...marks]).toEqual([
    [removed, [[4, 7]]],
    [added, [[4, 9]]],
  ]);
  const long = 'word '.repeat(200);
  expect(
    markChanges([
      { type: 'removed', content: long },
      { type: 'added', content: `${long}x` },
    ]).size,
  ).toBe(0);
});

test('a terminal shows what was written last, without titles, links and the clipboard', () => {
  const lines = toTerminalLines(
    '10 %\r100 %\r\n\u001b]0;t\u0007\u001b]52;c;eA==\u001b\\a\u001b[2Jb\u001bPq\u001b\\c\n',
  );
  expect(textOf(lines)).toEqual(['100 %', 'abc']);
});

test('colours go on over lines, can be read, and hide nothing', () => {
  const [first, second] = toTerminalLines('\u001b[31mred\nstill\u001b[0m \u001b[30;8mdark');
  expect(first?.[0]?.color).toBe(second?.[0]?.color);
  const dark = second?.at(-1);
  expect(dark?.text).toBe('dark');
  expect(dark?.color).not.toBe('rgb(0, 0, 0)');
  const [[same] = []] = toTerminalLines('\u001b[37;47mwhite');
  expect(same?.color).not.toBe(same?.background);
});

test('a long line of codes without an end takes a moment, not minutes', { tags: 'slow' }, () => {
  for (const part of ['\u001b]', '\u001b[0', '\u001bP', '\r', '\u001b[31m'])
    expect(toTerminalLines(part.repeat(200_000)).length).toBe(1);
});

test('rows are sorted by numbers and words, and filtered, and inherit nothing', () => {
  const rows = [{ a: 'x10' }, { a: 'x9' }, { a: 3 }, { a: 20 }, {}];
  expect(orderRows(rows, ['a'], { key: 'a' })).toEqual([2, 3, 4, 1, 0]);
  expect(orderRows(rows, ['a'], { key: 'a', isDescending: true })).toEqual([0, 1, 4, 3, 2]);
  expect(orderRows(rows, ['a'], { filter: 'X' })).toEqual([0, 1]);
  expect(orderRows(rows, ['constructor'], { filter: 'function' })).toEqual([]);
});
