import fs from 'node:fs';
import path from 'node:path';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { createSpill } from './spill.ts';

const MIB = 1024 * 1024;
const chunk = (text: string) => [Buffer.from(text)];

function scene() {
  const directory = path.join(makeTempDirectory(), 'cache/jinn');
  return { directory, spill: createSpill(directory) };
}

function read(spill: ReturnType<typeof createSpill>, file: string): string | undefined {
  const opened = spill.open(file);
  try {
    return opened?.slice(0, 99).toString();
  } finally {
    opened?.close();
  }
}

test('keeps what it is given in a private file of an unforeseeable name, and opens it again', () => {
  const { directory, spill } = scene();
  const [first = '', second = ''] = [spill.save('a/b c.log', chunk('text')), spill.save('a/b c.log', chunk('other'))];
  expect(path.dirname(first)).toBe(directory);
  expect(path.basename(first)).toMatch(/^a_b_c\.log\.[0-9a-z]{16}\.txt$/);
  expect(second).not.toBe(first);
  expect([read(spill, first), read(spill, second)]).toEqual(['text', 'other']);
  expect(fs.statSync(first).mode & 0o777).toBe(0o600);
  expect(fs.statSync(directory).mode & 0o777).toBe(0o700);
});

test('keeps 16 MiB and no more, without asking for the rest', () => {
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
  const name = path.basename(kept);
  const plant = (other: string, make: (file: string) => void) => {
    const file = path.join(directory, other);
    make(file);
    return file;
  };
  const mode = { mode: 0o600 };
  const refused = [
    `${directory}/./${name}`,
    `${directory}/../jinn/${name}`,
    `${directory}/../secret.0123456789abcdef.txt`,
    `${directory}2/${name}`,
    directory,
    '',
    plant('plain.txt', (file) => fs.writeFileSync(file, 'x', mode)),
    plant('link.0123456789abcdef.txt', (file) => fs.symlinkSync('/etc/passwd', file)),
    plant('open.0123456789abcdef.txt', (file) => fs.writeFileSync(file, 'x', { mode: 0o644 })),
    plant('hard.0123456789abcdef.txt', (file) => fs.linkSync(kept, file)),
    plant('gone.0123456789abcdef.txt', () => {}),
  ];
  for (const file of refused) expect(read(spill, file), file).toBeUndefined();
  fs.unlinkSync(path.join(directory, 'hard.0123456789abcdef.txt'));
  expect(read(spill, kept)).toBe('text');
});

test('forgets after a day, and the oldest when 256 MiB are kept', () => {
  const { directory, spill } = scene();
  spill.save('first', chunk('x'));
  const plant = (age: number, size: number) => {
    const file = path.join(directory, `f${age}.0123456789abcdef.txt`);
    fs.writeFileSync(file, '', { mode: 0o600 });
    fs.truncateSync(file, size);
    const time = Date.now() / 1000 - age;
    fs.utimesSync(file, time, time);
    return file;
  };
  const old = plant(25 * 3600, 1);
  const files = [10, 20, 30].map((age) => plant(age, 100 * MIB));
  const foreign = path.join(directory, 'somebody.txt');
  fs.writeFileSync(foreign, 'x');
  fs.utimesSync(foreign, 0, 0);
  spill.save('last', chunk('x'));
  expect(files.map((file) => fs.existsSync(file))).toEqual([true, true, false]);
  expect([fs.existsSync(old), fs.existsSync(foreign)]).toEqual([false, true]);
});

test('costs the remainder, never the answer, where it cannot write', () => {
  const file = path.join(makeTempDirectory(), 'file');
  fs.writeFileSync(file, '');
  expect(createSpill(`${file}/below`).save('x', chunk('y'))).toBeUndefined();
  expect(createSpill(undefined).save('x', chunk('y'))).toBeUndefined();
  expect(createSpill(undefined).open(file)).toBeUndefined();
});
