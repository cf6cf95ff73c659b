import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { openExample } from '../fixture/open-example.ts';

/** Directories of the system, where packages install ImageMagick. */
const SYSTEM = '/opt/homebrew/bin:/usr/bin:/bin';
const run = (argv: readonly string[]) =>
  spawnSync(argv[0] ?? '', argv.slice(1), { env: { PATH: SYSTEM }, encoding: 'utf8' });
const programs = run(['magick', '-version']).status === 0 ? ['magick', 'magick identify'] : ['convert', 'identify'];
const [convert = [], identify = []] = programs.map((words) => words.split(' '));
const isInstalled = run([...identify, '-version']).status === 0;
const searchPath = `${SYSTEM}:${process.env['PATH']}`;

async function open(ask?: 'once' | 'deny') {
  const example = await openExample('image-resize', { searchPath, ...(ask && { ask: () => ask }) });
  const { root } = example;
  const [program = '', ...args] = [...convert, '-size', '40x20', 'xc:red', `png:${root}/red.png`];
  execFileSync(program, args, { env: { PATH: SYSTEM } });
  const sizeOf = (file: string) => run([...identify, '-format', '%m %wx%h', `${root}/${file}`]).stdout;
  return { ...example, sizeOf };
}

test.skipIf(!isInstalled)('makes an image smaller and converts it, keeping its proportions', async () => {
  const { call, sizeOf } = await open();
  const { output, shown, warnings } = await call({ path: 'red.png', output: 'small.jpg', width: 10, quality: 80 });
  expect(output).toEqual({ path: 'small.jpg', width: 10, height: 5, bytes: expect.any(Number) });
  expect(sizeOf('small.jpg')).toBe('JPEG 10x5');
  expect(shown).toMatchObject({ type: 'file-list', files: [{ path: 'small.jpg', action: 'created' }] });
  expect(warnings).toEqual([]);
  await call({ path: 'red.png', output: 'large.png', width: 400, height: 400 });
  expect(sizeOf('large.png')).toBe('PNG 40x20');
});

test.skipIf(!isInstalled)('replaces a file only if a person allows it', async () => {
  const { call, asked, fail, root, sizeOf } = await open('once');
  const args = { path: 'red.png', output: 'red.png', width: 20 };
  expect(await fail(args)).toContain('red.png exists; pass overwrite: true');
  await call({ ...args, overwrite: true });
  expect(sizeOf('red.png')).toBe('PNG 20x10');
  expect(asked).toEqual([`file_write: ${fs.realpathSync(root)}/red.png`]);
  const denied = await open('deny');
  expect(await denied.fail({ ...args, overwrite: true })).toContain('USER_REJECTION');
  expect(denied.sizeOf('red.png')).toBe('PNG 40x20');
});

test.skipIf(!isInstalled)('takes only what is an image by its first bytes, and stays in the workspace', async () => {
  const { fail, root } = await open();
  fs.writeFileSync(
    `${root}/trap.png`,
    'push graphic-context\nimage over 0,0 0,0 "|touch trapped"\npop graphic-context\n',
  );
  expect(await fail({ path: 'trap.png', output: 'a.png' })).toContain('is not a PNG, JPEG, GIF or WebP image');
  expect(await fail({ path: 'red.png', output: 'a.svg' })).toContain('output must end in');
  expect(await fail({ path: 'red.png', output: '../a.png' })).toContain('is outside of the workspace');
  expect(await fail({ path: 'red.png', output: '.ENV.png' })).toContain('is a secret');
  expect(await fail({ path: 'msl:red.png', output: 'a.png' })).toContain('is not a file');
  expect(fs.readdirSync(root)).toEqual(['red.png', 'trap.png']);
});

test('says how to get ImageMagick if it is missing', async () => {
  const { fail } = await openExample('image-resize', { searchPath: onlyPython(), files: { 'a.png': 'x' } });
  expect(await fail({ path: 'a.png', output: 'b.png' })).toContain('apt install imagemagick');
});

/** Returns a PATH on which there is python3 and nothing else. */
function onlyPython(): string {
  const python = execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim();
  const directory = makeTempDirectory();
  fs.symlinkSync(python, `${directory}/python3`);
  return directory;
}
