import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { call, type FileTree, makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { applyPatch } from './apply-patch.ts';
import { undo } from './undo.ts';

const hasGit = spawnSync('git', ['--version']).status === 0;

function readAll(root: string): Record<string, string> {
  const names = fs.readdirSync(root, { recursive: true, encoding: 'utf8' }).toSorted();
  const files = names.filter((name) => !name.startsWith('.git') && fs.statSync(path.join(root, name)).isFile());
  return Object.fromEntries(files.map((name) => [name, fs.readFileSync(path.join(root, name), 'latin1')]));
}

async function apply(files: FileTree, ...lines: string[]) {
  const root = makeTempDirectory();
  makeTree(root, files);
  const answer = await call(applyPatch, { patch: lines.join('\n') }, { root });
  return { ...answer, after: readAll(root) };
}

const UPDATE = ['--- a/f', '+++ b/f', '@@ -1,3 +1,3 @@', ' a', '-b', '+B', ' c'];
const FILE = { f: 'a\nb\nc\n' };

test.for<[string, string[]]>([
  ['as it is', UPDATE],
  ['of git', ['diff --git a/f b/f', 'index 1..2 100644', ...UPDATE]],
  ['with a mode', ['diff --git a/f b/f', 'old mode 100644', 'new mode 100755', ...UPDATE]],
  ['in a fence', ['```diff', ...UPDATE, '```', '']],
  ['in an envelope', ['*** Begin Patch', ...UPDATE, '*** End Patch']],
  ['in a mail', ['From 1', 'Subject: x', '---', ' f | 1', ...UPDATE, '-- ', '2.39.1', '']],
  ['between others', ['Index: f', '===', 'diff -ru old/f new/f', ...UPDATE, 'Only in new: x']],
  ['with times and other directories', ['--- old/f\t2020-01-01', '+++ new/f\t2020-01-02', ...UPDATE.slice(2)]],
  ['without prefixes', ['--- f', '+++ f', ...UPDATE.slice(2)]],
  ['of a file and its backup', ['--- f.orig', '+++ f', ...UPDATE.slice(2)]],
  ['with quoted names', ['--- "a/\\146"', '+++ "b/f"', ...UPDATE.slice(2)]],
  ['with quoted names and times', ['--- "a/\\146"\t2020-01-01', '+++ "b/f"\t', ...UPDATE.slice(2)]],
  ['with wrong counts', UPDATE.with(2, '@@ -1,2 +1,1 @@')],
  ['with wrong lines', UPDATE.with(2, '@@ -90,9 +95,9 @@')],
  ['without numbers', UPDATE.with(2, '@@')],
  ['with an ellipsis', UPDATE.with(2, '@@ ... @@')],
  ['with a line of the file', UPDATE.with(2, '@@ a @@')],
  ['with a section that the file does not have', UPDATE.with(2, '@@ -1,3 +1,3 @@ class X {')],
  ['without the first line', ['*** Update File: f', '@@', '-b', '+B', '*** End Patch']],
  ['in a fence and without the first line', ['```', '*** Update File: f', '@@', '-b', '+B', '*** End Patch', '```']],
])('takes a patch %s', async ([, lines]) => {
  expect(await apply(FILE, ...lines)).toMatchObject({ ok: true, after: { f: 'a\nB\nc\n' } });
});

test('a diff removes a file with a byte order mark', async () => {
  const { result, after } = await apply(
    { f: '\ufeffa\nb\n' },
    ...['--- a/f', '+++ /dev/null', '@@ -1,2 +0,0 @@', '-\ufeffa', '-b'],
  );
  expect([result, after]).toEqual(['deleted f', {}]);
});

test('does not advise to send bytes that are not UTF-8', async () => {
  const f = Buffer.from('caf\xe9\nnext \xc3\xa9\xc3\xa9\xc3\xa9\n', 'latin1');
  const { suggestion } = await apply(
    { f },
    ...['--- a/f', '+++ b/f', '@@ -1,2 +1,2 @@', ' caf\ufffd', '-next ééé', '+N'],
  );
  expect(suggestion).toMatch(/bytes that are not UTF-8, .* leave these lines out of the hunk, or use search_replace/);
});

test.skipIf(!hasGit)('does what git does with its diffs', async () => {
  const root = makeTempDirectory();
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', root, '-c', 'user.name=x', '-c', 'user.email=x@x', ...args]).toString();
  const numbered = Array.from({ length: 40 }, (_, i) => `${i % 7}\n`);
  const before = {
    'many places': numbered.join(''),
    'sub/moved': `${'same\n'.repeat(20)}old\n`,
    'only moved': 'kept\n',
    gone: 'x\ny\n',
    öpen: 'a\nb',
    'ä b/"c" d': 'a\n',
    marked: '\ufeffa\r\nb\r\n',
    'marked too': '\ufeffa\n',
    'no mark': 'a\n',
    closed: 'a\nb\n',
    'sql.txt': '-- a\n-- b\n++ c\n',
    'x.sh': 'go\n',
  };
  makeTree(root, before);
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'x');
  makeTree(root, {
    'many places': numbered.toSpliced(20, 1, 'new\n', 'more\n').toSpliced(35, 1).join(''),
    'to/moved': `${'same\n'.repeat(20)}new\n`,
    'really moved': 'kept\n',
    made: 'a\nb',
    empty: '',
    öpen: 'a\nB\n',
    'ä b/"c" d': 'b\n',
    marked: '\ufeffA\r\nb\r\n',
    'no mark': '\ufeffa\n',
    closed: 'a\nb',
    'sql.txt': '++ c\n-- d\n',
    'x.sh': { content: 'go\n', mode: 0o755 },
  });
  for (const name of ['sub/moved', 'only moved', 'gone', 'marked too']) fs.rmSync(path.join(root, name));
  git('add', '-A');
  const wanted = readAll(root);
  for (const context of ['-U3', '-U1', '-U0']) {
    const { ok, error, after } = await apply(before, git('diff', '--cached', '-M', context));
    expect({ ok, error, after }).toEqual({ ok: true, error: undefined, after: wanted });
  }
});

test.for([
  ['the numbers', '@@ -10,1 +10,1 @@', 10, 'updated f'],
  ['the nearest', '@@ -12,1 +12,1 @@', 10, 'updated f (line 10 is the nearest of 3 places to the numbers of its @@)'],
] as const)('chooses among several places by %s of a hunk', async ([, header, line, told]) => {
  const lines = Array.from({ length: 30 }, (_, i) => (i % 10 === 9 ? 'x\n' : `${i}\n`));
  for (const head of [
    ['--- a/f', '+++ b/f'],
    ['*** Begin Patch', '*** Update File: f'],
  ]) {
    const { result, after } = await apply({ f: lines.join('') }, ...head, header, '-x', '+y', '*** End Patch');
    expect(after).toEqual({ f: lines.with(line - 1, 'y\n').join('') });
    expect(result).toContain(told);
  }
});

test('reckons with lines that were added above', async () => {
  const body = Array.from({ length: 12 }, (_, i) => (i % 4 === 3 ? 'x\n' : `${i}\n`)).join('');
  const hunks = ['@@ -1,1 +1,1 @@', '-0', '+zero', '@@ -8,1 +8,1 @@', '-x', '+y'];
  const { after } = await apply({ f: `${'new\n'.repeat(5)}${body}` }, '--- a/f', '+++ b/f', ...hunks);
  expect(after['f']?.split('\n')[12]).toBe('y');
});

test.for<[string, string[], string, string, string]>([
  [
    'places that are as near',
    ['--- a/g', '+++ b/g', '@@ -2 +2 @@', '-x', '+y'],
    'patch_conflict',
    '2 places',
    'context',
  ],
  ['lines beyond the end', ['--- a/f', '+++ b/f', '@@ -9,0 +9 @@', '+y'], 'patch_conflict', 'failed to find', 'file'],
  ['two names', ['--- a/f', '+++ b/g', '@@ -1 +1 @@', '-a', '+b'], 'patch_invalid', 'two names, a/f and b/g', 'rename'],
  ['no name', ['diff --git f g', '@@ -1 +1 @@', '-a', '+b'], 'patch_invalid', 'no --- and +++', '--- a/path'],
  ['a copy', ['diff --git a/f b/h', 'copy from f', 'copy to h'], 'patch_invalid', 'a copy cannot be', 'add the new'],
  ['binary data', ['diff --git a/f b/f', 'GIT binary patch'], 'patch_invalid', 'a binary file cannot', 'remove it'],
  ['only modes', ['diff --git a/f b/f', 'old mode 1', 'new mode 2'], 'patch_invalid', 'no operations', ''],
  ['no hunk', ['--- a/f', '+++ b/f'], 'patch_invalid', 'has no hunk', ''],
  ['a bare line', [...UPDATE.slice(0, 6), 'c'], 'patch_invalid', 'line 7: "c" in a hunk', 'put a blank before'],
  ['a line behind a hunk', [...UPDATE, 'd'], 'patch_invalid', 'line 8: "d" in a hunk', 'put a blank before'],
  ['an old line in a new file', ['--- /dev/null', '+++ b/h', '@@ -1 +1 @@', '-a'], 'patch_invalid', 'new file h', ''],
  ['a new file that is there', ['--- /dev/null', '+++ b/f', '@@ -0,0 +1 @@', '+a'], 'patch_conflict', 'exists', ''],
  [
    'to remove more',
    ['--- a/f', '+++ /dev/null', '@@ -1,2 +0,0 @@', '-a', '-b'],
    'patch_conflict',
    'holds more',
    'read',
  ],
])('refuses %s, and changes nothing', async ([, lines, error_code, message, suggestion]) => {
  const files = { ...FILE, g: 'x\n\nx\n' };
  const answer = await apply(files, ...lines);
  expect(answer).toMatchObject({ ok: false, error_code, after: files });
  expect(answer.error).toContain(message);
  expect(answer.suggestion).toContain(suggestion);
});

test('shows what is nearest below the @@ line, and how to continue', async () => {
  const file = `call(a, b)\nfunction one() {\n  call(a, c)\n}\nfunction two() {\n  call(a, d)\n}\n`;
  const patch = (anchor: string, ...lines: string[]) =>
    apply({ f: file }, '*** Begin Patch', '*** Update File: f', `@@ ${anchor}`, ...lines, '*** End Patch');
  const missed = await patch('function two() {', '-  call(a, b, c)', '+x');
  expect(missed.error).toContain('Nearest below its @@ line at line 6:\n-   call(a, b, c)\n+   call(a, d)');
  expect(missed.suggestion).toContain('write the hunk with those marked +');
  const lost = await patch('function three() {', '-  call(a, b, c)', '+x');
  expect(lost.error).toContain('The file does not have its @@ line either. Nearest at line 1:');
  const long = await patch('function two() {', ...Array.from({ length: 9 }, (_, i) => `-${i}`));
  expect(long.suggestion).toMatch(/^read the file from line \d+/);
});

const MODE_OF_A = ['diff --git a/f b/f', 'old mode 100644', 'new mode 100755'];

test.for<[string, string[], number | undefined, string, number]>([
  [
    'a new file',
    ['diff --git a/h b/h', 'new file mode 100755', '--- /dev/null', '+++ b/h', '@@ -0,0 +1 @@', '+a'],
    undefined,
    'added h (mode 100755)',
    0o755,
  ],
  ['an empty new file', ['diff --git a/h b/h', 'new file mode 100755'], undefined, 'added h (mode 100755)', 0o755],
  [
    'a new file like most',
    ['diff --git a/h b/h', 'new file mode 100644', '--- /dev/null', '+++ b/h', '@@ -0,0 +1 @@', '+a'],
    undefined,
    'added h',
    0o644,
  ],
  ['only the mode', MODE_OF_A, 0o640, 'updated f (mode 100755)', 0o750],
  [
    'the mode and lines',
    [...MODE_OF_A, '--- a/f', '+++ b/f', '@@ -1 +1 @@', '-a', '+b'],
    0o644,
    'updated f (mode 100755)',
    0o755,
  ],
  [
    'a program that is none any more',
    ['diff --git a/f b/f', 'old mode 100755', 'new mode 100644'],
    0o755,
    'updated f (mode 100644)',
    0o644,
  ],
  [
    'a moved file',
    ['diff --git a/f b/h', ...MODE_OF_A.slice(1), 'similarity index 100%', 'rename from f', 'rename to h'],
    0o644,
    'moved f to h (mode 100755)',
    0o755,
  ],
])('sets the mode of %s, and undo restores it', async ([, lines, mode, told, expected]) => {
  const options = { root: makeTempDirectory(), state: makeTempDirectory() };
  const stat = (name: string) => fs.statSync(path.join(options.root, name), { throwIfNoEntry: false })?.mode;
  makeTree(options.root, { f: { content: 'a\n', mode: mode ?? 0o644 } });
  const before = [stat('f'), stat('h')];
  const { result, error } = await call(applyPatch, { patch: lines.join('\n') }, options);
  expect([error, result]).toEqual([undefined, told]);
  expect((stat(told.includes(' h') ? 'h' : 'f') ?? 0) & 0o777).toBe(
    expected & ~(mode === undefined ? process.umask() : 0),
  );
  expect(await call(undo, { action: 'restore', last: 1 }, options)).toMatchObject({ ok: true });
  expect([stat('f'), stat('h')]).toEqual(before);
});

test('refuses links and submodules, and a mode that the file has', async () => {
  const add = (mode: string) => [
    'diff --git a/h b/h',
    `new file mode ${mode}`,
    '--- /dev/null',
    '+++ b/h',
    '@@ -0,0 +1 @@',
    '+f',
  ];
  const change = [
    'diff --git a/f b/f',
    'index 1234567..7654321 120000',
    '--- a/f',
    '+++ b/f',
    '@@ -1 +1 @@',
    '-a',
    '+b',
  ];
  const remove = ['diff --git a/f b/f', 'deleted file mode 120000', '--- a/f', '+++ /dev/null', '@@ -1 +0,0 @@', '-a'];
  for (const lines of [add('120000'), add('160000'), change, remove]) {
    const answer = await apply({ f: 'a\n' }, ...lines);
    expect(answer).toMatchObject({ error_code: 'patch_invalid', after: { f: 'a\n' } });
    expect(answer.error).toMatch(/a (link|submodule) cannot be patched/);
  }
  const same = await apply({ f: 'a\n' }, 'diff --git a/f b/f', 'old mode 100755', 'new mode 100644');
  expect(same).toMatchObject({ error_code: 'edit_no_change' });
});

test.for<[string, string, string[], string]>([
  ['in the middle', '-- a\n-- b\nc\n', ['@@ -1,3 +1,3 @@', ' -- a', '--- b', '+++ d', ' c'], '-- a\n++ d\nc\n'],
  ['at the end', 'a\n-- b\n', ['@@ -1,2 +1,2 @@', ' a', '--- b', '+++ d'], 'a\n++ d\n'],
  [
    'twice',
    '-- a\nx\n-- b\ny\n',
    ['@@ -1,4 +1,4 @@', '--- a', '+++ c', ' x', '--- b', '+++ d', ' y'],
    '++ c\nx\n++ d\ny\n',
  ],
  ['several lines', '-- a\n-- b\n', ['@@ -1,2 +1,2 @@', '--- a', '--- b', '+++ c', '+++ d'], '++ c\n++ d\n'],
  [
    'before another hunk',
    '-- a\nx\ny\n',
    ['@@ -1,1 +1,1 @@', '--- a', '+++ b', '@@ -3 +3 @@', '-y', '+z'],
    '++ b\nx\nz\n',
  ],
  ['only removed', '-- a\nb\n', ['@@ -1,2 +1,1 @@', '--- a', ' b'], 'b\n'],
])(
  'takes lines that look like the names of a file by the counts of their hunk: %s',
  async ([, before, hunk, expected]) => {
    const files = { f: before, g: 'x\n' };
    const { after, error } = await apply(
      files,
      '--- a/f',
      '+++ b/f',
      ...hunk,
      '--- a/g',
      '+++ b/g',
      '@@ -1 +1 @@',
      '-x',
      '+y',
    );
    expect([error, after]).toEqual([undefined, { f: expected, g: 'y\n' }]);
  },
);

const PATCH = ['*** Begin Patch', '*** Update File: f', '@@', '-a', '+b', '*** End Patch'];

test.for<[string, string[]]>([
  ['blank lines', ['', '  ', ...PATCH, '', '']],
  ['blanks before its first line', ['', '  *** Begin Patch', ...PATCH.slice(1), '']],
  ['blanks before its last line', ['  *** Begin Patch', ...PATCH.slice(1, -1), '  *** End Patch']],
  ['a command', ["apply_patch <<'EOF'", ...PATCH, 'EOF']],
  ['a command without quotes', ['apply_patch << PATCH', '', ...PATCH, '', 'PATCH', '']],
  ['a here-document', ['<<"EOF"', ...PATCH, 'EOF']],
  ['a command that is not closed', ["apply_patch <<'EOF'", ...PATCH]],
  ['a fence', ['```diff', ...PATCH, '```']],
  ['a command in a fence', ['', '```bash', "apply_patch <<'EOF'", ...PATCH, 'EOF', '```', '']],
  ['a fence in a command', ["apply_patch <<'EOF'", '```', ...PATCH, '```', 'EOF']],
  ['a command around a diff', ["apply_patch <<'EOF'", '--- a/f', '+++ b/f', '@@ -1 +1 @@', '-a', '+b', 'EOF']],
])('takes a patch with %s around it', async ([, lines]) => {
  const { after, error } = await apply({ f: 'a\n' }, ...lines);
  expect([error, after]).toEqual([undefined, { f: 'b\n' }]);
});
