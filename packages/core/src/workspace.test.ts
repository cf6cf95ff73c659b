import { spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ToolError } from './errors.ts';
import { isSensitiveSegment } from './sensitive.ts';
import { openWorkspace, type Workspace, type WorkspaceOptions } from './workspace.ts';

const MODES = process.platform === 'linux' ? [true, false] : [false];

function open(root: string, options: Partial<WorkspaceOptions> = {}): Workspace {
  const workspace = openWorkspace({ root, ...options });
  onTestFinished(() => workspace.close());
  return workspace;
}

const read = (workspace: Workspace, asked: string) => workspace.withFile(asked, (file) => file.slice(0, 99).toString());

/** The refusal of a path, with its code before it. */
function refusal(workspace: Workspace, asked: string): string {
  const tell = (error: unknown) =>
    error instanceof ToolError ? `${error.code}: ${error.message}` : `thrown: ${error}`;
  try {
    return `opened: ${read(workspace, asked)}`;
  } catch (error) {
    return tell(error);
  }
}

/** A workspace `ws` beside a directory that is not its own. */
function scene() {
  const base = makeTempDirectory();
  const root = path.join(base, 'ws');
  makeTree(base, { 'ws/a.txt': 'inside', 'ws/d/e/f': 'deep', 'out/o.txt': 'OUTSIDE', 'ws-old/o.txt': 'OUTSIDE' });
  return { base, root };
}

const OUTSIDE = /^path_outside_sandbox: blocked: .* is outside the working directory$/;
const SENSITIVE = /^path_outside_sandbox: blocked: sensitive path: /;

describe.each(MODES)('with descriptors: %s', (useProc) => {
  test('opens what lies inside, however it is written', () => {
    const { base, root } = scene();
    fs.symlinkSync(root, path.join(base, 'alias'));
    const workspace = open(path.join(base, 'alias'), { useProc, home: root });
    const absolute = `${root}/a.txt`;
    const ways = ['a.txt', './a.txt', 'd/../a.txt', 'd//e/.././../a.txt', absolute, `${base}/alias/a.txt`, '~/a.txt'];
    for (const asked of [...ways, '../ws/a.txt', `${base}/out/../ws/a.txt`])
      expect(read(workspace, asked)).toBe('inside');
    expect(workspace.root).toBe(root);
  });

  test('refuses what lies outside, and gives no sign of whether it is there', () => {
    const { base, root } = scene();
    const workspace = open(root, { useProc, home: '/home/nobody' });
    const ways = [
      '..',
      '../out/o.txt',
      `${base}/out/o.txt`,
      '/etc/passwd',
      '../ws-old/o.txt',
      'd/../../out/o.txt',
      '~',
      '~/x',
      '/',
    ];
    for (const asked of [
      ...ways,
      '../out/nothing',
      '/nowhere/at/all',
      'no/../../out/o.txt',
      'd/e/../../../ws-old/o.txt',
    ]) {
      expect(refusal(workspace, asked)).toMatch(OUTSIDE);
      expect(refusal(workspace, asked)).toContain(asked);
      expect(() => workspace.status(asked)).toThrow(ToolError);
    }
  });

  test('goes up from a directory that does not exist without losing its place', () => {
    const workspace = open(scene().root, { useProc });
    expect(read(workspace, 'nothing/../a.txt')).toBe('inside');
    expect(refusal(workspace, 'nothing/../../out/o.txt')).toMatch(OUTSIDE);
    expect(refusal(workspace, 'nothing/a.txt')).toMatch(/^file_not_found/);
    expect(refusal(workspace, 'a.txt/x')).toBe('not_a_directory: not a directory: a.txt/x');
  });

  test('follows links that stay inside', () => {
    const { base, root } = scene();
    makeTree(root, {
      file: { symlink: 'a.txt' },
      chain: { symlink: 'file' },
      dir: { symlink: 'd' },
      absolute: { symlink: `${root}/a.txt` },
      'd/up': { symlink: '../a.txt' },
      'd/around': { symlink: '../../ws/a.txt' },
      itself: { symlink: '.' },
    });
    fs.symlinkSync(root, path.join(base, 'alias'));
    makeTree(root, { byAlias: { symlink: `${base}/alias/a.txt` } });
    const workspace = open(root, { useProc });
    for (const asked of ['file', 'chain', 'absolute', 'd/up', 'd/around', 'dir/up', 'itself/itself/a.txt', 'byAlias']) {
      expect(read(workspace, asked)).toBe('inside');
    }
    expect(workspace.status('dir/e/f').path).toBe('d/e/f');
  });

  test('refuses links that lead out, dangle, or go round', () => {
    const { base, root } = scene();
    makeTree(root, {
      out: { symlink: '../out/o.txt' },
      outDir: { symlink: '../out' },
      absolute: { symlink: `${base}/out/o.txt` },
      chain: { symlink: 'out' },
      void: { symlink: '../out/nothing' },
      dangling: { symlink: 'nothing' },
      'd/climb': { symlink: '../../../../../../../../../etc/passwd' },
      round: { symlink: 'about' },
      about: { symlink: 'round' },
    });
    const workspace = open(root, { useProc });
    for (const asked of [
      'out',
      'outDir/o.txt',
      'absolute',
      'chain',
      'void',
      'd/climb',
      'outDir/../../out/o.txt',
      'outDir/nothing',
    ]) {
      expect(refusal(workspace, asked)).toMatch(OUTSIDE);
    }
    expect(refusal(workspace, 'dangling')).toMatch(/^file_not_found/);
    expect(refusal(workspace, 'round')).toBe('file_not_found: the links of this path lead in a circle: round');
  });

  test('refuses secrets, at any depth, in any case, by any name that a file system may fold to them', () => {
    const { root } = scene();
    const secrets = [
      '.git',
      '.ssh',
      '.aws',
      '.gnupg',
      '.env',
      '.env.local',
      '.GIT',
      '.Env',
      '.ENV.Production',
      '.g\u200cit',
      '\uff0egit',
      '.\u017fsh',
    ];
    const workspace = open(root, { useProc });
    for (const name of secrets) {
      for (const asked of [
        name,
        `d/${name}`,
        `${name}/x`,
        `d/${name}/x/y`,
        `../${name}/id`,
        `${root}/${name}`,
        `/${name}/x`,
      ]) {
        expect(refusal(workspace, asked)).toMatch(SENSITIVE);
      }
    }
    makeTree(root, { '.envrc': 'x', '.environment': 'x', '.gitignore': 'x', 'git/x': 'x', 'a.env': 'x', '.sshd': 'x' });
    for (const asked of ['.envrc', '.environment', '.gitignore', 'git/x', 'a.env', '.sshd'])
      expect(read(workspace, asked)).toBe('x');
    expect(read(workspace, '.git/../a.txt')).toBe('inside');
  });

  test('refuses secrets behind links, and links that are named like secrets', () => {
    const { root } = scene();
    makeTree(root, { '.env': 'SECRET', '.git/config': 'SECRET' });
    makeTree(root, {
      plain: { symlink: '.env' },
      dir: { symlink: '.git' },
      'd/.ssh': { symlink: '../a.txt' },
      '.aws': { symlink: 'd' },
    });
    const workspace = open(root, { useProc });
    for (const asked of ['plain', 'dir/config', 'd/.ssh', '.aws/e/f'])
      expect(refusal(workspace, asked)).toMatch(SENSITIVE);
  });

  test.each([
    ['empty', '', 'invalid_args: path is empty'],
    ['a NUL', 'a\0.txt', 'invalid_args: path has a character that no file name can have'],
    ['half a character', 'a\ud800', 'invalid_args: path has a character that no file name can have'],
    ['a very long name', 'x'.repeat(300), 'invalid_args: path: a name in it is too long for the file system'],
    ['too many segments', 'd/'.repeat(300), 'invalid_args: path has more than 256 segments'],
    ['a directory', 'd', 'not_a_file: d is a directory'],
  ])('refuses a path that is %s', (_, asked, expected) => {
    const workspace = open(scene().root, { useProc });
    expect(refusal(workspace, asked)).toBe(expected);
  });

  test('refuses FIFOs, sockets and devices without waiting for them', async () => {
    const { root } = scene();
    makeTree(root, { fifo: { fifo: true }, link: { symlink: 'fifo' } });
    const server = net.createServer().listen(path.join(root, 'socket'));
    await new Promise((resolve) => server.once('listening', resolve));
    onTestFinished(() => void server.close());
    const workspace = open(root, { useProc });
    for (const asked of ['fifo', 'link', 'socket']) {
      expect(refusal(workspace, asked)).toBe(`not_a_file: not a regular file: ${asked}`);
      expect(workspace.status(asked).kind).toBe('special');
    }
    const system = open('/', { useProc });
    expect(refusal(system, 'dev/zero')).toMatch(/^not_a_file/);
  });

  test('serves a workspace that is the root of the file system, or lies below a secret', () => {
    const { root } = scene();
    const system = open('/', { useProc });
    expect(read(system, `${root}/a.txt`)).toBe('inside');
    expect(read(system, `${root.slice(1)}/a.txt`)).toBe('inside');
    makeTree(root, { '.git/worktree/a.txt': 'tree', '.git/config': 'SECRET' });
    const below = open(path.join(root, '.git/worktree'), { useProc });
    expect(read(below, 'a.txt')).toBe('tree');
    expect(read(below, `${root}/.git/worktree/a.txt`)).toBe('tree');
    expect(refusal(below, '../config')).toMatch(OUTSIDE);
  });

  test('names what was probably meant, but no secret, and nothing of the host', () => {
    const { root } = scene();
    makeTree(root, { 'd/main.ts': '', '.env.local': '' });
    const workspace = open(root, { useProc });
    const suggestion = (asked: string) => {
      try {
        return read(workspace, asked);
      } catch (error) {
        return `${(error as ToolError).suggestion} ${(error as ToolError).message}`;
      }
    };
    expect(suggestion('d/mian.ts')).toContain('did you mean d/main.ts?');
    expect(suggestion('env.local')).not.toContain('.env.local');
    for (const asked of ['d/mian.ts', 'nothing/x', 'd', '../out/o.txt', 'a.txt/x'])
      expect(suggestion(asked)).not.toContain(root);
  });

  test('opens a directory only where one is', async () => {
    const { root } = scene();
    makeTree(root, { link: { symlink: 'd' } });
    const workspace = open(root, { useProc });
    expect(await workspace.withDirectory('link', async ({ path: found }) => found)).toBe('d');
    await expect(workspace.withDirectory('a.txt', async () => {})).rejects.toMatchObject({ code: 'not_a_directory' });
    await workspace.withDirectory('.', async (directory) => {
      fs.symlinkSync('a.txt', path.join(root, 'swapped'));
      fs.mkdirSync(path.join(root, '.ssh'));
      expect(() => directory.openFile('swapped')).toThrow('not a regular file');
      expect(() => directory.child('link')).toThrow();
      expect(() => directory.child('.ssh')).toThrow('blocked: sensitive path: .ssh');
      expect(() => directory.openFile('.env')).toThrow('blocked: sensitive path: .env');
    });
  });

  test('shows nothing from outside while a link and a directory change places', () => {
    const { base, root } = scene();
    makeTree(root, { 'swap/o.txt': 'inside' });
    makeTree(base, { 'out/o.txt': 'OUTSIDE' });
    const swapper = spawn(process.execPath, ['-e', SWAP, path.join(root, 'swap'), path.join(base, 'out')]);
    onTestFinished(() => void swapper.kill('SIGKILL'));
    const workspace = open(root, { useProc });
    const seen = new Set<string>();
    const sawBoth = () => seen.has('opened') && seen.has('path_outside_sandbox');
    const deadline = Date.now() + 15_000;
    for (let i = 0; i < 5_000 || (!sawBoth() && Date.now() < deadline); i++) {
      const answer = refusal(workspace, 'swap/o.txt');
      expect(answer).not.toContain('OUTSIDE');
      seen.add(answer.replace(/:.*/s, ''));
    }
    expect(sawBoth()).toBe(true);
  });

  test('whatever is opened lies inside and is no secret, whatever is asked', () => {
    const { base, root } = scene();
    makeTree(root, {
      'a/b/c': 'inside',
      '.git/x': 'SECRET',
      'a/.env': 'SECRET',
      up: { symlink: '..' },
      'a/out': { symlink: '../../out' },
      'a/in': { symlink: '../d' },
      'a/git': { symlink: '../.git' },
      abs: { symlink: '/' },
      loop: { symlink: 'loop' },
    });
    const workspace = open(root, { useProc, home: base });
    const names = [
      'a',
      'b',
      'c',
      'd',
      'e',
      'f',
      'a.txt',
      '.git',
      '.env',
      'x',
      'up',
      'out',
      'in',
      'git',
      'abs',
      'loop',
      '..',
      '.',
      '',
      '~',
      'ws',
      'o.txt',
      'etc',
      'passwd',
      '.GIT',
      '\0',
    ];
    const asked = fc.tuple(
      fc.constantFrom('', '/', `${root}/`, `${base}/`, '~/'),
      fc.array(fc.oneof(fc.constantFrom(...names), fc.string()), { maxLength: 7 }),
    );
    fc.assert(
      fc.property(asked, ([start, segments]) => {
        const answer = refusal(workspace, start + segments.join('/'));
        expect(answer).not.toMatch(/^thrown|^internal|OUTSIDE|SECRET|root:/);
        expect(answer.startsWith('opened: ') ? answer : 'opened: inside').toMatch(/^opened: (inside|deep)$/);
      }),
      { numRuns: 1_000 },
    );
  });
});

/** Makes its first argument in turn a directory and a link to its second, as fast as it can. */
const SWAP = `
  const fs = require('node:fs');
  const [place, outside] = process.argv.slice(1);
  for (;;) {
    fs.renameSync(place, place + '.kept');
    fs.symlinkSync(outside, place);
    fs.unlinkSync(place);
    fs.renameSync(place + '.kept', place);
  }
`;

test('tells secrets from names that only look like them', () => {
  for (const name of ['.env', '.env.', '.env.x', '.GIT', '.aws']) expect(isSensitiveSegment(name)).toBe(true);
  for (const name of ['', '.', '..', 'env', '.envx', '.gitx', '.gi', 'git', 'é.env', '..env'])
    expect(isSensitiveSegment(name)).toBe(false);
});

test('refuses a root that is no directory', () => {
  const { root } = scene();
  expect(() => openWorkspace({ root: `${root}/a.txt` })).toThrow('the workspace root is not a directory');
});

test.skipIf(process.platform !== 'linux')('holds no descriptor of what it refused or has closed', () => {
  const { root } = scene();
  makeTree(root, { out: { symlink: '../out' }, fifo: { fifo: true } });
  const workspace = open(root);
  const isOurs = (fd: string) => {
    const link = path.join('/proc/self/fd', fd);
    return fs.existsSync(link) && fs.readlinkSync(link).startsWith(path.dirname(root));
  };
  const count = () => fs.readdirSync('/proc/self/fd').filter(isOurs).length;
  const before = count();
  for (const asked of ['a.txt', 'out/o.txt', 'fifo', 'd/e/f/g', 'd/e/nothing', '.git', 'd']) refusal(workspace, asked);
  expect([count(), before]).toEqual([1, 1]);
});
