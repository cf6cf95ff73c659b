import { execFileSync, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';

const JINNI = path.resolve(import.meta.dirname, '../dist/jinni.cjs');
const hasScript = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') ?? false;

type Tree = Parameters<typeof makeTree>[1];

const CLIPBOARD = { 'tools/xsel': { content: '#!/bin/sh\ncat > "$OUT"\n', mode: 0o755 } };

function makeProject(files: Tree) {
  const cwd = makeTempDirectory();
  makeTree(cwd, files);
  // A program of the working directory would not be taken.
  const tools = makeTempDirectory();
  if (fs.existsSync(`${cwd}/tools`)) fs.renameSync(`${cwd}/tools`, `${tools}/bin`);
  const env = {
    PATH: `${tools}/bin:${process.env['PATH']}`,
    TERM: 'xterm',
    NO_COLOR: '1',
    OUT: `${tools}/bin/clip`,
  };
  return { cwd, env: { ...env, DISPLAY: ':0' }, withoutDesktop: env };
}

describe.skipIf(!hasScript)('at a terminal', () => {
  const long = Object.fromEntries(
    Array.from({ length: 12 }, (_, i) => [`f${i}.txt`, `words of ${i}\n`.repeat(60 + i)]),
  );

  function onTerminal(command: string, { cwd, env }: { cwd: string; env: Record<string, string> }) {
    const { stdout } = spawnSync(
      'script',
      ['-qec', command.replace('jinni', `"${process.execPath}" "${JINNI}"`), '/dev/null'],
      {
        cwd,
        env,
        encoding: 'utf8',
      },
    );
    return stdout.replaceAll('\r\n', '\n');
  }

  test('a long document is summed up, and copied', () => {
    const { cwd, env } = makeProject({
      ...long,
      'yarn.lock': 'x\n',
      'k.txt': `AKIA${'ABCD'.repeat(4)}\n`,
      ...CLIPBOARD,
    });
    const shown = onTerminal('jinni', { cwd, env });
    expect(shown).not.toContain('words of');
    expect(shown).toMatch(
      /^13 files, \d+ tokens\nthe 10 largest:\n {2}\d+ {2}f11\.txt\n(?: {2}\d+ {2}f\d+\.txt\n){9}/m,
    );
    expect(shown).toContain(
      'Warning: k.txt: line 1 was omitted: it looks like an AWS access key; --secrets=warn keeps it\n',
    );
    expect(shown).toContain('omitted 1 lock,');
    expect(shown).toMatch(/\ncopied to the clipboard\n\d+ lines are too many for a terminal: -o FILE writes them/);
    expect(fs.readFileSync(env.OUT, 'utf8').split('words of')).toHaveLength(1 + 60 * 12 + 66);
  });

  test('the summary has colours, unless they are not wanted', () => {
    const { cwd, env } = makeProject(long);
    const { NO_COLOR: _, ...colourful } = env;
    expect(onTerminal('jinni', { cwd, env: colourful })).toContain('\x1b[1m12 files, ');
    expect(onTerminal('jinni', { cwd, env })).not.toContain('\x1b[1m');
  });

  test.for(['jinni --stdout', 'jinni -o -  --stdout', 'jinni | cat', 'jinni f1.txt f2.txt', 'jinni -l'])(
    '%s prints',
    (command) => {
      const { cwd, withoutDesktop: env } = makeProject(long);
      const shown = onTerminal(command, { cwd, env });
      expect(shown).toContain(command.endsWith('-l') ? 'f2.txt\n' : 'words of 2\n');
      expect(shown).not.toContain('too many');
    },
  );

  test('what goes to a file is summed up too', () => {
    const { cwd, env } = makeProject({ 'a.txt': 'a\n' });
    expect(onTerminal('jinni -o out.md', { cwd, env })).toBe(
      '1 file, 9 tokens\n  2  a.txt\nOutput successfully written to out.md\n',
    );
  });

  test('says what to do if standard error is no terminal', () => {
    const { cwd, withoutDesktop: env } = makeProject(long);
    expect(onTerminal('jinni 2> .log', { cwd, env })).toBe('');
    expect(fs.readFileSync(`${cwd}/.log`, 'utf8')).toMatch(
      /^12 files, \d+ tokens, not copied to the clipboard\n\d+ lines are too many for a terminal: /,
    );
  });

  test('says that a repository is cloned', () => {
    const { cwd, env } = makeProject({ a: 'a\n' });
    for (const args of [
      ['init', '-q'],
      ['add', '.'],
      ['commit', '-qm', 'x'],
    ]) {
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd });
    }
    expect(onTerminal(`jinni --remote file://${cwd} -l`, { cwd, env })).toContain(`jinni: cloning file://${cwd}`);
  });
});

function jinni(argv: readonly string[], { cwd, env }: { cwd: string; env: Record<string, string> }) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [JINNI, ...argv], { cwd, env, encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe('--clip', () => {
  test('copies, and prints nothing', () => {
    const { cwd, env } = makeProject({ 'a.txt': 'a\n', ...CLIPBOARD });
    const printed = jinni(['--no-copy', 'a.txt'], { cwd, env }).stdout;
    const { status, stdout, stderr } = jinni(['--clip', 'a.txt'], { cwd, env });
    expect([status, stdout, stderr]).toEqual([0, '', '1 file, 9 tokens, copied to the clipboard\n']);
    expect(fs.readFileSync(env.OUT, 'utf8')).toBe(printed);
    expect(jinni(['--clip', '-l', 'a.txt'], { cwd, env })).toEqual({
      status: 0,
      stdout: '',
      stderr: 'copied to the clipboard\n',
    });
    jinni(['--clip', '-o', 'out', 'a.txt'], { cwd, env });
    expect([fs.readFileSync(env.OUT, 'utf8'), fs.readFileSync(`${cwd}/out`, 'utf8')]).toEqual([printed, printed]);
  });

  test('fails without a clipboard, and with one that does not work', () => {
    const { cwd, withoutDesktop, env } = makeProject({
      'a.txt': 'a\n',
      'tools/xsel': { content: '#!/bin/sh\nexit 7\n', mode: 0o755 },
    });
    expect(jinni(['--clip', 'a.txt'], { cwd, env: withoutDesktop })).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('there is no clipboard here'),
    });
    expect(jinni(['--clip', 'a.txt'], { cwd, env })).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('nothing could be copied to the clipboard'),
    });
  });
});

test.for([
  [['--stdout', '--clip'], '--stdout does not go with --clip'],
  [['--stdout', '-o', 'x'], '--stdout does not go with -o FILE'],
  [['--watch'], '--watch goes with -o FILE or --clip'],
  [['--watch', '-o', 'x', '--stdin'], '--watch goes with the files of this machine'],
  [['--watch', '-o', 'x', '--remote', 'a/b'], '--watch goes with the files of this machine'],
] as const)('refuses %j', ([argv, message]) => {
  const { cwd, env } = makeProject({ a: 'a\n' });
  expect(jinni(argv, { cwd, env })).toMatchObject({ status: 2, stderr: expect.stringContaining(message) });
});

test('--watch writes again when something changes, in new directories too, but not for its own output', async () => {
  const { cwd, env } = makeProject({ 'a.txt': 'one\n', 'src/b.txt': 'b\n' });
  const child = spawn(process.execPath, [JINNI, '--watch', '-o', 'out.md'], { cwd, env });
  onTestFinished(() => void child.kill());
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk;
  });
  const runs = () => said.split('watching for changes').length - 1;
  const wait = async (isDone: () => boolean) => {
    for (let i = 0; i < 200 && !isDone(); i++) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(isDone(), said).toBe(true);
  };
  const written = () => fs.readFileSync(`${cwd}/out.md`, 'utf8');
  await wait(() => runs() === 1);
  fs.writeFileSync(`${cwd}/src/b.txt`, 'two\n');
  await wait(() => written().includes('two\n') && runs() === 2);
  fs.mkdirSync(`${cwd}/new`);
  await wait(() => runs() === 3);
  fs.writeFileSync(`${cwd}/new/c.txt`, 'three\n');
  await wait(() => written().includes('three\n'));
  const before = runs();
  await new Promise((resolve) => setTimeout(resolve, 600));
  expect(runs() - before).toBeLessThan(2);
});
