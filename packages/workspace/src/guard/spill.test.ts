import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { createSpill } from './private-files.ts';

const MIB = 1024 * 1024;
const chunk = (text: string) => [Buffer.from(text)];

function scene() {
  const cache = path.join(makeTempDirectory(), 'cache/jinn');
  const spill = createSpill(cache, '/w');
  return { cache, directory: spill.directory as string, spill };
}

function read(spill: ReturnType<typeof createSpill>, file: string): string | undefined {
  const opened = spill.open(file);
  try {
    return opened?.slice(0, 99).toString();
  } finally {
    opened?.close();
  }
}

test('saves chunks in a private file with an unpredictable name, and opens it again', () => {
  const { directory, spill } = scene();
  const [first = '', second = ''] = [spill.save('a/b c.log', chunk('text')), spill.save('a/b c.log', chunk('other'))];
  expect(path.dirname(first)).toBe(directory);
  expect(path.basename(first)).toMatch(/^a_b_c\.log\.[0-9a-z]{16}\.txt$/);
  expect(second).not.toBe(first);
  expect([read(spill, first), read(spill, second)]).toEqual(['text', 'other']);
  expect(fs.statSync(first).mode & 0o777).toBe(0o600);
  expect(fs.statSync(directory).mode & 0o777).toBe(0o700);
});

test('saves at most 16 MiB, and does not ask for more', () => {
  const { spill } = scene();
  let asked = 0;
  function* endless() {
    for (;;) {
      asked++;
      yield Buffer.alloc(MIB + 1);
    }
  }
  expect(fs.statSync(spill.save('x', endless()) ?? '').size).toBe(16 * MIB);
  expect(asked).toBe(16);
});

test('opens exactly the files that it wrote', () => {
  const { directory, spill } = scene();
  const kept = spill.save('x', chunk('text')) ?? '';
  const other = spill.save('y', chunk('text')) ?? '';
  const name = path.basename(kept);
  const put = (planted: string, make: (file: string) => void) => {
    const file = path.join(directory, planted);
    make(file);
    return file;
  };
  const mode = { mode: 0o600 };
  const refused = [
    `${directory}/./${name}`,
    `${directory}/../jinn/${name}`,
    `${directory}/../secret.0123456789abcdef.txt`,
    `${directory}2/${name}`,
    put('../jinn-x.0123456789abcdef.txt', (file) => fs.writeFileSync(file, 'x', mode)),
    directory,
    '',
    put('plain.txt', (file) => fs.writeFileSync(file, 'x', mode)),
    put('link.0123456789abcdef.txt', (file) => fs.symlinkSync('/etc/passwd', file)),
    put('near.0123456789abcdef.txt', (file) => fs.symlinkSync(other, file)),
    put('open.0123456789abcdef.txt', (file) => fs.writeFileSync(file, 'x', { mode: 0o644 })),
    put('hard.0123456789abcdef.txt', (file) => fs.linkSync(kept, file)),
    put('gone.0123456789abcdef.txt', () => {}),
  ];
  execFileSync('mkfifo', ['-m', '600', path.join(directory, 'fifo.0123456789abcdef.txt')]);
  expect(() => spill.open(path.join(directory, 'fifo.0123456789abcdef.txt'))).toThrow('not a regular file');
  for (const file of refused) expect(read(spill, file), file).toBeUndefined();
  fs.unlinkSync(path.join(directory, 'hard.0123456789abcdef.txt'));
  expect(read(spill, kept)).toBe('text');
});

test('opens no file of another workspace, and prunes the files of all', () => {
  const { cache, directory, spill } = scene();
  const other = createSpill(cache, '/v');
  const kept = spill.save('x', chunk('text')) ?? '';
  expect([read(spill, kept), read(other, kept)]).toEqual(['text', undefined]);
  other.remove(kept);
  const old = plant(directory, 25 * 3600, 1);
  other.save('y', chunk('text'));
  expect([kept, old].map((file) => fs.existsSync(file))).toEqual([true, false]);
});

test.skipIf(process.getuid?.() !== 0)('opens no file of another user', () => {
  const { spill } = scene();
  const kept = spill.save('x', chunk('text')) ?? '';
  fs.chownSync(kept, 12345, 12345);
  expect(read(spill, kept)).toBeUndefined();
});

test.skipIf(!fs.existsSync('/proc/self/fd'))('closes the descriptor of a file that it refuses', () => {
  const { spill } = scene();
  const kept = spill.save('x', chunk('text')) ?? '';
  fs.chmodSync(kept, 0o644);
  const before = fs.readdirSync('/proc/self/fd').length;
  expect(spill.open(kept)).toBeUndefined();
  expect(fs.readdirSync('/proc/self/fd').length).toBe(before);
});

/** Puts files among those that were kept; by name, the oldest comes first. */
function plant(directory: string, age: number, size: number): string {
  const file = path.join(directory, `f${9_999_999 - age}.0123456789abcdef.txt`);
  fs.writeFileSync(file, '', { mode: 0o600 });
  fs.truncateSync(file, size);
  fs.utimesSync(file, Date.now() / 1000 - age, Date.now() / 1000 - age);
  return file;
}

test('removes its files after a day, and no others', () => {
  const { directory, spill } = scene();
  const first = spill.save('first', chunk('x')) ?? '';
  const old = plant(directory, 25 * 3600, 1);
  const young = plant(directory, 23 * 3600, 1);
  const foreign = path.join(directory, 'somebody.txt');
  fs.writeFileSync(foreign, 'x');
  fs.utimesSync(foreign, 0, 0);
  spill.save('last', chunk('x'));
  expect([first, old, young, foreign].map((file) => fs.existsSync(file))).toEqual([true, false, true, true]);
});

test('removes the oldest files beyond 256 MiB', () => {
  const { directory, spill } = scene();
  spill.save('first', chunk('x'));
  const files = [10, 20, 30].map((age) => plant(directory, age, 100 * MIB));
  const kept = () => files.map((file) => fs.existsSync(file));
  spill.save('second', chunk('x'));
  expect(kept()).toEqual([true, true, false]);
  plant(directory, 10, 200 * MIB);
  plant(directory, 20, 40 * MIB);
  spill.save('third', chunk('x'));
  expect(kept()).toEqual([true, false, false]);
});

test('ignores what others put into its directory', () => {
  const { directory, spill } = scene();
  spill.save('first', chunk('x'));
  const target = path.join(directory, '..', 'target');
  fs.writeFileSync(target, 'not ours');
  const link = path.join(directory, 'link.0123456789abcdef.txt');
  fs.symlinkSync(target, link);
  fs.lutimesSync(link, 0, 0);
  const folder = path.join(directory, 'folder.0123456789abcdef.txt');
  fs.mkdirSync(folder);
  fs.utimesSync(folder, 0, 0);
  expect(read(spill, spill.save('last', chunk('text')) ?? '')).toBe('text');
  expect(fs.existsSync(link)).toBe(false);
  expect(fs.readFileSync(target, 'utf8')).toBe('not ours');
  expect(fs.existsSync(folder)).toBe(true);
});

test('names files after any label', () => {
  const { spill } = scene();
  expect(path.basename(spill.save('', chunk('x')) ?? '')).toMatch(/^output\.\w{16}\.txt$/);
  const long = spill.save('a'.repeat(5_000), chunk('x')) ?? '';
  expect(path.basename(long)).toMatch(/^a{64}\.\w{16}\.txt$/);
  expect(read(spill, long)).toBe('x');
});

test('saves nothing, without an error, if it cannot write', () => {
  const file = path.join(makeTempDirectory(), 'file');
  fs.writeFileSync(file, '');
  expect(createSpill(`${file}/below`, '/w').save('x', chunk('y'))).toBeUndefined();
  expect(createSpill(undefined, '/w').save('x', chunk('y'))).toBeUndefined();
  expect(createSpill(undefined, '/w').open(file)).toBeUndefined();
});

test('saves the output of a command, up to 64 MiB, and opens it again', () => {
  const { spill } = scene();
  const log = spill.openLog('jinn-shell');
  const { path: file = '' } = log ?? {};
  expect(path.basename(file)).toMatch(/^jinn-shell-\w{16}\.log$/);
  log?.write(Buffer.from('first'));
  expect(read(spill, file)).toBe('first');
  for (let i = 0; i < 65; i++) log?.write(Buffer.alloc(MIB));
  log?.close();
  expect(fs.statSync(file)).toMatchObject({ size: 64 * MIB, mode: 0o100600 });
  expect(createSpill(undefined, '/w').openLog('x')).toBeUndefined();
});

test.skipIf(spawnSync('prlimit', ['--version']).status !== 0)('removes a log that the disk does not take whole', () => {
  const { directory, spill } = scene();
  const limit = (bytes: string) => execFileSync('prlimit', ['--pid', String(process.pid), `--fsize=${bytes}:`]);
  const log = spill.openLog('jinn-shell');
  limit('100000');
  try {
    expect(log?.write(Buffer.alloc(90_000))).toBe(true);
    expect(log?.write(Buffer.alloc(90_000))).toBe(false);
    expect(log?.write(Buffer.alloc(1))).toBe(false);
  } finally {
    limit('unlimited');
  }
  log?.close();
  expect(fs.readdirSync(directory)).toEqual([]);
});

test('keeps records by their names, for the next process', () => {
  const { cache, spill } = scene();
  const { records } = spill;
  expect(records.get('a-1')).toBeUndefined();
  expect([records.put('a-1', 'one'), records.put('a-1', 'two'), records.put('b_2', 'x')]).toEqual([true, true, true]);
  expect(createSpill(cache, '/other').records.get('a-1')).toBe('two');
  expect(fs.statSync(`${cache}/a-1.record`).mode & 0o777).toBe(0o600);
  records.remove('a-1');
  records.remove('never');
  expect([records.get('a-1'), records.get('b_2')]).toEqual([undefined, 'x']);
  expect(fs.readdirSync(cache)).toEqual(['b_2.record', 'outputs']);
});

test('refuses the name of a record that has a path in it, and a record that is too large', () => {
  const { records } = scene().spill;
  for (const name of ['../x', 'a/b', '', 'a.b', 'x'.repeat(101)]) {
    expect(() => records.get(name)).toThrow('not the name of a record');
    expect(() => records.put(name, '')).toThrow('not the name of a record');
    expect(() => records.remove(name)).toThrow('not the name of a record');
  }
  expect(records.put('a', 'x'.repeat(64 * 1024 + 1))).toBe(false);
  expect(records.get('a')).toBeUndefined();
});

test('reads no record that is a link, or open to others', () => {
  const { cache, spill } = scene();
  spill.records.put('a', 'x');
  fs.chmodSync(`${cache}/a.record`, 0o644);
  fs.symlinkSync('/etc/passwd', `${cache}/b.record`);
  expect([spill.records.get('a'), spill.records.get('b')]).toEqual([undefined, undefined]);
});

test('removes what it saved, by exactly that path', () => {
  const { directory, spill } = scene();
  const saved = spill.save('a', chunk('x')) ?? '';
  fs.writeFileSync(`${directory}/other`, '');
  for (const file of [`${directory}/other`, `${directory}/../jinn/${path.basename(saved)}`, path.basename(saved)]) {
    spill.remove(file);
  }
  expect(fs.existsSync(saved) && fs.existsSync(`${directory}/other`)).toBe(true);
  spill.remove(saved);
  expect(fs.existsSync(saved)).toBe(false);
});

test('keeps at most 1,000 files, the youngest', { tags: 'slow' }, () => {
  const { cache, spill } = scene();
  for (let i = 0; i < 1_005; i++) spill.records.put(`r${i}`, '');
  const old = new Date(Date.now() - 60_000);
  for (let i = 0; i < 10; i++)
    if (fs.existsSync(`${cache}/r${i}.record`)) fs.utimesSync(`${cache}/r${i}.record`, old, old);
  spill.records.put('last', '');
  expect(fs.readdirSync(cache).filter((name) => name.endsWith('.record')).length).toBeLessThanOrEqual(1_000);
  expect(spill.records.get('last')).toBe('');
});

test('keeps no record without a home', () => {
  const { records, remove } = createSpill(undefined, '/w');
  expect([records.put('a', 'x'), records.get('a')]).toEqual([false, undefined]);
  records.remove('a');
  remove('/x');
});
