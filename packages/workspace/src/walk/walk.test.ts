import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { ToolError } from '@jinn/core/errors';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import fc from 'fast-check';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { type OpenDirectory, openWorkspace, type Workspace } from '../guard/index.ts';
import { readNames } from './names.ts';
import { type EntryVisitor, walk } from './walk.ts';
import type { WalkEntry } from './walk-entry.ts';
import type { TakenFiles, WalkOptions } from './walk-options.ts';

const MODES = process.platform === 'linux' ? [true, false] : [false];
const isRoot = process.getuid?.() === 0;
const isLinux = process.platform === 'linux';

describe.each(MODES)('with descriptors: %s', (useProc) => {
  interface Walked {
    readonly paths: string[];
    readonly warnings: readonly string[];
  }

  function open(root: string): Workspace {
    const workspace = openWorkspace({ root, useProc });
    onTestFinished(() => workspace.close());
    return workspace;
  }

  async function walkAll(
    root: string,
    options: Partial<WalkOptions> & { start?: string; visit?: EntryVisitor } = {},
  ): Promise<Walked> {
    const { start = '.', visit, ...rest } = options;
    const paths: string[] = [];
    const { warnings } = await walk(open(root), start, { checkpoint: async () => {}, ...rest }, (entry) => {
      paths.push(entry.kind === 'directory' ? `${entry.path}/` : entry.path);
      return visit?.(entry);
    });
    return { paths, warnings };
  }

  test('visits in the order of the sorted paths, each directory right before what it holds', async () => {
    const root = makeTempDirectory();
    makeTree(root, {
      'a/b': '',
      'a/z/y': '',
      'a-b': '',
      'a.txt': '',
      a0: '',
      'B/c': '',
      'é/x': '',
      'empty/': '',
      '\u{1f600}': '',
      '\uffee': '',
    });
    const { paths, warnings } = await walkAll(root);
    expect(paths).toEqual([
      'B/',
      'B/c',
      'a-b',
      'a.txt',
      'a/',
      'a/b',
      'a/z/',
      'a/z/y',
      'a0',
      'empty/',
      'é/',
      'é/x',
      '\u{1f600}',
      '\uffee',
    ]);
    expect(paths).toEqual(paths.toSorted());
    expect(warnings).toEqual([]);
  });

  test('visits every file of any tree once, in that order', async () => {
    const parent = makeTempDirectory();
    const name = fc.stringMatching(/^[a-c!/.0~é-]{1,9}$/);
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(name, { maxLength: 40 }), async (names) => {
        const root = fs.mkdtempSync(path.join(parent, 'tree-'));
        for (const one of names) writeIfPossible(root, one);
        const { paths } = await walkAll(root, { hidden: true });
        expect(paths).toEqual(
          fs
            .readdirSync(root, { recursive: true, withFileTypes: true })
            .map(
              (entry) =>
                path.relative(root, path.join(entry.parentPath, entry.name)) + (entry.isDirectory() ? '/' : ''),
            )
            .toSorted(),
        );
      }),
      { numRuns: 40 / inject('runsDivisor') },
    );
  });

  test('visits in the same order when files are taken at once, and says whether those are all files', async () => {
    const parent = makeTempDirectory();
    const name = fc.stringMatching(/^[a-c!/.0~é-]{1,9}$/);
    const rule = fc.stringMatching(/^!?[a-c*?/.0-]{1,4}$/);
    const tree = [fc.uniqueArray(name, { maxLength: 40 }), fc.array(rule, { maxLength: 4 })] as const;
    await fc.assert(
      fc.asyncProperty(...tree, fc.boolean(), fc.boolean(), async (names, rules, hidden, filesFirst) => {
        const root = fs.mkdtempSync(path.join(parent, 'tree-'));
        for (const one of names) writeIfPossible(root, one);
        fs.writeFileSync(path.join(root, '.gitignore'), rules.join('\n'));
        const options = { hidden, filesFirst, gitignore: true, checkpoint: async () => {} };
        const seen: string[] = [];
        const takeFiles: WalkOptions['takeFiles'] = (directory, { names: taken, areAll }) => {
          seen.push(...taken.map((file) => directory.pathOf(file)));
          if (areAll) wholes.add(directory.path);
        };
        const wholes = new Set<string>();
        await walk(open(root), '.', { ...options, takeFiles }, (entry) => {
          expect(entry.kind).toBe('directory');
          seen.push(`${entry.path}/`);
          return undefined;
        });
        expect(seen).toEqual((await walkAll(root, options)).paths);
        const { paths: all } = await walkAll(root, { ...options, gitignore: false });
        const lost = all.filter((one) => !one.endsWith('/') && !seen.includes(one));
        expect(lost.filter((one) => wholes.has(path.dirname(one)))).toEqual([]);
      }),
      { numRuns: 60 / inject('runsDivisor') },
    );
  });

  test('says what each entry is and where it lies', async () => {
    const root = makeTempDirectory();
    makeTree(root, {
      'top/in/file': 'hello',
      'top/link': { symlink: 'in' },
      'top/pipe': { fifo: true },
      way: { symlink: 'top' },
    });
    const seen: object[] = [];
    const visit = (entry: WalkEntry) => {
      const { name, kind, path: whole, pathFromStart, depth, directory } = entry;
      seen.push({ name, kind, path: whole, pathFromStart, depth, directory: directory.path });
      if (kind === 'file') {
        const file = entry.open();
        expect(file.slice(0, 9).toString()).toBe('hello');
        file.close();
      }
      return undefined;
    };
    await walkAll(root, { start: 'way', visit });
    expect(seen).toEqual([
      { name: 'in', kind: 'directory', path: 'top/in', pathFromStart: 'in', depth: 1, directory: 'top' },
      { name: 'file', kind: 'file', path: 'top/in/file', pathFromStart: 'in/file', depth: 2, directory: 'top/in' },
      { name: 'link', kind: 'link', path: 'top/link', pathFromStart: 'link', depth: 1, directory: 'top' },
      { name: 'pipe', kind: 'special', path: 'top/pipe', pathFromStart: 'pipe', depth: 1, directory: 'top' },
    ]);
  });

  test('shows hidden names on request, secrets never', async () => {
    const root = makeTempDirectory();
    makeTree(root, {
      '.env': '',
      '.ENV.local/x': '',
      'a/.git/config': '',
      '.ssh/id': '',
      'a/.Aws': '',
      '.gnupg/': '',
      '.hid/x': '',
      '.envrc': '',
      '.env.example': '',
      'plain/#.env#': '',
      'a/b': '',
    });
    expect((await walkAll(root)).paths).toEqual(['a/', 'a/b', 'plain/']);
    const decided: string[] = [];
    const decide = (entry: WalkEntry) => decided.push(entry.path) > 0;
    expect((await walkAll(root, { hidden: true, decide })).paths).toEqual([
      '.env.example',
      '.envrc',
      '.hid/',
      '.hid/x',
      'a/',
      'a/b',
      'plain/',
    ]);
    expect(decided.toSorted()).toEqual(['.env.example', '.envrc', '.hid', '.hid/x', 'a', 'a/b', 'plain']);
  });

  test('follows no link, wherever it leads', async () => {
    const outside = makeTempDirectory();
    makeTree(outside, { 'd/secret': 'x' });
    const root = makeTempDirectory();
    makeTree(root, { out: { symlink: `${outside}/d` }, loop: { symlink: '.' }, dead: { symlink: 'nowhere' }, f: '' });
    const visit = (entry: WalkEntry) => {
      if (entry.kind === 'link') expect(() => entry.open()).toThrow(ToolError);
      return undefined;
    };
    expect((await walkAll(root, { visit })).paths).toEqual(['dead', 'f', 'loop', 'out']);
  });

  test('leaves out directories by name, but never the start', async () => {
    const root = makeTempDirectory();
    makeTree(root, { 'dist/a': '', 'dist/dist/b': '', 'x/dist/c': '', 'x/vendor': '' });
    const excludeDirectories = new Set(['dist', 'vendor']);
    expect((await walkAll(root, { excludeDirectories })).paths).toEqual(['x/', 'x/vendor']);
    expect((await walkAll(root, { excludeDirectories, start: 'dist' })).paths).toEqual(['dist/a']);
  });

  test('goes to the depth that is asked for, and skips what a visit skips', async () => {
    const root = makeTempDirectory();
    makeTree(root, { 'a/b/c': '', 'd/e/f/g': '', h: '' });
    expect((await walkAll(root, { maxDepth: 1 })).paths).toEqual(['a/', 'd/', 'h']);
    expect((await walkAll(root, { maxDepth: 2 })).paths).toEqual(['a/', 'a/b/', 'd/', 'd/e/', 'h']);
    const skip = (entry: WalkEntry) => (entry.name === 'd' || entry.name === 'h' ? 'skip' : undefined);
    expect((await walkAll(root, { visit: skip })).paths).toEqual(['a/', 'a/b/', 'a/b/c', 'd/', 'h']);
    const later = async (entry: WalkEntry) => (entry.name === 'e' ? ('skip' as const) : undefined);
    expect((await walkAll(root, { visit: later })).paths).toEqual(['a/', 'a/b/', 'a/b/c', 'd/', 'd/e/', 'h']);
  });

  test('waits for the promise of a visit before the next', async () => {
    const root = makeTempDirectory();
    makeTree(root, { 'a/b': '', c: '' });
    const events: string[] = [];
    const visit = async (entry: WalkEntry) => {
      events.push(`begin ${entry.name}`);
      await new Promise((resolve) => setTimeout(resolve, 2));
      expect(entry.directory.within((prefix) => fs.readdirSync(prefix))).toContain(entry.name);
      events.push(`end ${entry.name}`);
      return undefined;
    };
    await walkAll(root, { visit });
    expect(events).toEqual(['begin a', 'end a', 'begin b', 'end b', 'begin c', 'end c']);
  });

  test('lets the caller decide, in place of the default', async () => {
    const root = makeTempDirectory();
    makeTree(root, { 'a/x.ts': '', 'a/y.js': '', 'b/z.ts': '' });
    const decide = (entry: WalkEntry, ignored: boolean) =>
      !ignored && entry.path !== 'b' && !entry.name.endsWith('.js');
    expect((await walkAll(root, { decide })).paths).toEqual(['a/', 'a/x.ts']);
  });

  test.each([
    ['nowhere', 'file_not_found'],
    ['file', 'not_a_directory'],
    ['../x', 'path_outside_sandbox'],
    ['.ssh', 'path_outside_sandbox'],
  ])('refuses to start at %s', async (start, code) => {
    const root = makeTempDirectory();
    makeTree(root, { file: '', '.ssh/x': '' });
    await expect(walkAll(root, { start })).rejects.toMatchObject({ name: 'ToolError', code });
  });

  test('warns of a directory that may not be read, and refuses to start there', async ({ skip }) => {
    skip(isRoot && useProc, 'root may read everything, and as another user this process loses its /proc/self/fd');
    const root = makeTempDirectory();
    makeTree(root, { 'a/x': '', 'shut/y': '', 'z/x': '' });
    fs.chmodSync(root, 0o755);
    fs.chmodSync(path.join(root, 'shut'), 0o000);
    if (isRoot) process.seteuid?.(65_534);
    try {
      const { paths, warnings } = await walkAll(root);
      expect(paths).toEqual(['a/', 'a/x', 'shut/', 'z/', 'z/x']);
      expect(warnings).toEqual(['shut: permission denied, its content was skipped']);
      await expect(walkAll(root, { start: 'shut' })).rejects.toMatchObject({
        name: 'ToolError',
        code: 'permission_denied',
      });
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
  });

  test('warns of a directory that has vanished or become a link, and goes on', async () => {
    const root = makeTempDirectory();
    const outside = makeTempDirectory();
    makeTree(outside, { secret: '' });
    makeTree(root, { 'a/x': '', 'b/y': '', 'c/z': '' });
    const decide = (entry: WalkEntry) => {
      const place = path.join(root, entry.path);
      if (entry.path === 'a' || entry.path === 'b') fs.rmSync(place, { recursive: true });
      if (entry.path === 'b') fs.symlinkSync(outside, place);
      return true;
    };
    const { paths, warnings } = await walkAll(root, { decide });
    expect(paths).toEqual(['a/', 'b/', 'c/', 'c/z']);
    expect(warnings).toEqual([
      'a: vanished while the tree was walked',
      'b: changed while the tree was walked, and was skipped',
    ]);
  });

  test('opens no file that has become a link', async () => {
    const root = makeTempDirectory();
    const outside = makeTempDirectory();
    makeTree(outside, { secret: 'secret' });
    makeTree(root, { 'a/x': '' });
    const visit = (entry: WalkEntry) => {
      if (entry.kind !== 'file') return undefined;
      fs.rmSync(path.join(root, entry.path));
      fs.symlinkSync(path.join(outside, 'secret'), path.join(root, entry.path));
      expect(() => entry.open()).toThrow(ToolError);
      return undefined;
    };
    expect((await walkAll(root, { visit })).paths).toEqual(['a/', 'a/x']);
  });

  test('lists nothing of a directory that replaced the open one', async () => {
    const root = makeTempDirectory();
    const outside = makeTempDirectory();
    makeTree(outside, { 'b/secret': '' });
    makeTree(root, { 'a/b/x': '' });
    await open(root).withDirectory('a', async (directory) => {
      const child = directory.child('b');
      fs.renameSync(path.join(root, 'a'), path.join(root, 'was'));
      fs.symlinkSync(outside, path.join(root, 'a'));
      const read = () => readNames(child).inOrder.map(({ name }) => name);
      if (useProc) expect(read()).toEqual(['x']);
      else expect(read).toThrow(expect.objectContaining({ code: 'conflict' }));
      child.close();
    });
  });

  test('shows nothing from outside while a directory and a link out are swapped', { tags: 'slow' }, async () => {
    const root = makeTempDirectory();
    const outside = makeTempDirectory();
    makeTree(outside, { 'in/secret': 'secret' });
    makeTree(root, { 'd/in/open': 'open', 'e/f/g': '' });
    startSwapping(root, outside);
    const seen = new Set<string>();
    const visit = (entry: WalkEntry) => {
      if (useProc) expect(entry.name).not.toBe('secret');
      if (entry.kind === 'file') expect(contentOf(entry)).not.toBe('secret');
      seen.add(`${entry.kind} ${entry.path}`);
      return undefined;
    };
    const deadline = Date.now() + 10_000;
    const hasSwapped = () => seen.has('link d') && seen.has('file d/in/open');
    for (let i = 0; i < 300 || (!hasSwapped() && Date.now() < deadline); i++) await walkAll(root, { visit });
    expect(hasSwapped()).toBe(true);
  });

  test('leaves out names that are not UTF-8, and keeps a real replacement character', async () => {
    const root = makeTempDirectory();
    makeTree(root, { 'd/\ufffd': 'x', 'd/ok': '' });
    if (
      !writesBytes(Buffer.from(`${root}/d/bad\xff`, 'latin1')) ||
      !writesBytes(Buffer.from(`${root}/d/\xfe`, 'latin1'))
    )
      return;
    const visit = (entry: WalkEntry) => {
      if (entry.name === '\ufffd') expect(contentOf(entry)).toBe('x');
      return undefined;
    };
    const { paths, warnings } = await walkAll(root, { visit });
    expect(paths).toEqual(['d/', 'd/ok', 'd/\ufffd']);
    expect(warnings).toEqual(['d: left out 2 names that are not UTF-8']);
  });

  test('bounds its warnings, in number and in length', async () => {
    const root = makeTempDirectory();
    const names = Array.from({ length: 50 }, (_, i) => `${'n'.repeat(200)}\n${String(i).padStart(2, '0')}`);
    makeTree(root, Object.fromEntries(names.map((name) => [`${'m'.repeat(200)}/${name}/x`, ''])));
    const decide = (entry: WalkEntry) => {
      if (entry.depth === 2) fs.rmSync(path.join(root, entry.path), { recursive: true });
      return true;
    };
    const { warnings } = await walkAll(root, { decide });
    expect(warnings).toHaveLength(21);
    expect(warnings.at(-1)).toBe('30 more warnings were omitted');
    expect(Math.max(...warnings.map((warning) => warning.length))).toBeLessThan(400);
  });

  test('shows a name with a line break on one line of a warning', async () => {
    const root = makeTempDirectory();
    makeTree(root, { 'a\nb/x': '' });
    const decide = (entry: WalkEntry) => {
      fs.rmSync(path.join(root, entry.path), { recursive: true });
      return true;
    };
    expect((await walkAll(root, { decide })).warnings).toEqual(['a\\nb: vanished while the tree was walked']);
  });

  test('walks as deep as the guard opens, and warns of what lies deeper', async () => {
    const root = makeTempDirectory();
    fs.mkdirSync(path.join(root, 'd/'.repeat(300)), { recursive: true });
    fs.writeFileSync(path.join(root, 'd/'.repeat(255), 'last'), 'x');
    fs.writeFileSync(path.join(root, 'd/'.repeat(256), 'beyond'), 'x');
    const { paths, warnings } = await walkAll(root);
    expect(paths).toHaveLength(257);
    expect(paths.at(-1)).toBe(`${'d/'.repeat(255)}last`);
    expect(open(root).status(`${'d/'.repeat(255)}last`).kind).toBe('file');
    expect(warnings).toEqual([expect.stringMatching(/^d\/.*…: its directories lie too deep and were not entered$/)]);
    const fromBelow = await walkAll(root, { start: 'd/'.repeat(200) });
    expect(fromBelow.paths.at(-1)).toBe(`${'d/'.repeat(255)}last`);
  });

  test('ends with what the checkpoint or a visit throws, and closes everything', async () => {
    const root = makeTempDirectory();
    makeTree(root, Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`a${i}/b/c`, ''])));
    const before = openDescriptors();
    let calls = 0;
    const checkpoint = async () => {
      if (++calls === 5) throw new ToolError('canceled', 'the request was canceled');
    };
    const workspace = openWorkspace({ root, useProc });
    await expect(walk(workspace, '.', { checkpoint }, () => undefined)).rejects.toMatchObject({ code: 'canceled' });
    const visit = () => {
      throw new Error('mine');
    };
    await expect(walk(workspace, '.', { checkpoint: async () => {} }, visit)).rejects.toThrow('mine');
    await walk(workspace, '.', { checkpoint: async () => {} }, () => 'skip');
    workspace.close();
    expect(openDescriptors()).toBe(before);
  });

  test('awaits checkpoints within a large directory too', async () => {
    const root = makeTempDirectory();
    makeTree(root, Object.fromEntries(Array.from({ length: 1500 }, (_, i) => [`f${i}`, ''])));
    let visits = 0;
    const checkpoint = async () => {
      if (visits > 0) throw new ToolError('canceled', 'the request was canceled');
    };
    const walking = walk(open(root), '.', { checkpoint }, () => {
      visits++;
      return undefined;
    });
    await expect(walking).rejects.toMatchObject({ code: 'canceled' });
    expect(visits).toBeLessThan(1500);
  });

  test.for([true, false])('awaits takeFiles, with the directory open (files first: %s)', async (filesFirst) => {
    const root = makeTempDirectory();
    makeTree(root, { a: '1', 'b/c': '2', 'b/d/e': '3', f: '4' });
    const before = openDescriptors();
    const workspace = openWorkspace({ root, useProc });
    const seen: string[] = [];
    let taking = 0;
    const options = {
      filesFirst,
      checkpoint: async () => {},
      takeFiles: async (directory: OpenDirectory, { names }: TakenFiles) => {
        expect(++taking).toBe(1);
        await new Promise((resolve) => setImmediate(resolve));
        for (const name of names) {
          const file = directory.openFile(name);
          seen.push(`${directory.pathOf(name)} ${file.size}`);
          file.close();
        }
        taking--;
      },
    };
    await walk(workspace, '.', options, () => undefined);
    expect(seen).toEqual(filesFirst ? ['a 1', 'f 1', 'b/c 1', 'b/d/e 1'] : ['a 1', 'b/c 1', 'b/d/e 1', 'f 1']);
    workspace.close();
    expect(openDescriptors()).toBe(before);
  });

  test('holds few descriptors, in a wide tree as in a deep one', { tags: 'slow' }, async () => {
    const root = makeTempDirectory();
    makeTree(root, Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`wide/${i}/a/b`, ''])));
    let most = -1;
    const before = openDescriptors();
    const visit = async (entry: WalkEntry) => {
      // What is read ahead has the time to run as far as it may.
      if (most < 0) await new Promise((resolve) => setTimeout(resolve, 100));
      if (entry.depth === 2 || most < 0) most = Math.max(most, openDescriptors() - before);
      return undefined;
    };
    await walkAll(root, { visit });
    expect(most).toBeLessThan(120);
  });
});

function contentOf(entry: WalkEntry): string | undefined {
  try {
    const file = entry.open();
    const content = file.slice(0, 100).toString();
    file.close();
    return content;
  } catch {
    return undefined;
  }
}

/** Puts a link to `outside` in the place of `d` and back, as fast as it can. */
function startSwapping(root: string, outside: string): void {
  const script = `
    const fs = require('node:fs');
    const [root, outside] = process.argv.slice(1);
    process.chdir(root);
    fs.symlinkSync(outside, 'link');
    for (;;) {
      fs.renameSync('d', 'real');
      fs.renameSync('link', 'd');
      fs.renameSync('d', 'link');
      fs.renameSync('real', 'd');
    }`;
  const swapper = spawn(process.execPath, ['-e', script, root, outside], { stdio: 'ignore' });
  onTestFinished(
    () =>
      new Promise((resolve) => {
        if (swapper.exitCode !== null || swapper.signalCode !== null) return resolve();
        swapper.once('exit', () => resolve());
        swapper.kill('SIGKILL');
      }),
  );
}

function openDescriptors(): number {
  return isLinux ? fs.readdirSync('/proc/self/fd').length : 0;
}

function writesBytes(name: Buffer): boolean {
  try {
    fs.writeFileSync(name, '');
    return true;
  } catch {
    return false; // APFS takes no such names.
  }
}

function writeIfPossible(root: string, name: string): void {
  try {
    const target = path.join(root, name.replaceAll(/(^|\/)\.+(?=\/|$)/g, '$1x'));
    fs.mkdirSync(path.dirname(target), { recursive: true });
    fs.writeFileSync(target, '');
  } catch (error) {
    if (!['EEXIST', 'ENOTDIR', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}
