import fs from 'node:fs';
import path from 'node:path';
import { call, makeTempDirectory, makeTree } from '@jinn/testkit';
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { applyPatch } from '../apply-patch.ts';
import { editFile } from '../edit-file.ts';
import { multiEdit } from '../multi-edit.ts';
import { indentUnitOf } from '../patch/carry-over.ts';
import { applyHunks } from '../patch/patch-apply.ts';
import { parsePatch } from '../patch/patch-parse.ts';
import type { Section } from '../patch/patch-text.ts';

/** Calls a tool on a file `f`; gives the answer and the file afterwards. */
async function change(tool: typeof applyPatch | typeof editFile | typeof multiEdit, before: string, args: object) {
  const root = makeTempDirectory();
  makeTree(root, { f: Buffer.from(before) });
  const answer = await call(tool, args, { root });
  return { ...answer, after: fs.readFileSync(path.join(root, 'f'), 'utf8') };
}

const patch = (before: string, lines: readonly string[], args: object = {}) => {
  const text = ['*** Begin Patch', '*** Update File: f', '@@', ...lines, '*** End Patch'].join('\n');
  return change(applyPatch, before, { patch: text, ...args });
};

const edit = (before: string, old_text: string, new_text: string, args: object = {}) =>
  change(editFile, before, { path: 'f', old_text, new_text, fuzzy_indent: true, ...args });

const LOOP = ['class A:', '    def f(self, xs):', '        for x in xs:', '            if x > 0:'].join('\n');
const PYTHON = `${LOOP}\n                total += x\n        return total\n`;
const SHIFTED = [' for x in xs:', '     if x > 0:', '-        total += x'];

test('a patch that is too far left is indented like the file, and says so', async () => {
  const { result, after } = await patch(PYTHON, [...SHIFTED, '+        total += x', '+        count += 1']);
  expect(after).toBe(PYTHON.replace('total += x\n', 'total += x\n                count += 1\n'));
  expect(result).toBe(
    'updated f (line 3 matched with other indentation, and the added lines were indented like the file)',
  );
});

test('a dry run says how loose a match is, and shows the lines as they will be', async () => {
  const { result } = await patch(PYTHON, [...SHIFTED, '+        total -= x'], { dry_run: true });
  expect(result).toContain('would update f (line 3 matched with other indentation, and the added lines');
  expect(result).toContain('-                total += x\n+                total -= x\n');
});

const TABS = 'all:\n\techo a\n\techo b\n';

test.for([
  ['blanks for tabs', TABS, [' all:', '     echo a', '+    echo c'], 'all:\n\techo a\n\techo c\n\techo b\n'],
  ['tabs for blanks', 'a:\n  b\n', [' a:', ' \tb', '+\t\tc'], 'a:\n  b\n    c\n'],
  ['blanks for one level of tabs', 'f {\n\tif {\n', ['-    if {', '+    for {', '+        x'], 'f {\n\tfor {\n\t\tx\n'],
  ['lines without their tab', 'f {\n\tif {\n', [' if {', '+    x'], 'f {\n\tif {\n\t\tx\n'],
  ['another unit', 'a:\n  b:\n    c\n', [' a:', '     b:', '+        d'], 'a:\n  b:\n    d\n    c\n'],
  ['another unit at one level', 'a:\n  b:\n    c\n', ['     b:', '+        d'], 'a:\n  b:\n    d\n    c\n'],
  ['a shift to the right', 'a:\n  b\n', ['     a:', '+      c', '       b'], 'a:\n  c\n  b\n'],
  ['a deeper line than any', 'x:\n    a:\n', [' a:', '+    b'], 'x:\n    a:\n        b\n'],
  ['a line above all', 'x:\n    y:\n        b\n', [' b', '+', '+c'], 'x:\n    y:\n        b\n\n        c\n'],
  [
    'a shift of tabs before blanks',
    '\ta(b,\n\t  c,\n',
    [' a(b,', '-  c,', '+  c,', '+  d,'],
    '\ta(b,\n\t  c,\n\t  d,\n',
  ],
  ['blanks behind tabs', '\ta(b,\n\t  c,\n', [' a(b,', '-  c,', '+    d,'], '\ta(b,\n\t    d,\n'],
  ['blank lines of blanks', '    a\n', [' a', '+  ', '+b'], '    a\n\n    b\n'],
] as const)('carries over %s', async ([, before, lines, after]) => {
  expect(await patch(before, lines)).toMatchObject({ ok: true, after });
});

test.for([
  ['that have two indentations in the file', 'a:\n    b\n        c\n', [' b', ' c', '+d']],
  ['of which an added one could be at two levels', 'x:\n    y:\n        b\n', ['     b', '+  c']],
  ['of another unit and another place', 'x:\n    y:\n        b:\n', ['   b:', '+    c']],
  [
    'that were not shifted by whole levels',
    'a:\n    b:\n        c:\n            d:\n                e:\n                    f\n',
    ['       f', '+  g'],
  ],
  [
    'that are several levels from an added one',
    'a:\n  b:\n    c:\n      d:\n        e\n',
    ['             e', '+    g'],
  ],
  ['of which some disagree', '    a\n        b\n            c\n', [' a', '     b', '     c', '+        d']],
  ['that are all at one level', '    a\n    b\n', [' a', '     b', '+        c']],
  [
    'whose levels are of no one width',
    'a\n        b\n            c\n',
    [' a', '     b', '         c', '+            d'],
  ],
  ['that begin left of the margin', '\ta:\n\t\tb\n', ['         a:', '             b', '+c']],
  ['that mix blanks in the file', 'a\n  \t b\n', [' a', '     b', '+        c']],
  ['that mix blanks in the patch', 'a\n   b\n', [' a', ' \t  b', '+      c']],
  ['that have other blanks than the added one', 'a\n        b\n', [' a', '     b', '+\t\tc']],
  ['that do not reach to the added one', 'a\n', ['     a', '+b']],
  ['that are between two levels', 'x {\n\ty\n', [' x {', '     y', '+      z']],
  ['of which only one level is known, in a file of one level', 'x:\n\ty\n', [' y', '+    z']].with(1, '\ty\n'),
] as [string, string, string[]][])('refuses lines %s, and shows what is there', async ([, before, lines]) => {
  const answer = await patch(before, lines);
  expect(answer).toMatchObject({
    ok: false,
    error_code: 'patch_conflict',
    error: expect.stringMatching(
      /matches with other indentation, which does not tell how to indent ".*"\. The file has at line \d:\n/,
    ),
    suggestion: 'send the hunk with the indentation that the file has',
    after: before,
  });
});

test('what a refusal shows of a file is bounded', async () => {
  const long = 'x'.repeat(1_000);
  const before = Array.from({ length: 20 }, (_, i) => `${' '.repeat(i)}${long}${i}\n`).join('');
  const { error } = await patch(before, [...Array.from({ length: 20 }, (_, i) => ` ${long}${i}`), `+${long}`]);
  expect(error?.length).toBeLessThan(2_000);
  expect(error).toContain('…');
});

test('lines that disagree are no matter where nothing is added', async () => {
  const before = 'a:\n    b\n        c\n';
  expect(await patch(before, [' b', '-c'])).toMatchObject({ ok: true, after: 'a:\n    b\n' });
});

test.for([
  ['indentation', '        a\n        b\n', [' a', '-b', '+b', '+c'], '        a\n        b\n        c\n'],
  ['blanks at line ends', 'a  \nb\t\n', ['-a', '-b', '+a', '+b', '+c'], 'a  \nb\t\nc\n'],
  ['quotes', '“a”\nb — b\n', ['-"a"', '-b - b', '+"a"', '+x', '+b - b'], '“a”\nx\nb — b\n'],
  ['line ends', 'a\r\nb\nc\r\n', ['-a', '-b', '-c', '+a', '+x', '+b', '+c'], 'a\r\nx\r\nb\nc\r\n'],
  ['blanks that are not ASCII', '\u00a0\u00a0a\n', [' a', '+b'], '\u00a0\u00a0a\n\u00a0\u00a0b\n'],
] as const)('a line that is removed and added again keeps its %s', async ([, before, lines, after]) => {
  expect(await patch(before, lines)).toMatchObject({ ok: true, after });
});

test('a patch that only removes lines and adds them again changes nothing', async () => {
  expect(await patch(PYTHON, [...SHIFTED, '+        total += x'])).toMatchObject({ error_code: 'edit_no_change' });
});

test.for([
  [['-a ', '+b'], 'a\n', 'blanks at line ends'],
  [['-"a"', '+b'], '“a”\n', 'quotes, dashes or spaces'],
] as const)('says what differs in %j', async ([lines, before, what]) => {
  expect((await patch(before, lines)).result).toMatch(new RegExp(`updated f \\(line 1 matched with other ${what}\\)$`));
});

test('tells five loose hunks, and how many more there are', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'g', 'h'];
  const { result } = await patch(
    names.map((name) => `  ${name}\n`).join(''),
    [...names.flatMap((name) => ['@@', `-${name}`, `+${name}1`])].slice(1),
  );
  expect(result).toMatch(/; line 5 matched with other indentation[^;]*; and 2 more hunks\)$/);
});

interface Line {
  readonly level: number;
  readonly text: string;
}

/** Lines of which none is more than one level deeper than the one before. */
const lines = fc.array(fc.nat(3), { minLength: 4, maxLength: 14 }).map((steps) => {
  let level = 0;
  const some = steps.map((step, i): Line => {
    level = Math.min(Math.max(0, level + 1 - step), 5);
    return { level, text: `line${i}` };
  });
  return [{ level: 0, text: 'head' }, { level: 1, text: 'body' }, ...some];
});
const unit = fc.constantFrom('  ', '    ', '\t');

/** Applies a hunk without a process or a disk; undefined if it is refused. */
function patched(before: string, hunk: readonly string[]): string | undefined {
  const [section] = parsePatch(['*** Begin Patch', '*** Update File: f', ...hunk, '*** End Patch'].join('\n')).sections;
  try {
    return applyHunks('f', before, (section as Extract<Section, { kind: 'update' }>).hunks, '\n').bytes;
  } catch (error) {
    expect(error).toMatchObject({ code: 'patch_conflict', message: expect.stringContaining('does not tell how') });
    return undefined;
  }
}

test('a patch in another indentation does what it does in that of the file, or is refused', () => {
  const counts = { applied: 0, all: 0 };
  const numbers = fc.record({ start: fc.nat(12), size: fc.nat(3), dedent: fc.nat(4), level: fc.nat(5) });
  fc.assert(
    fc.property(lines, unit, unit, numbers, (all, theirs, mine, { start: at, size, dedent, level: most }) => {
      const start = Math.min(at, all.length - 2);
      const end = Math.min(all.length, start + 1 + size);
      const hunk = all.slice(start, end);
      const added = { level: Math.min(most, (hunk.at(-1) as Line).level + 1), text: 'added' };
      const less = Math.min(dedent, added.level, ...hunk.map(({ level }) => level));
      const sent = ({ level, text }: Line) => mine.repeat(level - less) + text;
      const stands = ({ level, text }: Line) => theirs.repeat(level) + text;
      fc.pre(hunk.some((line) => sent(line) !== stands(line)));
      const file = (some: readonly Line[]) => some.map((line) => `${stands(line)}\n`).join('');
      const after = patched(file(all), [...hunk.map((line) => ` ${sent(line)}`), `+${sent(added)}`]);
      counts.all++;
      if (after === undefined) return;
      counts.applied++;
      expect(after).toBe(file([...all.slice(0, end), added, ...all.slice(end)]));
    }),
    { numRuns: 2_000 / inject('runsDivisor') },
  );
  expect(counts.applied / counts.all).toBeGreaterThan(0.8);
});

test('takes a hunk of very many lines', { tags: 'slow' }, () => {
  const all = (name: string) => Array.from({ length: 200_000 }, (_, i) => `${name}${i}`);
  const hunk = [...all('a').map((text) => `-${text}`), ...all('b').map((text) => `+${text}`)];
  expect(patched(`${all('a').join('\n')}\n`, ['@@', ...hunk])).toBe(`${all('b').join('\n')}\n`);
});

test('takes millions of blanks before a line', () => {
  const blanks = ' '.repeat(20_000_000);
  expect(patched(`${blanks}a\n`, ['@@', ' a', '+b']) === `${blanks}a\n${blanks}b\n`).toBe(true);
});

test('finds the unit of some lines', () => {
  expect(indentUnitOf(['a', '  b', '    c', '', 'd', '    e(1,', '      2)'])).toBe('  ');
  expect(indentUnitOf(['/**', ' * a', ' */', 'f {', '\tb', '}'])).toBe('\t');
  expect(indentUnitOf(['  a', '  b', 'c'])).toBe(undefined);
});

test('an edit with fuzzy_indent finds a text of another indentation, indents the new one, and says so', async () => {
  const { ok, result, after, meta } = await edit(
    PYTHON,
    'if x > 0:\n    total += x\n',
    'if x > 0:\n    total += x\n    n += 1\n',
  );
  expect([ok, after]).toEqual([true, PYTHON.replace('total += x\n', 'total += x\n                n += 1\n')]);
  expect(result).toBe(
    'f:4 (2 lines, now 3) (fuzzy match: other indentation, which new_text was given)\n' +
      'what stood there:\n            if x > 0:\n                total += x\n',
  );
  expect(meta).toMatchObject({ match_type: 'fuzzy' });
});

test('so does each edit of multi_edit, and a later one finds what an earlier one wrote', async () => {
  const edits = [
    { path: 'f', old_text: 'if x > 0:\n    total += x', new_text: 'while x:\n    y()', fuzzy_indent: true },
    { path: 'f', old_text: 'while x:\n  y()', new_text: 'while x:\n  z()', fuzzy_indent: true },
  ];
  const { after } = await change(multiEdit, PYTHON, { edits });
  expect(after).toBe(PYTHON.replace('if x > 0:', 'while x:').replace('total += x', 'z()'));
});

test.for([
  [
    'CRLF and a byte order mark',
    '\ufeffa:\r\n\tb\r\n\tc\r\n',
    '  b\n  c',
    '  b\n  x\n  c',
    '\ufeffa:\r\n\tb\r\n\tx\r\n\tc\r\n',
  ],
  ['what is looked past beside the indentation', '    “a”  \n    b\n', '"a"\nb', '"a"\nc', '    “a”  \n    c\n'],
  ['a line that is removed', 'a:\n    b\n    c\nd\n', 'b\nc\n', 'b\n', 'a:\n    b\nd\n'],
  ['all of them removed', 'a:\n    b\n    c\nd\n', 'b\n  c\n', '', 'a:\nd\n'],
  ['the last line, which has no end', 'a:\n    b\n    c', 'b\nc\n', 'b\nx\n', 'a:\n    b\n    x'],
  [
    'new text written from the margin',
    'a:\n    d:\n        b\n        c\n',
    '    b\n    c',
    'x:\n    y',
    'a:\n    d:\n        x:\n            y\n',
  ],
  ['a line end that the file does not have', 'a:\n    b\n    c', 'b\nc\n', 'b\n', 'a:\n    b'],
  ['a first line that is deeper', 'x:\n        b\n    c\n', '    b\nc', '    d\nc', 'x:\n        d\n    c\n'],
  ['blank lines', '    a\n\n    b\n', 'a\n\nb', 'a\n\n\nc', '    a\n\n\n    c\n'],
] as const)('an edit of another indentation keeps %s', async ([, before, old_text, new_text, after]) => {
  expect(await edit(before, old_text, new_text)).toMatchObject({ ok: true, after });
});

test.for([
  ['a text that is nowhere', 'a:\n    b\n', 'x\ny', 'z', {}, 'edit_not_found', 'old_text not found in f (2 lines)'],
  [
    'several places',
    '  a\n  b\n    a\n    b\n',
    'a\nb',
    'c',
    {},
    'edit_not_unique',
    'matches 2 locations (with any indentation) in f (lines: 1, 3)',
  ],
  [
    'several places that disagree',
    '  a\n    b\n'.repeat(2),
    'a\nb\n',
    'a\nb\nc\n',
    {},
    'edit_not_unique',
    '(lines: 1, 3)',
  ],
  [
    'lines that disagree',
    '  a\n    b\n',
    'a\nb\n',
    'a\nb\nc\n',
    {},
    'edit_not_found',
    'f: old_text matches with other indentation, which does not tell how to indent "c"',
  ],
  ['no change', '  a\n  b\n', 'a\nb\n', 'a\nb \n', {}, 'edit_no_change', 'no changes'],
  [
    'another indentation without fuzzy_indent',
    '  a\n  b\n',
    'a\nb',
    'c',
    { fuzzy_indent: false },
    'edit_not_found',
    '',
  ],
  ['another count', '  a\n  b\n', 'a\nb', 'c', { expected_count: 2 }, 'edit_not_unique', '1 location, 2 expected'],
] as const)('an edit of another indentation refuses %s', async ([, before, old_text, new_text, args, code, error]) => {
  const answer = await edit(before, old_text, new_text, args);
  expect(answer).toMatchObject({ ok: false, error_code: code, suggestion: expect.any(String), after: before });
  expect(answer.error).toContain(error);
});

test('an edit that finds its text as it is written takes it as it is', async () => {
  const { result, meta } = await edit('  a\n    a\n    b\n', '    a\n    b', '    c');
  expect(result).toBe('f:2 (2 lines, now 1)');
  expect(meta).toMatchObject({ match_type: 'exact' });
});
