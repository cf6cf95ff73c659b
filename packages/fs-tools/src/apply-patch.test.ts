import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { type CallOptions, call, makeTempDirectory, makeTree } from '@jinn/testkit';
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { applyPatch } from './apply-patch.ts';
import { parsePatch } from './patch/patch-parse.ts';
import type { Hunk, Section } from './patch/patch-text.ts';

type Files = NonNullable<CallOptions['files']>;

const hasGit = spawnSync('git', ['--version']).status === 0;
const envelope = (...lines: string[]) => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');

/** Applies a patch to a tree; gives the answer and every file afterwards. */
async function apply(files: Files, patch: string, args: object = {}) {
  const root = makeTempDirectory();
  makeTree(root, files);
  const answer = await call(applyPatch, { patch, ...args }, { root });
  const names = fs
    .readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => fs.lstatSync(path.join(root, name)).isFile());
  const after = Object.fromEntries(
    names.toSorted().map((name) => [name, fs.readFileSync(path.join(root, name)).toString('latin1')]),
  );
  return { ...answer, after, root };
}

/** Applies one hunk to a file. */
const update = async (before: string, ...lines: string[]) => {
  const { after, ...answer } = await apply(
    { f: Buffer.from(before, 'latin1') },
    envelope('*** Update File: f', ...lines),
  );
  return { ...answer, after: after['f'] };
};

test('adds, deletes, updates and moves, and says so', async () => {
  const files = { gone: 'x', old: 'a\nb\n', run: { content: 'go\n', mode: 0o755 } };
  const patch = envelope(
    '*** Add File: d/new',
    '+one',
    '+',
    '*** Delete File: gone',
    '',
    '*** Update File: old',
    '@@',
    ' a',
    '-b',
    '+B',
    '*** Update File: run',
    '*** Move to: bin/run',
    '@@',
    '-go',
    '+went',
  );
  const { result, meta, after, root } = await apply(files, patch);
  expect(result?.split('\n')).toEqual(['added d/new', 'deleted gone', 'updated old', 'moved run to bin/run']);
  expect(after).toEqual({ 'bin/run': 'went\n', 'd/new': 'one\n\n', old: 'a\nB\n' });
  expect(fs.statSync(path.join(root, 'bin/run')).mode & 0o777).toBe(0o755);
  expect(meta).toMatchObject({
    operation_id: expect.any(String),
    files: expect.arrayContaining([
      expect.objectContaining({ path: 'old', undo_id: expect.any(String), first_changed_line: 2 }),
    ]),
  });
});

test.for([
  ['more lines than it removes', 'a\nb\nc\nd\ne\n', ['@@', '-b', '+X', '+Y'], 'a\nX\nY\nc\nd\ne\n'],
  ['a hunk that appends, and one that shrinks', 'a\nb\nc\n', ['@@', ' a', '-b', '@@', '+d'], 'a\nc\nd\n'],
  ['a file of CRLF', 'a\r\nb\r\n', ['@@', ' a', '-b', '+B', '+C'], 'a\r\nB\r\nC\r\n'],
  ['mixed endings', 'a\r\nb\nc\r\n', ['@@', ' a', '-b', '+B', ' c'], 'a\r\nB\nc\r\n'],
  ['a blank last line', 'a\n\n', ['@@', '-a', '+A'], 'A\n\n'],
  ['a missing final newline', 'a\nb', ['@@', ' a', '-b', '+c', '+d'], 'a\nc\nd'],
  ['a byte order mark', '\xef\xbb\xbfa\nb\n', ['@@', '-a', '+A'], '\xef\xbb\xbfA\nb\n'],
  ['bytes that are no UTF-8', 'a\n\xff\nb\n', ['@@', '-b', '+B'], 'a\n\xff\nB\n'],
  ['the indentation of context lines', '    a\n    b\n', ['@@', ' a', '-    b', '+    c'], '    a\n    c\n'],
  [
    'quotes of context lines',
    '\xe2\x80\x9ca\xe2\x80\x9d\nb\n',
    ['@@', ' "a"', '-b', '+c'],
    '\xe2\x80\x9ca\xe2\x80\x9d\nc\n',
  ],
  ['blanks at line ends', 'a  \nb\t\n', ['@@', ' a', '-b', '+c'], 'a  \nc\n'],
  [
    'a byte order mark that a diff shows',
    '\xef\xbb\xbfa\r\nb\r\n',
    ['@@ -1,2 +1,2 @@', '-\ufeffa', '+\ufeffA', ' b'],
    '\xef\xbb\xbfA\r\nb\r\n',
  ],
  ['a shown mark in context', '\xef\xbb\xbfa\nb\n', ['@@', ' \ufeffa', '-b', '+B'], '\xef\xbb\xbfa\nB\n'],
  ['no mark that a diff removes', '\xef\xbb\xbfa\nb\n', ['@@', '-\ufeffa', '+a', ' b'], 'a\nb\n'],
] as const)('keeps %s', async ([, before, lines, after]) => {
  expect(await update(before, ...lines)).toMatchObject({ ok: true, after });
});

test.for([
  ['an anchor', 'def a\n  x\ndef b\n  x\n', ['@@ def b', '-  x', '+  y'], 'def a\n  x\ndef b\n  y\n'],
  ['anchors in a row', 'A\n f\n  x\nB\n f\n  x\n', ['@@ B', '@@ f', '-  x', '+  y'], 'A\n f\n  x\nB\n f\n  y\n'],
  ['an anchor that the hunk repeats', 'a\nx\n', ['@@ a', ' a', '-x', '+y'], 'a\ny\n'],
  ['a unified header', 'a\nb\n', ['@@ -1,2 +1,2 @@', ' a', '-b', '+c'], 'a\nc\n'],
  ['the end of the file', 'x\ny\nx\n', ['@@', '-x', '+z', '*** End of File'], 'x\ny\nz\n'],
  ['no header for the first hunk', 'a\n', ['-a', '+b'], 'b\n'],
  ['hunks out of order', 'a\nb\nc\n', ['@@', '-c', '+C', '@@', '-a', '+A'], 'A\nb\nC\n'],
  ['the order, where a place is there twice', 'x\na\nx\n', ['@@', '-a', '+A', '@@', '-x', '+y'], 'x\nA\ny\n'],
  ['an empty line for an empty line', 'a\n\nb\n', ['@@', ' a', '', '-b', '+c'], 'a\n\nc\n'],
  ['blank lines behind the hunk', 'a\nb\n', ['@@', '-b', '+c', '', ''], 'a\nc\n'],
  ['only added lines', 'a\n', ['@@', '+b'], 'a\nb\n'],
  ['only added lines behind an anchor', 'a\nb\n', ['@@ a', '+x'], 'a\nx\nb\n'],
] as const)('places a hunk by %s', async ([, before, lines, after]) => {
  expect(await update(before, ...lines)).toMatchObject({ ok: true, after });
});

test('applies several sections for one file one after the other', async () => {
  const patch = envelope(
    '*** Update File: f',
    '@@',
    '-a',
    '+b',
    '*** Update File: ./f',
    '@@',
    '-b',
    '+c',
    '*** Add File: g',
    '+x',
    '*** Update File: g',
    '@@',
    '-x',
    '+y',
    '*** Delete File: h',
    '*** Add File: h',
    '+new',
  );
  expect((await apply({ f: 'a\n', h: 'old\n' }, patch)).after).toEqual({ f: 'c\n', g: 'y\n', h: 'new\n' });
});

test.for([
  ['an ambiguous place', ['@@', '-x', '+z'], 'fits in 2 places (lines 1, 3)'],
  ['an ambiguous anchor', ['@@ x', '+z'], 'fits in 2 places (lines 2, 4)'],
  [
    'lines that are not there',
    ['@@', '-nothing like it', '+z'],
    'failed to find the lines of the hunk at line 3 of the patch',
  ],
  ['an end that is elsewhere', ['@@', '-y', '+z', '*** End of File'], 'failed to find'],
  ['hunks on one line', ['@@', '-y', '+1', '@@', ' y', '+2'], 'two hunks change line 2'],
] as const)('refuses %s, and changes nothing', async ([, lines, message]) => {
  const answer = await update('x\ny\nx\n', ...lines);
  expect(answer).toMatchObject({ ok: false, error_code: 'patch_conflict', after: 'x\ny\nx\n' });
  expect(answer.error).toContain(message);
});

test.for([
  ['an added file that exists', ['*** Add File: f', '+x'], 'patch_conflict', 'add f: file already exists'],
  [
    'the same file added twice',
    ['*** Add File: n', '+x', '*** Add File: n', '+y'],
    'patch_conflict',
    'add n: file already exists',
  ],
  ['a missing file to delete', ['*** Delete File: n'], 'file_not_found', 'delete n: file not found'],
  ['a missing file to update', ['*** Update File: n', '@@', '-a', '+b'], 'file_not_found', 'update n: file not found'],
  [
    'a place that is taken',
    ['*** Update File: f', '*** Move to: g', '@@', '-a', '+b'],
    'patch_conflict',
    'move to g: file already exists',
  ],
  ['a secret', ['*** Add File: .env', '+x'], 'path_outside_sandbox', 'blocked: sensitive path: .env'],
  ['a way out', ['*** Add File: ../x', '+x'], 'path_outside_sandbox', 'outside'],
  [
    'a link to move',
    ['*** Update File: link', '*** Move to: n'],
    'not_a_file',
    'reached through a link. The file is f',
  ],
  ['a link to delete', ['*** Delete File: link'], 'not_a_file', 'reached through a link. The file is f'],
  ['a binary file', ['*** Update File: bin', '@@', '-a', '+b'], 'binary_file', 'binary file: bin (2 bytes)'],
  ['a patch that changes nothing', ['*** Update File: f', '@@', ' a'], 'edit_no_change', 'changes nothing'],
  [
    'an earlier section too, when a later one fails',
    ['*** Update File: f', '@@', '-a', '+b', '*** Delete File: n'],
    'file_not_found',
    '',
  ],
] as const)('refuses %s', async ([, lines, error_code, message]) => {
  const files = { f: 'a\n', g: 'b\n', bin: 'a\0', link: { symlink: 'f' } };
  const answer = await apply(files, envelope(...lines));
  expect(answer).toMatchObject({ ok: false, error_code, after: { bin: 'a\0', f: 'a\n', g: 'b\n' } });
  expect(Object.keys(answer.after)).toEqual(['bin', 'f', 'g']);
  expect(answer.error).toContain(message);
});

test.for([
  ['\n\n', 'line 1: it is empty, or not a patch'],
  ['hello\n*** End Patch', "line 1: the first line must be '*** Begin Patch'"],
  ['*** Begin Patch\n*** Add File: f', "line 2: the last line must be '*** End Patch'"],
  [envelope(''), 'line 1: it contains no operations'],
  [envelope('*** Rename File: f'), 'line 2: "*** Rename File: f" is not a valid header'],
  [envelope('*** Add File:'), 'line 2: the path is missing'],
  [envelope('*** Add File: f', 'x'), 'line 3: "x" in an added file'],
  [envelope('*** Add File: f', '+x', '', '+y'), 'line 4: "" in an added file'],
  [envelope('*** Update File: f'), 'line 2: the update of f has no hunk'],
  [envelope('*** Update File: f', '@@'), 'line 3: the hunk does not contain any lines'],
  [envelope('*** Update File: f', '@@', 'x'), 'line 4: "x" in a hunk'],
  [envelope('*** Update File: f', '*** Move to:', '@@', '-a'), 'line 3: the path is missing'],
])('refuses the malformed patch %j', async ([patch = '', message]) => {
  const answer = await apply({ f: 'a\n' }, patch);
  expect(answer).toMatchObject({
    ok: false,
    error_code: 'patch_invalid',
    error: expect.stringContaining(`parse patch: ${message}`),
    suggestion: expect.any(String),
  });
});

test('refuses the file of another version', async () => {
  const patch = envelope('*** Update File: f', '@@', '-a', '+b');
  expect(await apply({ f: 'a\n' }, patch, { if_versions: { f: 'x' } })).toMatchObject({
    error_code: 'stale_file',
    after: { f: 'a\n' },
  });
});

test.skipIf(!hasGit)('shows a dry run that git applies to the same end', async () => {
  const files = { f: 'a\nb\nc\n', gone: 'x\n' };
  const patch = envelope(
    '*** Update File: f',
    '@@',
    '-b',
    '+B',
    '*** Add File: d/new',
    '+one',
    '+two',
    '*** Delete File: gone',
  );
  const { result = '', after, root } = await apply(files, patch, { dry_run: true });
  expect(result).toMatch(
    /^\[dry-run] patch with 3 operation\(s\):\nwould update f\nwould add d\/new\nwould delete gone\n/,
  );
  expect(after).toEqual(files);
  const diff = `${result.split('\n').slice(4).join('\n')}\n`;
  const applied = spawnSync('git', ['apply', '-'], { cwd: root, input: diff, encoding: 'utf8' });
  expect(applied.stderr).toBe('');
  expect(fs.readFileSync(path.join(root, 'f'), 'utf8')).toBe('a\nB\nc\n');
  expect(fs.readFileSync(path.join(root, 'd/new'), 'utf8')).toBe('one\ntwo\n');
  expect(fs.existsSync(path.join(root, 'gone'))).toBe(false);
});

test('a patch written from two texts turns the first into the second', async () => {
  const line = fc.oneof(
    { weight: 3, arbitrary: fc.nat(5_000).map((n) => `line ${n}`) },
    fc.constantFrom('', '}', 'é', '“x”', '  y  '),
  );
  const change = fc.record({ at: fc.nat(30), remove: fc.nat(3), add: fc.array(line, { maxLength: 3 }) });
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { minLength: 1, maxLength: 30 }),
      change,
      fc.constantFrom('\n', '\r\n'),
      async (before, { at, remove, add }, ending) => {
        const start = Math.min(at, before.length - 1);
        const end = Math.min(before.length, start + remove);
        const hunk = [
          ...before.slice(0, start).map((text) => ` ${text}`),
          ...before.slice(start, end).map((text) => `-${text}`),
          ...add.map((text) => `+${text}`),
          ...before.slice(end).map((text) => ` ${text}`),
        ];
        const toText = (lines: readonly string[]) => lines.map((text) => text + ending).join('');
        const wanted = toText([...before.slice(0, start), ...add, ...before.slice(end)]);
        const answer = await apply({ f: toText(before) }, envelope('*** Update File: f', '@@', ...hunk));
        if (wanted === toText(before)) expect(answer.error_code).toBe('edit_no_change');
        else expect(answer.after['f']).toBe(Buffer.from(wanted).toString('latin1'));
      },
    ),
    { numRuns: 60 / inject('runsDivisor') },
  );
});

test('no text makes the reader throw anything but a refusal', () => {
  const piece = fc.constantFrom(
    '*** Begin Patch',
    '*** End Patch',
    '*** Add File: f',
    '*** Update File: f',
    '*** Delete File: f',
    '*** Move to: g',
    '*** End of File',
    '@@',
    '@@ x',
    '+a',
    '-a',
    ' a',
    '',
    'x',
    '***',
    '*** ',
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, fc.string())), (lines) => {
      try {
        parsePatch(lines.join('\n'));
      } catch (error) {
        expect(error).toMatchObject({ name: 'ToolError', code: 'patch_invalid' });
      }
    }),
    { numRuns: 1_000 / inject('runsDivisor') },
  );
});

test.for([
  ['a header', '*** Delete File: main.go'],
  ['the end of the patch', '*** End Patch'],
  ['the end of a file', '*** End of File'],
  ['a move', '*** Move to: other'],
  ['the start of a hunk', '@@ x'],
  ['a line of stars', '*** '],
] as const)('a context line that reads like %s is a context line', async ([, text]) => {
  const files = { f: `a\n${text}\nb\n`, 'main.go': 'package main\n' };
  const { ok, after } = await apply(
    files,
    envelope('*** Update File: f', '@@', ' a', ` ${text}`, '-b', '+c', `+${text}`),
  );
  expect([ok, after]).toEqual([true, { ...files, f: `a\n${text}\nc\n${text}\n` }]);
  const removed = await apply(files, envelope('*** Update File: f', `-${text}`));
  expect(removed.after['f']).toBe('a\nb\n');
});

test('a lone CR in a line of the patch begins no other line', async () => {
  const files = { f: 'a\rb\nc\n', g: 'x' };
  const patch = envelope('*** Update File: f', ' a\rb', '-c', '+C\r*** Delete File: g');
  expect((await apply(files, patch)).after).toEqual({ f: 'a\rb\nC\r*** Delete File: g\n', g: 'x' });
});

/** Writes sections by the grammar that is published for the format. */
function written(sections: readonly Section[]): string[] {
  return sections.flatMap((section) => {
    if (section.kind === 'delete') return [`*** Delete File: ${section.path}`];
    if (section.kind === 'add') return [`*** Add File: ${section.path}`, ...section.lines.map((line) => `+${line}`)];
    const { path, moveTo, hunks } = section;
    return [`*** Update File: ${path}`, ...(moveTo ? [`*** Move to: ${moveTo}`] : []), ...hunks.flatMap(writtenHunk)];
  });
}

function writtenHunk({ anchors, lines, endOfFile }: Hunk): string[] {
  const heads = anchors.length === 0 ? ['@@'] : anchors.map((anchor) => `@@ ${anchor}`);
  return [...heads, ...lines.map(({ sign, text }) => sign + text), ...(endOfFile ? ['*** End of File'] : [])];
}

test('reads every patch that follows the grammar as what was written', () => {
  const text = fc.oneof(
    fc.constantFrom(
      '',
      ' ',
      '*** End Patch',
      '*** Add File: x',
      '*** End of File',
      '@@',
      '@@ -1,2 +3,4 @@',
      '+',
      '-',
      'a\rb',
    ),
    fc.string({ unit: 'grapheme-ascii' }),
  );
  const path = fc.constantFrom('a', 'b/c.ts', 'with blank', '*** x');
  const line = fc.record({ sign: fc.constantFrom(' ' as const, '-' as const, '+' as const), text });
  const hunk = fc.record({
    anchors: fc.array(fc.constantFrom('f()', '*** x', '+ y'), { maxLength: 2 }),
    lines: fc.array(line, { minLength: 1, maxLength: 6 }),
    endOfFile: fc.boolean(),
  });
  const hunks = fc.array(hunk, { minLength: 1, maxLength: 3 });
  const section = fc.oneof(
    fc.record({ kind: fc.constant('add' as const), path, lines: fc.array(text, { maxLength: 4 }) }),
    fc.record({ kind: fc.constant('delete' as const), path }),
    fc.record({ kind: fc.constant('update' as const), path, hunks }),
    fc.record({ kind: fc.constant('update' as const), path, moveTo: path, hunks }),
  );
  fc.assert(
    fc.property(
      fc.array(section, { minLength: 1, maxLength: 4 }),
      fc.constantFrom('\n', '\r\n'),
      (sections, ending) => {
        const patch = envelope(...written(sections as Section[])).replaceAll('\n', ending);
        const read = parsePatch(patch);
        expect(read.ending).toBe(ending);
        // Where a hunk begins is no part of the grammar.
        expect(JSON.parse(JSON.stringify(read.sections, (key, value) => (key === 'at' ? undefined : value)))).toEqual(
          sections,
        );
      },
    ),
    { numRuns: 500 / inject('runsDivisor') },
  );
});

/** A model of patching: finds the one place where the old lines stand, and replaces it. */
function model(
  before: readonly string[],
  old: readonly string[],
  wanted: readonly string[],
): readonly string[] | undefined {
  const places = before.flatMap((_, at) => (old.every((line, i) => before[at + i] === line) ? [at] : []));
  const [at, ...more] = places;
  if (at === undefined || more.length > 0) return undefined;
  return [...before.slice(0, at), ...wanted, ...before.slice(at + old.length)];
}

test('a hunk does what a model of patching does', async () => {
  const line = fc.constantFrom('a', 'b', 'c', '}', '*** Delete File: f', '@@');
  const hunkLine = fc.record({ sign: fc.constantFrom(' ', '-', '+'), text: line });
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { minLength: 1, maxLength: 12 }),
      fc.array(hunkLine, { minLength: 1, maxLength: 4 }),
      fc.constantFrom('\n', '\r\n'),
      fc.boolean(),
      async (before, hunk, ending, isClosed) => {
        const old = hunk.filter(({ sign }) => sign !== '+').map(({ text }) => text);
        fc.pre(old.length > 0);
        const wanted = hunk.filter(({ sign }) => sign !== '-').map(({ text }) => text);
        const expected = model(before, old, wanted);
        // A file of one line has no line ending of its own.
        const file = (lines: readonly string[]) => lines.join(ending) + (isClosed && lines.length > 0 ? ending : '');
        const patch = envelope('*** Update File: f', '@@', ...hunk.map(({ sign, text }) => sign + text));
        const answer = await apply({ f: file(before) }, patch.replaceAll('\n', ending));
        const changes = expected && file(expected) !== file(before);
        expect(answer.after['f']).toBe(changes ? file(expected) : file(before));
        expect(answer.ok).toBe(Boolean(changes));
      },
    ),
    { numRuns: 150 / inject('runsDivisor') },
  );
});

test('keeps UTF-16, and moves files that are not text', async () => {
  const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');
  const files = { f: utf16('één\r\nb\r\n'), bin: Buffer.from([0, 1, 2]), gone: Buffer.from([0]) };
  const patch = [
    '*** Update File: f',
    ' één',
    '-b',
    '+ß',
    '*** Update File: bin',
    '*** Move to: d/bin',
    '*** Delete File: gone',
  ];
  const { after } = await apply(files, envelope(...patch));
  expect(after).toEqual({ 'd/bin': '\0\x01\x02', f: utf16('één\r\nß\r\n').toString('latin1') });
});

test.for([
  ['./f', 'stale_file'],
  ['sub/../f', 'stale_file'],
  ['g', 'invalid_args'],
  ['../f', 'path_outside_sandbox'],
] as const)('a version given for %s counts, or is refused', async ([key, error_code]) => {
  const patch = envelope('*** Update File: f', '-a', '+b');
  const files = { f: 'a\n', g: 'a\n', 'sub/x': '' };
  const answer = await apply(files, patch, { if_versions: { [key]: 'x' } });
  expect(answer).toMatchObject({ error_code, after: files, suggestion: expect.any(String) });
  expect(answer.error).toContain(key);
});

test('a version given by an absolute path counts', async () => {
  const root = makeTempDirectory();
  makeTree(root, { f: 'a\n' });
  const patch = envelope('*** Update File: f', '-a', '+b');
  const run = (version: string) => call(applyPatch, { patch, if_versions: { [`${root}/f`]: version } }, { root });
  expect(await run('x')).toMatchObject({ error_code: 'stale_file' });
});

test('takes the line ending of the patch for a file that has none', async () => {
  const patch = envelope('*** Update File: f', ' a', '+b');
  expect((await apply({ f: 'a' }, patch.replaceAll('\n', '\r\n'))).after['f']).toBe('a\r\nb');
});

test('refuses half of a surrogate pair', async () => {
  const patch = envelope('*** Add File: f', '+\ud83d');
  expect(await apply({}, patch)).toMatchObject({ error_code: 'invalid_args', after: {} });
});

test('changes at most 200 files, and none if a patch names more', async () => {
  const adding = (count: number) => envelope(...Array.from({ length: count }, (_, i) => `*** Add File: n/${i}\n+x`));
  expect(await apply({}, adding(201))).toMatchObject({
    error_code: 'resource_limit',
    error: 'the patch names 201 files: a call changes at most 200',
    suggestion: 'send several patches of up to 200 files (nothing was changed)',
    after: {},
  });
  expect(await apply({}, adding(20_000), { dry_run: true })).toMatchObject({ error_code: 'resource_limit' });
  expect(await apply({}, adding(200), { dry_run: true })).toMatchObject({ ok: true });
});
