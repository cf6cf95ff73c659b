import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import fc from 'fast-check';
import { describe, expect, inject, test } from 'vitest';
import { openWorkspace } from '../../guard/index.ts';
import { walk } from '../walk.ts';

/** The home of the user whose git configuration holds. */
let home = '/nowhere';

const hasGit = spawnSync('git', ['--version']).status === 0;

interface Seen {
  readonly path: string;
  readonly isDirectory: boolean;
  readonly ignored: boolean;
}

/** The rule that decides on each entry, as `file:line`; undefined where none does. Nothing below ignored directories. */
async function explain(root: string): Promise<Map<string, string | undefined>> {
  const rules = new Map<string, string | undefined>();
  await walkIn(root, '.', (entry, ignored, rule) => {
    rules.set(entry.path, rule && `${rule.file}:${rule.line}`);
    return !ignored;
  });
  return rules;
}

/** All entries of the tree, also ignored ones, and whether they are ignored. */
async function judge(root: string, start = '.'): Promise<Seen[]> {
  const seen: Seen[] = [];
  await walkIn(root, start, (entry, ignored) => {
    seen.push({ path: entry.path, isDirectory: entry.kind === 'directory', ignored });
    return true;
  });
  return seen.sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function listed(root: string, start = '.'): Promise<string[]> {
  const paths: string[] = [];
  await walkIn(root, start, undefined, (entry) => {
    if (entry.kind !== 'directory') paths.push(entry.path);
  });
  return paths;
}

async function warningsOf(root: string, start = '.'): Promise<readonly string[]> {
  return (await walkIn(root, start, undefined)).warnings;
}

type Options = Parameters<typeof walk>[2];
type Entry = Parameters<Parameters<typeof walk>[3]>[0];

async function walkIn(root: string, start: string, decide: Options['decide'], see: (entry: Entry) => void = () => {}) {
  const workspace = openWorkspace({ root, home, variables: { HOME: home, GIT_CONFIG_NOSYSTEM: '1' } });
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
  const env = { PATH: process.env['PATH'], HOME: home, GIT_CONFIG_NOSYSTEM: '1' };
  const { stdout, stderr, status } = spawnSync('git', args, { cwd: root, env, input });
  if (status !== 0 && !(args[0] === 'check-ignore' && status === 1)) throw new Error(stderr.toString());
  return stdout.toString();
}

/** The rule by which git decides on each path. */
function explainByGit(root: string, paths: readonly string[]): Map<string, string | undefined> {
  if (paths.length === 0) return new Map();
  const flags = ['--no-index', '--stdin', '-z', '--verbose', '--non-matching'];
  const output = git(root, ['check-ignore', ...flags], paths.map((name) => `${name}\0`).join('')).split('\0');
  const shown = (file: string) => (file === userFile() ? 'core.excludesFile' : file);
  return new Map(
    paths.map((name, i) => [name, output[4 * i] ? `${shown(output[4 * i] ?? '')}:${output[4 * i + 1]}` : undefined]),
  );
}

/** Those of the paths that git ignores. */
function ignoredByGit(root: string, paths: readonly string[]): string[] {
  if (paths.length === 0) return [];
  const output = git(root, ['check-ignore', '--no-index', '--stdin', '-z'], paths.map((name) => `${name}\0`).join(''));
  return output.split('\0').slice(0, -1);
}

function userFile(): string {
  return `${home}/.config/git/ignore`;
}

function newRepository(): string {
  const root = makeTempDirectory();
  home = makeTempDirectory();
  makeTree(home, { '.config/git/ignore': '' });
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
  .map(([start, atoms, end]) => start + atoms.join('') + end);
/** Lines with many stars. */
const costlyLine = fc
  .tuple(
    fc.constantFrom('', '', '!', '/', '**/', 'a/'),
    fc.array(fc.oneof({ arbitrary: fc.constantFrom('*', '*', '**', '/**/', '**/', 'a', 'b', '/'), weight: 4 }, atom), {
      minLength: 5,
      maxLength: 12,
    }),
    fc.constantFrom('', '', '/', '/**'),
  )
  .map(([start, atoms, end]) => start + atoms.join('') + end);
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
      'a**/b',
      'b/a**/a',
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
    fc.array(fc.oneof(line, simpleLine, simpleLine, costlyLine), { maxLength: 8 }),
    fc.constantFrom('\n', '\r\n'),
    fc.constantFrom('', '\n'),
  )
  .map(([bom, lines, newline, end]) => toBytes(bom + lines.join(newline) + end));

/** Encodes é as UTF-8 and all other characters as latin1, so that some bytes are not UTF-8. */
function toBytes(text: string): Buffer {
  return Buffer.from(text.replaceAll('é', '\xc3\xa9'), 'latin1');
}

const scene = fc.record({
  files: fc.uniqueArray(filePath, { minLength: 1, maxLength: 25 }),
  root: ruleFile,
  excludes: fc.option(ruleFile, { nil: undefined, freq: 3 }),
  user: fc.option(ruleFile, { nil: '', freq: 3 }),
  nested: fc.array(fc.tuple(filePath, ruleFile), { maxLength: 3 }),
});

/** Writes the files that can be written; a name may be asked for both as a file and as a directory. */
function writeScene(
  root: string,
  { files, root: rules, excludes, user, nested }: typeof scene extends fc.Arbitrary<infer T> ? T : never,
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
  fs.writeFileSync(userFile(), user);
}

describe.skipIf(!hasGit)('against git', () => {
  test('ignores what git check-ignore says, and lists what git ls-files does', async () => {
    const root = newRepository();
    await fc.assert(
      fc.asyncProperty(scene, async (what) => {
        writeScene(root, what);
        const seen = await judge(root);
        const ignored = seen.filter((entry) => entry.ignored).map((entry) => entry.path);
        const paths = seen.map((entry) => entry.path);
        expect(ignored).toEqual(ignoredByGit(root, paths));
        const files = git(root, ['ls-files', '-o', '-z', '--exclude-standard']).split('\0').slice(0, -1);
        expect((await listed(root)).toSorted()).toEqual(files.toSorted());
      }),
      { numRuns: 100 / inject('runsDivisor') },
    );
  });

  test('names the rule that git check-ignore names', async () => {
    const root = newRepository();
    await fc.assert(
      fc.asyncProperty(scene, async (what) => {
        writeScene(root, what);
        const rules = await explain(root);
        expect(rules).toEqual(explainByGit(root, [...rules.keys()]));
      }),
      { numRuns: 100 / inject('runsDivisor') },
    );
  });

  test('decides the same from every directory, and in a workspace inside the repository', async () => {
    const root = newRepository();
    await fc.assert(
      fc.asyncProperty(scene, async (what) => {
        writeScene(root, what);
        const all = await judge(root);
        for (const { path: start } of all.filter(({ isDirectory, ignored }) => isDirectory && !ignored)) {
          const below = all.filter((entry) => entry.path.startsWith(`${start}/`));
          expect(await judge(root, `./${start}`)).toEqual(below);
          const inner = below.map((entry) => ({ ...entry, path: entry.path.slice(start.length + 1) }));
          expect(await judge(path.join(root, start))).toEqual(inner);
        }
      }),
      { numRuns: 40 / inject('runsDivisor') },
    );
  });

  test('finds info/exclude of a worktree and of a submodule', async () => {
    const base = makeTempDirectory();
    const main = path.join(base, 'main');
    makeTree(base, { 'main/f': '' });
    git(main, ['init', '-q']);
    git(main, ['add', 'f']);
    git(main, ['-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '-m', 'x']);
    git(main, ['worktree', 'add', '-q', '../tree']);
    git(main, ['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', main, 'sub']);
    fs.writeFileSync(path.join(main, '.git/info/exclude'), 'out\n');
    fs.writeFileSync(path.join(main, '.git/modules/sub/info/exclude'), 'sub-out\n');
    makeTree(base, { 'tree/out': '', 'tree/in': '', 'main/sub/out': '', 'main/sub/sub-out': '' });
    expect(await listed(path.join(base, 'tree'))).toEqual(['f', 'in']);
    expect(await listed(main)).toEqual(['.gitmodules', 'f', 'sub/f', 'sub/out']);
  });
});

/** A directory with the least that makes it a repository. */
const REPOSITORY = { '.git/HEAD': 'ref: refs/heads/main\n' };

test('keeps what an excluded directory holds excluded, whatever its own rules say', async () => {
  const root = makeTempDirectory();
  makeTree(root, {
    '.gitignore': 'out/\n!out/keep\n',
    'out/.gitignore': '!*\n',
    'out/keep': '',
    'out/d/x': '',
    in: '',
  });
  expect(await listed(root)).toEqual(['.gitignore', 'in']);
  const seen = await judge(root);
  expect(seen.filter(({ ignored }) => ignored).map((entry) => entry.path)).toEqual([
    'out',
    'out/.gitignore',
    'out/d',
    'out/d/x',
    'out/keep',
  ]);
});

test('applies to the content of a start that is ignored only the rules that match that content', async () => {
  const root = makeTempDirectory();
  makeTree(root, { '.gitignore': 'out/\n*.log\n/out/b\n', 'out/a': '', 'out/a.log': '', 'out/b': '', 'out/c/d': '' });
  expect(await listed(root, 'out')).toEqual(['out/a', 'out/c/d']);
  for (const rule of ['*.py[cod]', '**/x/*.o', '!x.log', 'a?c']) {
    fs.writeFileSync(path.join(root, '.gitignore'), `out/\n*.log\n/out/b\n${rule}\n`);
    expect([rule, await listed(root, 'out')]).toEqual([rule, ['out/a', 'out/c/d']]);
    expect([rule, await listed(root, 'out/c')]).toEqual([rule, ['out/c/d']]);
  }
});

test('applies rules from the workspace root down where there is no repository, and none from above', async () => {
  const base = makeTempDirectory();
  makeTree(base, {
    '.gitignore': 'a\n',
    'ws/.gitignore': 'b\n',
    'ws/d/.gitignore': 'c\n',
    'ws/d/a': '',
    'ws/d/b': '',
    'ws/d/c': '',
    'ws/d/~/b': '',
  });
  expect(await listed(path.join(base, 'ws'))).toEqual(['.gitignore', 'd/.gitignore', 'd/a']);
  expect(await listed(path.join(base, 'ws'), 'd')).toEqual(['d/.gitignore', 'd/a']);
});

test('applies the rules of a directory whose name has a line break, and reads that name as no rule', async () => {
  const root = makeTempDirectory();
  makeTree(root, {
    'a\n*.md/.gitignore': '??\n*.l?g\n',
    'a\n*.md/cd': '',
    'a\n*.md/x.log': '',
    'a\n*.md/x.md': '',
    'a\n*.md/deep/ef': '',
    'a\n*.md/deep/abc': '',
  });
  expect(await listed(root)).toEqual(['a\n*.md/.gitignore', 'a\n*.md/deep/abc', 'a\n*.md/x.md']);
});

test('applies rules in a directory called ~', async () => {
  const root = makeTempDirectory();
  makeTree(root, { '~/.gitignore': 'a\n', '~/d/a': '', '~/d/b': '' });
  expect(await listed(root, './~/d')).toEqual(['~/d/b']);
});

test('applies no rule that is longer than any path, and warns', async () => {
  const root = makeTempDirectory();
  makeTree(root, { '.gitignore': `${'*'.repeat(4096)}\n!b\n`, a: '', b: '' });
  expect(await listed(root)).toEqual(['b']);
  makeTree(root, { '.gitignore': `${'*'.repeat(4097)}\n` });
  expect(await listed(root)).toEqual(['.gitignore', 'a', 'b']);
  expect(await warningsOf(root)).toEqual([expect.stringContaining('.gitignore: line 1 ')]);
});

test('applies no more than 20,000 rules of a file, and warns', async () => {
  const root = makeTempDirectory();
  makeTree(root, { '.gitignore': `${'a\n#\n\n'.repeat(20_000)}`, a: '', b: '' });
  expect([await listed(root), await warningsOf(root)]).toEqual([['.gitignore', 'b'], []]);
  makeTree(root, { '.gitignore': `${'a\n'.repeat(20_000)}b\nc\n` });
  expect(await listed(root)).toEqual(['.gitignore', 'b']);
  const warning = '.gitignore: line 20001 and what follows it are not applied: 20000 rules stand above it';
  expect(await warningsOf(root)).toEqual([warning]);
});

test('compiles a rule file once, until it changes', async () => {
  const root = makeTempDirectory();
  makeTree(root, { '.gitignore': 'a\n', a: '' });
  const ruleOfA = async () => {
    const rules: unknown[] = [];
    await walkIn(root, '.', ({ name }, _, rule) => {
      if (name === 'a') rules.push(rule);
      return true;
    });
    return rules[0];
  };
  const rule = await ruleOfA();
  expect(rule).toMatchObject({ pattern: 'a', line: 1 });
  expect(await ruleOfA()).toBe(rule);
  makeTree(root, { '.gitignore': '# one\na\n' });
  expect(await ruleOfA()).toMatchObject({ pattern: 'a', line: 2 });
});

test('applies rules from above the workspace, up to the top of its repository', async () => {
  const base = makeTempDirectory();
  makeTree(base, { '.gitignore': 'd\n', ...REPOSITORY });
  const top = path.join(base, 'top');
  makeTree(top, { ...REPOSITORY, '.git/info/exclude': 'a\n', '.gitignore': 'b\n/ws/in/x\n', 'ws/.gitignore': '!b\n' });
  makeTree(top, { 'ws/in/a': '', 'ws/in/b': '', 'ws/in/d': '', 'ws/in/x': '', 'ws/x': '' });
  expect(await listed(path.join(top, 'ws'))).toEqual(['.gitignore', 'in/b', 'in/d', 'x']);
  expect(await listed(path.join(top, 'ws'), 'in')).toEqual(['in/b', 'in/d']);
});

test('applies no rules of the outer repository in a repository inside another', async () => {
  const root = makeTempDirectory();
  makeTree(root, {
    ...REPOSITORY,
    '.gitignore': 'a\nshut\n',
    'in/.git/HEAD': 'x',
    'in/.git/info/exclude': 'b',
    'in/a': '',
    'in/b': '',
    'in/d/a': '',
    'in/d/b': '',
  });
  makeTree(root, {
    'shut/.git/HEAD': 'x',
    'shut/x': '',
    'decoy/.git/x': '',
    'decoy/a': '',
    'decoy/c': '',
    'far/.git': 'gitdir: ../nowhere\n',
    'far/a': '',
  });
  expect(await listed(root)).toEqual(['.gitignore', 'decoy/c', 'in/a', 'in/d/a']);
  expect(await listed(root, 'in/d')).toEqual(['in/d/a']);
});

test('leaves secrets out whatever the rules re-include', async () => {
  const root = makeTempDirectory();
  makeTree(root, { ...REPOSITORY, '.gitignore': '!.git\n!.env\n!*\n', '.env': '', a: '' });
  expect(await listed(root)).toEqual(['.gitignore', 'a']);
});

test('applies no rule file that is a link, a FIFO or too large, and warns', async () => {
  const outside = makeTempDirectory();
  makeTree(outside, { rules: '*\n' });
  const root = makeTempDirectory();
  makeTree(root, {
    ...REPOSITORY,
    '.git/info/exclude': { symlink: `${outside}/rules` },
    'a/.gitignore': { symlink: `${outside}/rules` },
  });
  makeTree(root, { 'a/x': '', 'b/.gitignore': { fifo: true }, 'b/x': '', 'c/x': '', 'd/.gitignore/x': '', 'e/x': '' });
  fs.writeFileSync(path.join(root, 'c/.gitignore'), `*\n${'#'.repeat(1024 * 1024)}`);
  fs.writeFileSync(path.join(root, 'e/.gitignore'), `x\n${'#'.repeat(1024 * 1024 - 2)}`);
  expect(await listed(root)).toEqual([
    'a/.gitignore',
    'a/x',
    'b/.gitignore',
    'b/x',
    'c/.gitignore',
    'c/x',
    'd/.gitignore/x',
    'e/.gitignore',
  ]);
  expect(await warningsOf(root)).toEqual([
    '.git/info/exclude could not be read (its rules are not applied)',
    'a/.gitignore could not be read (its rules are not applied)',
    'b/.gitignore could not be read (its rules are not applied)',
    'c/.gitignore is larger than 1 MiB (its rules are not applied)',
    'd/.gitignore could not be read (its rules are not applied)',
  ]);
});

test('names nothing above the workspace in a warning', async () => {
  const base = makeTempDirectory();
  makeTree(base, { ...REPOSITORY, '.gitignore': { symlink: '/etc/passwd' }, 'ws/d/x': '' });
  const warnings = ['a .gitignore above the working directory could not be read (its rules are not applied)'];
  expect(await warningsOf(path.join(base, 'ws'))).toEqual(warnings);
  expect(await warningsOf(path.join(base, 'ws'), 'd')).toEqual(warnings);
});

test('reads no rule files unless the option is set', async () => {
  const root = makeTempDirectory();
  makeTree(root, { '.gitignore': 'a\n', a: '' });
  const workspace = openWorkspace({ root });
  const names: string[] = [];
  await walk(workspace, '.', { checkpoint: async () => {} }, (entry) => {
    names.push(entry.name);
    return undefined;
  });
  workspace.close();
  expect(names).toEqual(['a']);
});

test.for([
  [3_000, '', undefined],
  [3_000, '.js', undefined],
  [19_000, '', () => undefined],
] as const)(
  'awaits checkpoints while %i patterns (of *%s) are matched against many names',
  async ([count, ending, takeFiles]) => {
    const root = makeTempDirectory();
    makeTree(root, { '.gitignore': Array.from({ length: count }, (_, i) => `*${i}?x*${ending}`).join('\n') });
    makeTree(root, Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`f${i}${ending}`, ''])));
    const workspace = openWorkspace({ root });
    let calls = 0;
    const checkpoint = async () => {
      calls++;
    };
    await walk(workspace, '.', { gitignore: true, checkpoint, takeFiles }, () => undefined);
    workspace.close();
    expect(calls).toBeGreaterThan(5);
  },
);

test.for([
  `${'**/a/'.repeat(20)}b`,
  '**/a/**/a/**/b',
  `${'*a'.repeat(100)}*b`,
  `/d/${'*a'.repeat(100)}*b`,
  `${'*a'.repeat(100)}?b`,
  `${'*[a]'.repeat(100)}*b`,
  `${'*a'.repeat(100)}*b\n!zz`,
])('matches %s in a short time', async (line) => {
  const root = makeTempDirectory();
  const deep = `${'a/'.repeat(200)}a`;
  const long = 'a'.repeat(250);
  makeTree(root, { '.gitignore': `x\n${line}\n`, x: '', [deep]: '', [long]: '', [`d/${long}`]: '' });
  expect((await listed(root)).toSorted()).toEqual(['.gitignore', deep, long, `d/${long}`].toSorted());
  expect(await warningsOf(root)).toEqual([]);
});

test('matches many names against many lines of stars in a short time', async () => {
  const root = makeTempDirectory();
  const lines = Array.from({ length: 20 }, (_, i) => `*a*a*${String.fromCharCode(98 + i)}`);
  const names = Array.from({ length: 100 }, (_, i) => `${'a'.repeat(250)}${1_000 + i}`);
  makeTree(root, { '.gitignore': `${lines.join('\n')}\n`, ...Object.fromEntries(names.map((name) => [name, ''])) });
  expect(await listed(root)).toHaveLength(101);
});

test.for<[string, string, string]>([
  ['**/a/**/b/**/c', 'a/y/b/z/c a/b/c x/a/b/y/z/c', 'a/c a/b/d b/a/c'],
  ['x/**/a/**/b/**/c/', 'x/a/b/c/f x/1/a/2/b/3/c/f', 'a/b/c x/a/b/d/c'],
  ['*.*.*.~', 'a.b.c.~ d/1.2.3.~', 'a.b.~ a.b.c.'],
  ['a*b?c*d*', 'a1b2c3d4 e/abxcd', 'abcd axbc'],
  ['***/**/**/*.x\n!/*', 'd/a.x e/f/b.x', 'a.x d/b'],
  ['/a/**\\/***/**/b', 'a/x/y/b a/x/b', 'a/b'],
  ['*\n!/**/\n!k\n!.gitignore', 'd/e/a d/a', 'd/e/f/k k'],
  ['*\n!/b**\n!.gitignore', 'a d/b', 'ba/x/y b'],
  ['/a**/b\n/c**\\/d', 'ab a1/b a/2/b c/d c1/2/d', 'xb b cd'],
  ['*-*-*-*\n!d/\n!*-*-*-k', 'a-b-c-d d/1-2-3-4', 'a-b-c-k d/1-2-3-k'],
])('%s ignores what git does', async ([line, ignored, kept]) => {
  const root = makeTempDirectory();
  const files = (list: string) => list.split(' ').map((name) => [name, ''] as const);
  makeTree(root, { '.gitignore': `${line}\n`, ...Object.fromEntries([...files(ignored), ...files(kept)]) });
  expect((await listed(root)).toSorted()).toEqual(['.gitignore', ...kept.split(' ')].toSorted());
});
