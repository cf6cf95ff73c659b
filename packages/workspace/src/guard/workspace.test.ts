import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { ToolError } from '@jinn/core/errors';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import fc from 'fast-check';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { createSpill } from './private-files.ts';
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

/** The same, with its suggestion in a second line. */
function refusalWithHint(workspace: Workspace, asked: string): string {
  try {
    return `opened: ${read(workspace, asked)}`;
  } catch (error) {
    const { code, message, suggestion } = error as ToolError;
    return `${code}: ${message}\n${suggestion ?? ''}`;
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
      '.env.example.local',
      '.env~',
      '#.env#',
      '.g\u200cit',
      '\uff0egit',
      '.\u017fsh',
      '.g\u0131t',
      '.\u00dfh',
      '.\u1e9eh',
      '.g\u00adit',
      '.g\ufe0fit',
      '\u2060.env\u{e0100}',
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
    const ordinary = [
      '.envrc',
      '.environment',
      '.gitignore',
      'git/x',
      'a.env',
      '.sshd',
      '.env.example',
      'd/.ENV.Sample',
    ];
    makeTree(root, Object.fromEntries(ordinary.map((name) => [name, 'x'])));
    for (const asked of ordinary) expect(read(workspace, asked)).toBe('x');
    expect(read(workspace, '.git/../a.txt')).toBe('inside');
  });

  test('refuses secrets behind links, and links that are named like secrets', () => {
    const { root } = scene();
    makeTree(root, { '.env': 'SECRET', '.git/config': 'SECRET' });
    makeTree(root, {
      plain: { symlink: '.env' },
      '.env.example': { symlink: '.env' },
      dir: { symlink: '.git' },
      'd/.ssh': { symlink: '../a.txt' },
      '.aws': { symlink: 'd' },
    });
    const workspace = open(root, { useProc });
    for (const asked of ['plain', '.env.example', 'dir/config', 'd/.ssh', '.aws/e/f'])
      expect(refusal(workspace, asked)).toMatch(SENSITIVE);
  });

  test.each([
    ['empty', '', 'invalid_args: path is empty'],
    ['a NUL', 'a\0.txt', 'invalid_args: path has a character that no file name can have'],
    ['half a character', 'a\ud800', 'invalid_args: path has a character that no file name can have'],
    ['a very long name', 'x'.repeat(300), 'invalid_args: path: a name in it is too long for the file system'],
    ['too many segments', 'd/'.repeat(300), 'invalid_args: path has more than 256 segments'],
    ['too long', 'd/../'.repeat(14_000), 'invalid_args: path is longer than 65536 characters'],
    ['a directory', 'd', 'not_a_file: d is a directory'],
  ])('refuses a path that is %s, and names a next step', (_, asked, expected) => {
    const workspace = open(scene().root, { useProc });
    const [message, suggestion] = refusalWithHint(workspace, asked).split('\n');
    expect(message).toBe(expected);
    expect(suggestion).not.toBe('');
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

  test('gives the same answer for what is outside and what is not there', () => {
    const { base, root } = scene();
    makeTree(base, { 'home/.ssh/id': 'SECRET', 'home/notes': 'OUTSIDE' });
    makeTree(root, {
      there: { symlink: '../out/o.txt' },
      gone: { symlink: '../out/none' },
      dir: { symlink: '../out' },
      noDir: { symlink: '../none' },
    });
    const workspace = open(root, { useProc, home: `${base}/home` });
    const twins = [
      [`${base}/out/o.txt`, `${base}/out/none`],
      ['../out/o.txt', '../none/o.txt'],
      ['../out/o.txt/x', '../none/x'],
      ['~/notes', '~/none'],
      ['~/.ssh/id', '../none/.ssh/id'],
      ['there', 'gone'],
      ['dir/o.txt', 'noDir/o.txt'],
      ['dir/o.txt/x', 'dir/none/x'],
    ] as const;
    for (const [there, gone] of twins) {
      const [first, second] = [refusalWithHint(workspace, there), refusalWithHint(workspace, gone)];
      expect(first).toMatch(/^path_outside_sandbox/);
      const without = (text: string, path: string) => text.replace(path, '').replace(path.replace('~/', ''), '');
      expect(without(first, there)).toBe(without(second, gone));
    }
  });

  test('judges the names as they were written where the root has another name', () => {
    const { base, root } = scene();
    makeTree(root, {
      '.env': { symlink: 'a.txt' },
      'd/.ssh': { symlink: 'e' },
      out: { symlink: '../out/o.txt' },
      byAlias: { symlink: '../alias/.env' },
    });
    makeTree(base, { alias: { symlink: 'ws' }, inner: { symlink: 'ws/d' }, secret: { symlink: 'ws/.env/..' } });
    const workspace = open(root, { useProc });
    expect(read(workspace, `${base}/inner/e/f`)).toBe('deep');
    expect(read(workspace, '../alias/d/e/f')).toBe('deep');
    for (const asked of [`${base}/alias/.env`, '../alias/.env', '../inner/.ssh/f', 'byAlias'])
      expect(refusal(workspace, asked)).toMatch(SENSITIVE);
    expect(refusal(workspace, '../alias/out')).toMatch(OUTSIDE);
    expect(refusal(workspace, '../alias/none/x')).toMatch(/^file_not_found/);
    expect(refusal(workspace, '../inner/none')).toMatch(/^file_not_found/);
  });

  test('counts ".." in a link from where the links before it led', () => {
    const { root } = scene();
    makeTree(root, {
      'd/e/shallow': { symlink: '../../d' },
      'd/e/in': { symlink: 'shallow/../a.txt' },
      'd/e/out': { symlink: 'shallow/../../out/o.txt' },
      'out/o.txt': 'not this one',
    });
    const workspace = open(root, { useProc });
    expect(read(workspace, 'd/e/in')).toBe('inside');
    expect(refusal(workspace, 'd/e/out')).toMatch(OUTSIDE);
  });

  test('closes the directories of its own state, and no others', () => {
    const { root } = scene();
    makeTree(root, { 'd/State/x': 'SECRET', 'd/state-old/x': 'old', link: { symlink: 'd/State' } });
    const workspace = open(root, { useProc, closed: [`${root}/d/State`, '/somewhere/else'] });
    for (const asked of ['d/State', 'd/State/x', 'd/sTATE/y', 'link', 'link/x'])
      expect(refusal(workspace, asked)).toMatch(SENSITIVE);
    expect(read(workspace, 'd/state-old/x')).toBe('old');
  });

  test('takes ~ for the home directory, and only at the start', () => {
    const { base, root } = scene();
    makeTree(root, { '~': 'tilde', '~x': 'named', 'd/~': 'deep tilde' });
    const workspace = open(root, { useProc, home: base });
    expect(refusal(workspace, '~/.ssh/id')).toMatch(SENSITIVE);
    for (const asked of ['~', '~/', '~/out/o.txt', '~/../x']) expect(refusal(workspace, asked)).toMatch(OUTSIDE);
    expect(['~/ws/a.txt', './~', '~x', 'd/~'].map((asked) => read(workspace, asked))).toEqual([
      'inside',
      'tilde',
      'named',
      'deep tilde',
    ]);
    expect(read(open(root, { useProc }), '~')).toBe('tilde');
    expect(open(root, { useProc, home: root }).status('~').path).toBe('.');
  });

  test('cleans the path before it looks at links', () => {
    const { root } = scene();
    makeTree(root, { link: { symlink: 'd/e' } });
    const workspace = open(root, { useProc });
    expect(read(workspace, 'link/../a.txt')).toBe('inside');
    expect(workspace.status('link/')).toMatchObject({ path: 'd/e', kind: 'directory' });
  });

  test('refuses a dangling link that leads out, also when its target is made later', () => {
    const { base, root } = scene();
    makeTree(root, { later: { symlink: '../out/later' }, 'd/void': { symlink: '../nothing/x' } });
    const workspace = open(root, { useProc });
    expect(refusal(workspace, 'later')).toMatch(OUTSIDE);
    makeTree(base, { 'out/later': 'OUTSIDE' });
    expect(refusal(workspace, 'later')).toMatch(OUTSIDE);
    expect(refusal(workspace, 'd/void')).toBe('file_not_found: file not found: d/void');
    expect(refusal(workspace, 'd/void/y')).toBe('file_not_found: file not found: d/void/y');
  });

  test('follows forty links, and bounds what they add to a path', () => {
    const { root } = scene();
    for (let i = 1; i <= 41; i++) makeTree(root, { [`l${i}`]: { symlink: i === 1 ? 'a.txt' : `l${i - 1}` } });
    makeTree(root, { long: { symlink: `${'x/'.repeat(200)}x` } });
    const workspace = open(root, { useProc });
    expect(read(workspace, 'l40')).toBe('inside');
    expect(refusal(workspace, 'l41')).toMatch(/^file_not_found: the links of this path lead in a circle/);
    expect(refusal(workspace, `long${'/x'.repeat(100)}`)).toBe('invalid_args: path has more than 256 segments');
  });

  test('answers paths of a megabyte at once, and shows a piece of them', { timeout: 10_000 }, () => {
    const { root } = scene();
    const workspace = open(root, { useProc });
    const long = [
      `/${'d/'.repeat(30_000)}`,
      `/${'d/'.repeat(500_000)}`,
      '../'.repeat(20_000),
      '../'.repeat(300_000),
      `../${'d/'.repeat(500_000)}`,
      'x/'.repeat(500_000),
      `.git/${'d'.repeat(1_000_000)}`,
      'n'.repeat(1_000_000),
      `/etc/${'n'.repeat(60_000)}`,
      `${'../'.repeat(20_000)}${root}/a.tx`,
    ];
    for (const asked of long) {
      const answer = refusalWithHint(workspace, asked);
      expect(answer).toMatch(/^(invalid_args|path_outside_sandbox|file_not_found): /);
      expect(answer.length).toBeLessThan(500);
    }
    expect(refusal(workspace, './'.repeat(32_769))).toBe('invalid_args: path is longer than 65536 characters');
    expect(read(workspace, `${'./d/../'.repeat(1_000)}a.txt`)).toBe('inside');
  });

  test('wakes no device', { timeout: 10_000 }, () => {
    const devices = open('/dev', { useProc });
    for (const asked of ['null', 'zero', 'tty']) {
      expect(refusal(devices, asked)).toBe(`not_a_file: not a regular file: ${asked}`);
      expect(devices.status(asked).kind).toBe('special');
    }
  });

  test('knows no place above the root of the file system', () => {
    const { root } = scene();
    makeTree(root, { '.env': 'SECRET', up: { symlink: '../'.repeat(40) }, absolute: { symlink: `${root}/d` } });
    const system = open('/', { useProc, home: '/' });
    for (const asked of ['/', '/..', '..', '~'])
      expect(system.status(asked)).toMatchObject({ path: '.', kind: 'directory' });
    expect(system.status(`${root}/up`).path).toBe('.');
    expect(read(system, `${root}/absolute/e/f`)).toBe('deep');
    expect(refusal(system, `${root}/.env`)).toMatch(SENSITIVE);
    expect(refusal(system, `${root}/none`)).toBe(`file_not_found: file not found: ${root}/none`);
  });

  test('judges only what lies below the root where that lies below a secret', () => {
    const base = makeTempDirectory();
    const root = `${base}/.git/wt/ws`;
    makeTree(base, { '.git/wt/ws/a.txt': 'tree', '.git/wt/ws/.git': 'SECRET', '.git/wt/o.txt': 'OUTSIDE' });
    makeTree(root, {
      absolute: { symlink: `${root}/a.txt` },
      around: { symlink: '../ws/a.txt' },
      out: { symlink: '../o.txt' },
    });
    const workspace = open(root, { useProc });
    for (const asked of ['../ws/a.txt', 'absolute', 'around']) expect(read(workspace, asked)).toBe('tree');
    for (const asked of ['.git', `${root}/.git`, `${base}/.git/wt/o.txt`])
      expect(refusal(workspace, asked)).toMatch(SENSITIVE);
    for (const asked of ['out', '../o.txt']) expect(refusal(workspace, asked)).toMatch(OUTSIDE);
  });

  test('suggests what stands beside the missing name, never a secret, never what a link leads past', () => {
    const { root } = scene();
    makeTree(root, {
      'd/main.ts': '',
      'd/.env.x': '',
      '.env': '',
      '.git/x': '',
      link: { symlink: 'd' },
      'e/dangling': { symlink: '../d/main.t' },
      out: { symlink: '../ou' },
    });
    const workspace = open(root, { useProc });
    const hint = (asked: string) => refusalWithHint(workspace, asked).replace(/.*\n/, '');
    expect(hint('link/mian.ts')).toBe('did you mean link/main.ts?');
    expect(hint(`${root}/d/main.t`)).toBe(`did you mean ${root}/d/main.ts?`);
    expect(hint('lnik/')).toBe('did you mean link?');
    for (const asked of ['e/dangling', '.enw', '.gi', 'd/.enx.x', 'd/quite-different'])
      expect(hint(asked), asked).toBe('use list_dir to see what is there');
    expect(hint('out')).not.toContain('out/');
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
      { numRuns: 1_000 / inject('runsDivisor') },
    );
  });
});

test('says of a long answer that is kept no more, or elsewhere, how to get it again', () => {
  const { base, root } = scene();
  const spill = createSpill(`${base}/cache`, root);
  const workspace = open(root, { spill });
  const kept = spill.save('x', [Buffer.from('long')]) ?? '';
  expect([read(workspace, kept), read(workspace, `./${kept}`)]).toEqual(['long', 'long']);
  fs.rmSync(kept);
  expect(refusalWithHint(workspace, kept)).toMatch(
    /^not_found: .* x\.\w{16}\.txt\nit is kept for a day at most, by the server /,
  );
  expect(refusal(workspace, `${kept}x`)).toMatch(OUTSIDE);
  expect(refusal(open(root, { spill: createSpill(`${base}/cache`, '/other') }), kept)).toMatch(OUTSIDE);
});

test('refuses a root that is no directory', () => {
  const { root } = scene();
  expect(() => openWorkspace({ root: `${root}/a.txt` })).toThrow('the workspace root is not a directory');
});

test.skipIf(process.platform !== 'linux')('holds no descriptor of what it refused or has closed', () => {
  const { root } = scene();
  makeTree(root, { out: { symlink: '../out' }, fifo: { fifo: true }, 'd/e/up': { symlink: '../../a.txt' } });
  const workspace = open(root);
  const isOurs = (fd: string) => {
    try {
      return fs.readlinkSync(path.join('/proc/self/fd', fd)).startsWith(path.dirname(root));
    } catch {
      return false; // It is closed, or its name is longer than readlink takes.
    }
  };
  const count = () => fs.readdirSync('/proc/self/fd').filter(isOurs).length;
  const before = count();
  for (const asked of ['a.txt', 'd/e/up', 'out/o.txt', 'fifo', 'd/e/f/g', 'd/e/nothing', '.git', 'd'])
    refusal(workspace, asked);
  expect([count(), before]).toEqual([1, 1]);
});
