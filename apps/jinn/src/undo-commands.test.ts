import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';

const JINN = path.resolve(import.meta.dirname, '../dist/jinn.cjs');
const HAS_PYTHON = spawnSync('python3', ['--version']).status === 0;
/** Runs a program at a terminal of 40 columns, types a line if there is one, and prints what the terminal got. */
const AT_TERMINAL = `
import fcntl, os, pty, struct, sys, termios
typed, argv = sys.argv[1], sys.argv[2:]
pid, fd = pty.fork()
if pid == 0:
    os.execvp(argv[0], argv)
fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 40, 0, 0))
if typed: os.write(fd, typed.encode() + b"\\n")
out = b""
try:
    while part := os.read(fd, 65536): out += part
except OSError: pass
sys.stdout.buffer.write(out.replace(b"\\r\\n", b"\\n"))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`;
const LONG = 'a line that is longer than the terminal is wide';

/** A directory in which two calls have changed a file. */
function place() {
  const [cwd, home] = [makeTempDirectory(), makeTempDirectory()];
  makeTree(cwd, { 'a.txt': `one\n${LONG}\n` });
  const variables = { PATH: process.env['PATH'], HOME: home, XDG_CACHE_HOME: home, TERM: 'xterm' };
  const start = (argv: readonly string[], more: object, input = '') => {
    const [command = '', ...args] = argv;
    const env = { ...variables, ...more };
    const { stdout, stderr, status } = spawnSync(command, args, { cwd, env, input, encoding: 'utf8' });
    return { stdout, stderr, status };
  };
  const undo = (args: readonly string[], more: object = {}) => start([process.execPath, JINN, 'undo', ...args], more);
  const atTerminal = (args: readonly string[], { typed = '', ...more }: { typed?: string } & object = {}) =>
    start(['python3', '-c', AT_TERMINAL, typed, process.execPath, JINN, 'undo', ...args], more);
  const edit = (old_text: string, new_text: string) => {
    const request = { tool: 'edit_file', args: { path: 'a.txt', old_text, new_text } };
    return JSON.parse(start([process.execPath, JINN], {}, JSON.stringify(request)).stdout).meta.operation_id as string;
  };
  const ids = [edit('one', 'two'), edit('two', '\u001b]0;three\u0007')];
  const write = (text: string) => fs.writeFileSync(`${cwd}/a.txt`, text);
  return { undo, atTerminal, ids, write, content: () => fs.readFileSync(`${cwd}/a.txt`, 'utf8') };
}

const PLAIN = expect.not.stringContaining('\u001b');

test('jinn undo lists the calls as a table, and shows one as a diff', () => {
  const { undo, ids } = place();
  const listed = undo([]);
  expect(listed).toMatchObject({ status: 0, stderr: '', stdout: PLAIN });
  const [head, line, ...rows] = listed.stdout.trimEnd().split('\n');
  expect(head).toMatch(/^id +time +tool +files$/);
  expect(line).toMatch(/^[─ ]+$/);
  expect(rows.map((row) => row.split(/ {2,}/).filter((_, i) => i !== 1))).toEqual([
    [ids[1], 'edit_file', 'changed a.txt'],
    [ids[0], 'edit_file', 'changed a.txt'],
  ]);
  expect(undo(['list', '--limit=1']).stdout).toMatch(/\n1 of 2 rows\n$/);
  const shown = undo(['show', ids[1] ?? '']);
  expect(shown).toMatchObject({ status: 0, stdout: PLAIN });
  expect(shown.stdout).toContain('a.txt +1 -1');
  expect(shown.stdout).toContain('1   - \\x1b]0;three\\x07\n');
  expect(shown.stdout).toContain('  1 + two\n');
});

test('jinn undo restore needs the word of a person, and takes back a call', () => {
  const { undo, content } = place();
  const before = content();
  expect(undo(['restore', '--last=1'])).toMatchObject({
    status: 1,
    stdout: expect.stringContaining('  1 + two\n'),
    stderr: expect.stringContaining('approval required, but no terminal is attached'),
  });
  expect(content()).toBe(before);
  expect(undo(['restore', '--last=1', '--yes'])).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/\nrestored: a\.txt/),
  });
  expect(content()).toBe(`two\n${LONG}\n`);
});

test('what would lose a change from elsewhere is refused in words of the command line', () => {
  const { undo, ids, write } = place();
  write('neither\n');
  const { status, stderr } = undo(['restore', ids[1] ?? '', '--yes']);
  expect([status, stderr]).toEqual([
    1,
    expect.stringContaining('look at the difference with jinn undo show, or give --with-later'),
  ]);
});

test('what would take later changes along is refused in words of the command line', () => {
  const { undo, content, ids } = place();
  expect(undo(['show', ids[0] ?? '']).stdout).toMatch(/^restore is refused without with_later: later changes/);
  const { status, stderr } = undo(['restore', ids[0] ?? '', '--yes']);
  expect([status, stderr]).toEqual([1, expect.stringContaining('or give --with-later to undo them too')]);
  expect(undo(['restore', ids[0] ?? '', '--with-later', '--yes']).status).toBe(0);
  expect(content()).toBe(`one\n${LONG}\n`);
});

test.each([
  [['show'], 'name the id of a call, or give --last=N; jinn undo lists them'],
  [['show', 'nope'], 'no snapshot with id nope; jinn undo lists them'],
  [['show', '--last=0'], '--last is a number from 1 on'],
  [['list', '--limit=x'], '--limit is a number from 1 on'],
  [['show', 'x', '--last=1'], 'last does not go with id'],
])('jinn undo %j is refused: %s', (args, message) => {
  expect(place().undo(args)).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining(message) });
});

test('colours are for who forces them where there is no terminal', () => {
  const { undo } = place();
  expect(undo(['show', '--last=2'], { FORCE_COLOR: '1' }).stdout).toContain('\u001b[32m  1 + one\u001b[0m\n');
});

test.skipIf(!HAS_PYTHON)('at a terminal there are colours, and lines fit its width', { tags: 'slow' }, () => {
  const { atTerminal, undo } = place();
  const { stdout } = atTerminal(['show', '--last=2']);
  expect(stdout).toContain('\u001b[32m  1 + one\u001b[0m\n');
  expect(stdout).toContain(`2 2   ${LONG.slice(0, 34)}\n      ${LONG.slice(34)}\n`);
  expect(undo(['show', '--last=2']).stdout).toContain(`2 2   ${LONG}\n`);
  for (const off of [{ NO_COLOR: '1' }, { TERM: 'dumb' }, { FORCE_COLOR: '0' }])
    expect(atTerminal(['show', '--last=2'], off).stdout).toEqual(PLAIN);
});

test.skipIf(!HAS_PYTHON)('at a terminal jinn undo restore asks, and does what the person says', () => {
  const { atTerminal, content } = place();
  const before = content();
  expect(atTerminal(['restore', '--last=2'], { typed: 'n' })).toMatchObject({
    status: 1,
    stdout: expect.stringContaining('Take this back? [y/N]'),
  });
  expect(content()).toBe(before);
  expect(atTerminal(['restore', '--last=2'], { typed: 'y' }).status).toBe(0);
  expect(content()).toBe(`one\n${LONG}\n`);
});
