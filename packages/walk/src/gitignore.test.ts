import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { openWorkspace } from '@jinn/core';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { walk } from './walk.ts';

const hasGit = spawnSync('git', ['--version']).status === 0;

interface Seen {
  readonly path: string;
  readonly isDirectory: boolean;
  readonly ignored: boolean;
}

/** Everything in the tree, also what is ignored, with what the rules say of it. */
async function judge(root: string, start = '.'): Promise<Seen[]> {
  const seen: Seen[] = [];
  await walkIn(root, start, (entry, ignored) => {
    seen.push({ path: entry.path, isDirectory: entry.kind === 'directory', ignored });
    return true;
  });
  return seen;
}

async function listed(root: string, start = '.'): Promise<string[]> {
  const paths: string[] = [];
  await walkIn(root, start, undefined, (entry) => {
    if (entry.kind !== 'directory') paths.push(entry.path);
  });
  return paths;
}

async function notesOf(root: string, start = '.'): Promise<readonly string[]> {
  return (await walkIn(root, start, undefined)).notes;
}

type Options = Parameters<typeof walk>[2];
type Entry = Parameters<Parameters<typeof walk>[3]>[0];

async function walkIn(root: string, start: string, decide: Options['decide'], see: (entry: Entry) => void = () => {}) {
  const workspace = openWorkspace({ root });
  try {
    const options = { hidden: true, gitignore: true, decide, checkpoint: async () => {} };
    return await walk(workspace, start, options, (entry) => {
      see(entry);
      return undefined;
    });
  } finally {
    workspace.close();
  }
}

function git(root: string, args: string[], input = ''): string {
  const env = { PATH: process.env['PATH'], HOME: root, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' };
  const { stdout, stderr, status } = spawnSync('git', ['-c', 'core.excludesFile=', ...args], { cwd: root, env, input });
  if (status !== 0 && !(args[0] === 'check-ignore' && status === 1)) throw new Error(stderr.toString());
  return stdout.toString();
}

/** Of these paths, those that git ignores. */
function ignoredByGit(root: string, paths: readonly string[]): string[] {
  if (paths.length === 0) return [];
  const output = git(root, ['check-ignore', '--no-index', '--stdin', '-z'], paths.map((name) => `${name}\0`).join(''));
  return output.split('\0').slice(0, -1);
}

function newRepository(): string {
  const root = makeTempDirectory();
  git(root, ['init', '-q']);
  fs.rmSync(path.join(root, '.git/info/exclude'), { force: true });
  return root;
}

const segment = fc.constantFrom(
  'a',
  'b',
  'ab',
  'ba',
  'A',
  'a.b',
  'b.a.b',
  '!a',
  '#b',
  'a ',
  ' ',
  'é',
  'aé',
  '-',
  ']',
  '[',
  '*',
  'a\\',
  '.b',
  '~',
);
const filePath = fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
const atom = fc.constantFrom(
  'a',
  'a',
  'b',
  'b',
  'ab',
  '.',
  '*',
  '*',
  '**',
  '***',
  '?',
  '/',
  '/',
  '/**/',
  '**/',
  '/**',
  '[ab]',
  '[!a]',
  '[^b]',
  '[a-b]',
  '[]]',
  '[]-a]',
  '[[:alpha:]]',
  '[[:punct:]',
  '[[:upper:]]',
  '[a',
  ']',
  '[/]',
  '[!-~]',
  '\\a',
  '\\*',
  '\\!',
  '\\#',
  '\\ ',
  '\\\\',
  '\\',
  '\\/',
  '!',
  '#',
  ' ',
  '\t',
  'é',
  '\xc3',
  '-',
  '~',
  'A',
);
const line = fc
  .tuple(
    fc.constantFrom('', '', '', '', '!', '!', '/', '#', '**/', ' '),
    fc.array(atom, { minLength: 0, maxLength: 5 }),
    fc.constantFrom('', '', '', '/', '/', ' ', '  ', '\\ ', '\r', '\t', '/ '),
  )
  .map(([start, atoms, end]) => start + atoms.join('') + end)
  // Two stars count for more than one where git alone says so: beside a literal beginning, or an escaped slash.
  .filter((text) => (text.match(/\*{2,}/g) ?? []).length < 3)
  .filter((text) => !/[^/!]\*\*+(\\?\/|$)|\*\*+\\\/|\\\/\*\*/.test(text));
const simpleLine = fc
  .tuple(
    fc.constantFrom('', '', '!', '/', '!/', '**/'),
    fc.constantFrom(
      'a',
      'b',
      'ab',
      '*.b',
      'a*',
      '*',
      'a/b',
      'a/*',
      'a/**',
      '*/b',
      '*/*',
      'a/**/b',
      'b/a*',
      '?',
      '.b',
      '*b',
    ),
    fc.constantFrom('', '', '/'),
  )
  .map((parts) => parts.join(''));
const ruleFile = fc
  .tuple(
    fc.constantFrom('', '', '', '\xef\xbb\xbf'),
    fc.array(fc.oneof(line, simpleLine, simpleLine), { maxLength: 8 }),
    fc.constantFrom('\n', '\r\n'),
    fc.constantFrom('', '\n'),
  )
  .map(([bom, lines, newline, end]) => toBytes(bom + lines.join(newline) + end));

/** The text with é as UTF-8 and everything else as it is: bytes that are no UTF-8 stay. */
function toBytes(text: string): Buffer {
  return Buffer.from(text.replaceAll('é', '\xc3\xa9'), 'latin1');
}

const scene = fc.record({
  files: fc.uniqueArray(filePath, { minLength: 1, maxLength: 25 }),
  root: ruleFile,
  excludes: fc.option(ruleFile, { nil: undefined, freq: 3 }),
  nested: fc.array(fc.tuple(filePath, ruleFile), { maxLength: 3 }),
});

/** Writes what can be written: a name may be wanted as a file and as a directory. */
function writeScene(
  root: string,
  { files, root: rules, excludes, nested }: typeof scene extends fc.Arbitrary<infer T> ? T : never,
): void {
  for (const name of fs.readdirSync(root)) if (name !== '.git') fs.rmSync(path.join(root, name), { recursive: true });
  const put = (name: string, content: string | Buffer) => {
    try {
      fs.mkdirSync(path.join(root, path.dirname(name)), { recursive: true });
      fs.writeFileSync(path.join(root, name), content);
    } catch (error) {
      if (!['EEXIST', 'ENOTDIR', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  };
  for (const name of files) put(name, '');
  put('.gitignore', rules);
  for (const [name, content] of nested) put(`${path.dirname(name)}/.gitignore`, content);
  fs.mkdirSync(path.join(root, '.git/info'), { recursive: true });
  fs.rmSync(path.join(root, '.git/info/exclude'), { force: true });
  if (excludes) put('.git/info/exclude', excludes);
}

describe.skipIf(!hasGit)('against git', () => {
  test('ignores what git check-ignore says, and lists what git ls-files does', async () => {
    const root = newRepository();
    await fc.assert(
      fc.asyncProperty(scene, async (what) => {
        writeScene(root, what);
        const seen = await judge(root);
        const ignored = seen.filter((entry) => entry.ignored).map((entry) => entry.path);
        expect(ignored).toEqual(
          ignoredByGit(
            root,
            seen.map((entry) => entry.path),
          ),
        );
        const files = git(root, ['ls-files', '-o', '-z', '--exclude-standard']).split('\0').slice(0, -1);
        expect((await listed(root)).toSorted()).toEqual(files.toSorted());
      }),
    );
  });
});

describe('rule files', () => {
  test('hold from the top of the repository down, also from above the workspace, and each nested repository begins anew', async () => {
    const root = makeTempDirectory();
    makeTree(root, {
      '.git/HEAD': 'ref: refs/heads/main\n',
      '.git/info/exclude': 'by-exclude\n',
      '.gitignore': '*.top\n/work/anchored\n',
      'work/.gitignore': '*.work\n!kept.top\n',
      'work/in/a.top': '',
      'work/in/kept.top': '',
      'work/in/a.work': '',
      'work/in/by-exclude': '',
      'work/anchored': '',
      'work/in/anchored': '',
      'work/nested/.git/HEAD': 'ref: refs/heads/main\n',
      'work/nested/a.top': '',
      'work/nested/a.work': '',
    });
    const expected = ['.gitignore', 'in/anchored', 'in/kept.top', 'nested/a.top', 'nested/a.work'];
    expect(await listed(path.join(root, 'work'))).toEqual(expected);
    expect(await listed(path.join(root, 'work'), 'in')).toEqual(['in/anchored', 'in/kept.top']);
    expect(await listed(root, 'work')).toEqual(expected.map((name) => `work/${name}`));
  });

  test('hold without a repository, from the workspace root down', async () => {
    const root = makeTempDirectory();
    makeTree(root, {
      '.gitignore': 'a.txt\n',
      'work/.gitignore': 'b.txt\n',
      'work/a.txt': '',
      'work/b.txt': '',
      'work/c': '',
    });
    expect(await listed(path.join(root, 'work'))).toEqual(['.gitignore', 'a.txt', 'c']);
    expect(await listed(root, 'work')).toEqual(['work/.gitignore', 'work/c']);
  });

  test('of a worktree lie with the repository that it belongs to', async () => {
    const root = makeTempDirectory();
    makeTree(root, {
      'main/.git/HEAD': 'ref: refs/heads/main\n',
      'main/.git/info/exclude': 'ignored\n',
      'main/.git/worktrees/tree/HEAD': 'ref: refs/heads/other\n',
      'main/.git/worktrees/tree/commondir': '../..\n',
      'tree/.git': `gitdir: ${root}/main/.git/worktrees/tree\n`,
      'tree/ignored': '',
      'tree/kept': '',
    });
    expect(await listed(path.join(root, 'tree'))).toEqual(['kept']);
  });

  test('that are links, no files, or very large are not read, and a note says so', async () => {
    const root = makeTempDirectory();
    makeTree(root, {
      rules: 'x\n',
      'a/.gitignore': { symlink: '../rules' },
      'b/.gitignore': { fifo: true },
      'c/.gitignore': 'x\n'.repeat(600_000),
      'd/.gitignore/x': '',
      'a/x': '',
      'b/x': '',
      'c/x': '',
    });
    expect((await listed(root)).filter((name) => name.endsWith('/x'))).toEqual(['a/x', 'b/x', 'c/x', 'd/.gitignore/x']);
    const notes = await notesOf(root);
    expect(notes).toHaveLength(4);
    for (const [i, directory] of ['a', 'b', 'c', 'd'].entries()) expect(notes[i]).toContain(`${directory}/.gitignore`);
  });

  test('with a line that could take hours are applied without it, and a note names the line', async () => {
    const root = makeTempDirectory();
    const deep = `${'a/'.repeat(200)}a`;
    makeTree(root, {
      '.gitignore': `x\n${'**/a/'.repeat(20)}b\n**/a/**/a/**/b\n${'*a'.repeat(100)}*b\n`,
      x: '',
      [deep]: '',
      ['a'.repeat(250)]: '',
    });
    expect(await listed(root)).toEqual(['.gitignore', deep, 'a'.repeat(250)]);
    expect(await notesOf(root)).toEqual([2, 3].map((line) => expect.stringContaining(`.gitignore: line ${line} `)));
  });
});
