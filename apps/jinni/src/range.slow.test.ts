import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { beforeAll, describe, expect, inject, test } from 'vitest';

const JINNI = path.resolve(import.meta.dirname, '../dist/jinni.cjs');
const hasGit = spawnSync('git', ['--version']).status === 0;

function jinni(cwd: string, ...argv: string[]) {
  const temporary = makeTempDirectory();
  const { status, stdout, stderr } = spawnSync(process.execPath, [JINNI, '--no-copy', ...argv], {
    cwd,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: cwd, TMPDIR: temporary },
  });
  return { status, stdout, stderr, left: fs.readdirSync(temporary) };
}

test('without git, a range and a remote repository are refused with what to do', () => {
  const cwd = makeTempDirectory();
  for (const argv of [
    ['--changed', 'v1..v2'],
    ['--remote', 'file:///nowhere.git'],
  ]) {
    const { status, stderr } = spawnSync(process.execPath, [JINNI, '--no-copy', ...argv], {
      cwd,
      encoding: 'utf8',
      env: { PATH: makeTempDirectory(), HOME: cwd },
    });
    expect([status, stderr], argv[0]).toEqual([1, expect.stringContaining('git could not be started\n\ninstall git')]);
  }
});

function gitIn(cwd: string) {
  return (...args: string[]) =>
    spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd, encoding: 'utf8' }).stdout;
}

/** A copy of the repository for a test. */
function repository() {
  const cwd = makeTempDirectory();
  fs.cpSync(original, cwd, { recursive: true, verbatimSymlinks: true });
  return { cwd, git: gitIn(cwd) };
}

let original = '';

beforeAll(() => {
  if (!hasGit) return undefined;
  original = fs.mkdtempSync(path.join(inject('temporary'), 'jinn-test-'));
  fillRepository(original);
  return () => fs.rmSync(original, { recursive: true });
});

/** Makes the commits v1 to v4 on main, a branch that left at v1, and a changed working tree. */
function fillRepository(cwd: string) {
  const git = gitIn(cwd);
  const commit = (name: string) => {
    git('add', '-A', '-f', '.');
    git('commit', '-q', '-m', name);
    git('tag', name);
  };
  git('init', '-q', '-b', 'main');
  makeTree(cwd, { a: 'a1\n', 'src/b': 'b1\n', gone: 'gone\n', '.env': 'A=1\n', 'build/out': 'o1\n' });
  commit('v1');
  makeTree(cwd, { a: 'a2\n', 'src/new é.py': 'n2\n', '.env': 'A=2\n', 'build/out': 'o2\n', link: { symlink: 'a' } });
  commit('v2');
  fs.rmSync(`${cwd}/gone`);
  fs.rmSync(`${cwd}/src`, { recursive: true });
  makeTree(cwd, { a: 'a3\n', 'lib/c': 'c3\n', data: Buffer.from([0, 1, 2]) });
  commit('v3');
  git('checkout', '-q', '-b', 'side', 'v1');
  makeTree(cwd, { side: 's\n' });
  commit('s1');
  git('checkout', '-q', 'main');
  makeTree(cwd, { a: 'a4\n' });
  commit('v4');
  makeTree(cwd, { a: 'uncommitted\n', untracked: 'u\n' });
}

describe.skipIf(!hasGit)('--changed with a range', () => {
  test.for(['v1..v2', 'v2..v3', 'v3..v1', 'v1...v3', 'side..main', 'side...main', 'main...side', 'v1..', '..v2'])(
    'takes in what git has between the two ends of %s',
    (range) => {
      const { cwd, git } = repository();
      const named = git('diff', '--name-only', '--no-renames', '--diff-filter=d', '-z', range).split('\0');
      const expected = named.filter((name) => name !== '' && !/^(?:\.env|link|data)$/.test(name));
      const { stdout, status, left } = jinni(cwd, '--format=json', '--diff', `--changed=${range}`);
      const { files, diff = '' } = JSON.parse(stdout || '{"files":[]}');
      const end = range.replace(/^.*\.\./, '') || 'HEAD';
      expect(status).toBe(0);
      expect(left).toEqual([]);
      expect(files.map(({ path: name }: { path: string }) => name).toSorted()).toEqual(expected.toSorted());
      for (const file of files) expect(file.content).toBe(git('show', `${end}:${file.path}`));
      // Binary files and links are no files of a document; git shows them too.
      const parts = (text: string) =>
        text
          .split(/^(?=diff --git)/m)
          .map((part) => part.trimEnd())
          .filter((part) => !/^diff --git a\/(?:data|link|\.env) /.test(part))
          .toSorted();
      const theirs = git('-c', 'core.quotePath=false', 'diff', '--irreversible-delete', range);
      expect(parts(diff)).toEqual(parts(theirs));
      expect(jinni(cwd, '-l', '--diff', `--changed=${range}`).stdout.trimEnd()).toBe(diff);
    },
  );

  test('takes one commit alone, and a tag as all since then', () => {
    const { cwd } = repository();
    expect(jinni(cwd, '-l', '--changed', 'v3^!').stdout).toBe('a\nlib/c\n');
    expect(jinni(cwd, '-l', '--changed', 'v1^!').stdout).toBe('a\ngone\nbuild/out\nsrc/b\n');
    expect(jinni(cwd, '-l', '--changed', 'v3').stdout).toBe('a\nuntracked\n');
  });

  test('begins paths at the working directory, and takes targets that are gone since', () => {
    const { cwd } = repository();
    const range = '--changed=v1..v2';
    expect(jinni(cwd, '-l', range, 'src', 'build').stdout).toBe('src/new é.py\nbuild/out\n');
    expect(jinni(cwd, '-l', range, 'src/new é.py').stdout).toBe('src/new é.py\n');
    expect(jinni(path.join(cwd, 'build'), '-l', range).stdout).toBe('out\n');
    expect(jinni(path.join(cwd, 'lib'), '-l', range, '..').stdout).toContain('src/new é.py\n');
    expect(jinni(cwd, '-l', range, '-r', 'build', 'build/out').stdout).toBe('out\n');
    expect(jinni(cwd, '-l', range, 'lib')).toMatchObject({ status: 0, stdout: '', stderr: 'No files found.\n' });
    const gone = jinni(cwd, '-l', '--diff', '--changed=v2..v3', 'gone').stdout;
    expect(gone).toContain('diff --git a/gone b/gone\ndeleted file');
    expect(gone).not.toContain('lib/c');
  });

  test('heeds the rules of the second end, and says nothing of secrets', () => {
    const { cwd, git } = repository();
    makeTree(cwd, { '.contextfiles': '!lib/\n', 'lib/c': 'c5\n', a: 'a5\n' });
    git('add', '-A');
    git('commit', '-qm', 'v5');
    fs.rmSync(`${cwd}/.contextfiles`);
    expect(jinni(cwd, '-l', '--changed=HEAD^!').stdout).toBe('a\nuntracked\n');
    const { stdout } = jinni(cwd, '--diff', '--changed=v1..v2', '--no-defaults');
    expect(stdout).not.toMatch(/A=[12]|\.env/);
    expect(jinni(cwd, '-l', '--changed=v1..v2', '.env').stdout).toBe('');
  });

  test('sorts and logs by the history of the repository', () => {
    const { cwd } = repository();
    const { stdout } = jinni(cwd, '-l', '--sort=change', '--changed=v2..v3');
    expect(stdout).toBe('lib/c\na\n');
    expect(jinni(cwd, '--git-log', '1', '--changed=v2..v3').stdout).toContain('a: v4');
  });

  test.for([
    ['nope..HEAD', 'no commit is called nope here'],
    ['HEAD..nope', 'no commit is called nope here'],
    ['--output=x..HEAD', 'no commit is called --output=x here'],
    ['HEAD...-x', 'no commit is called -x here'],
    ['nope^!', 'no commit is called nope here'],
    ['v1....v2', 'no commit is called .v2 here'],
  ])('refuses %s', ([range = '', message]) => {
    const { cwd } = repository();
    const run = jinni(cwd, '-l', `--changed=${range}`);
    expect(run).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining(`Error: ${message}\n`),
      left: [],
    });
    expect(fs.existsSync(path.join(cwd, 'x'))).toBe(false);
  });

  test('refuses histories that have nothing in common, and targets that never were', () => {
    const { cwd, git } = repository();
    git('checkout', '-q', '--orphan', 'other');
    git('commit', '-qm', 'other');
    expect(jinni(cwd, '-l', '--changed=v1...other').stderr).toContain(
      'the two ends of v1...other have no history in common here\n\ncompare the commits themselves: v1..other',
    );
    expect(jinni(cwd, '-l', '--changed=v1..v2', 'never').stderr).toBe(
      `Error: Target path does not exist: never (resolved to ${cwd}/never)\n`,
    );
    expect(jinni(cwd, '-l', '--changed=v1..v2', '-r', 'lib', 'a').stderr).toContain(
      'is outside the specified project root',
    );
  });
});
