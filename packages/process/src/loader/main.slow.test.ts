import { execFileSync, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { forLoader, writeProgram } from '../../../../scripts/program.mjs';

const MAIN = `
const { word } = require('./word.cjs');
function say() { return word() + ' ' + require('node:path').basename(__filename); }
process.stdout.write(say());
if (process.argv[2] !== 'print') process.emit('jinn:begin');
if (process.argv[2] === 'fail') process.exitCode = 1;
if (process.argv[2] === 'more') [1, 2, 3].map(function more(n) { return n + '${'x'.repeat(2_000)}'; });
if (process.argv[2] === 'stay') setInterval(() => {}, 1_000);`;

/** The program for each word: to build one takes longer than the tests of it. */
const built = new Map<string, Buffer>();

/** Words of the same length make sources that V8 cannot tell apart. */
async function makeProgram(word = 'good'): Promise<string> {
  const directory = makeTempDirectory();
  const program = `${directory}/program.cjs`;
  const chunks = { 'main.cjs': MAIN, 'word.cjs': `exports.word = () => '${word}';` };
  fs.mkdirSync(`${directory}/chunks`);
  for (const [name, code] of Object.entries(chunks)) fs.writeFileSync(`${directory}/chunks/${name}`, forLoader(code));
  const known = built.get(word);
  if (known) fs.writeFileSync(program, known);
  else
    await writeProgram(
      program,
      Object.entries(chunks).map(([fileName, code]) => ({ fileName, code })),
    );
  built.set(word, fs.readFileSync(program));
  return program;
}

interface Place {
  readonly home?: string;
  readonly cwd?: string;
  readonly args?: readonly string[];
  readonly cache?: string;
  /** The variable NODE_OPTIONS. */
  readonly flags?: string;
}

function run(program: string, { home, cwd = '/usr', args = [], cache, flags }: Place): string {
  const env = {
    ...(home !== undefined && { HOME: home }),
    ...(cache !== undefined && { XDG_CACHE_HOME: cache }),
    ...(flags !== undefined && { NODE_OPTIONS: flags }),
  };
  return spawnSync(process.execPath, [program, ...args], { env, cwd, encoding: 'utf8', timeout: 20_000 }).stdout;
}

/** Returns the files that are kept below a home, by their paths in the directory of all builds. */
function keptIn(home: string): string[] {
  const all = `${home}/.cache/jinn/code`;
  const files = fs.existsSync(all) ? fs.readdirSync(all, { recursive: true, encoding: 'utf8' }) : [];
  return files.filter((file) => fs.statSync(`${all}/${file}`).isFile()).sort();
}

function directoryIn(home: string): string {
  const all = `${home}/.cache/jinn/code`;
  return `${all}/${fs.readdirSync(all)[0]}`;
}

test('runs the same with the code of an earlier run, which is private and written three times', async () => {
  const [program, home] = [await makeProgram(), makeTempDirectory()];
  expect(run(program, { home })).toBe('good main.cjs');
  const directory = directoryIn(home);
  expect(path.basename(directory)).toMatch(`-${process.version}-${process.arch}`);
  expect(fs.readdirSync(directory).toSorted()).toEqual(['main.cjs', 'word.cjs']);
  const stats = () => fs.readdirSync(directory).map((name) => fs.statSync(`${directory}/${name}`));
  for (const at of [directory, path.dirname(directory), `${home}/.cache`]) {
    expect(fs.statSync(at).mode & 0o777).toBe(0o700);
  }
  expect(stats().map(({ mode }) => mode & 0o777)).toEqual([0o600, 0o600]);
  const written = [];
  for (let again = 0; again < 4; again++) {
    expect(run(program, { home })).toBe('good main.cjs');
    written.push(stats().map(({ ino, mtimeMs }) => [ino, mtimeMs]));
  }
  expect(written[1]).not.toEqual(written[0]);
  expect([written[2], written[3]]).toEqual([written[1], written[1]]);
});

test('a later run adds the code of functions that the first one did not call', async () => {
  const [program, home] = [await makeProgram(), makeTempDirectory()];
  run(program, { home });
  const size = () => fs.statSync(`${directoryIn(home)}/main.cjs`).size;
  const first = size();
  run(program, { home, args: ['more'] });
  const second = size();
  expect(second).toBeGreaterThan(first);
  run(program, { home });
  expect(size()).toBeGreaterThan(first);
});

test('keeps the code for each set of flags of V8 apart', async () => {
  const [program, home] = [await makeProgram(), makeTempDirectory()];
  for (const flags of [undefined, '--max-old-space-size=4096', '--max-semi-space-size=32']) {
    expect(run(program, { home, ...(flags && { flags }) })).toBe('good main.cjs');
  }
  expect(fs.readdirSync(`${home}/.cache/jinn/code`)).toHaveLength(3);
  expect(keptIn(home)).toHaveLength(6);
});

test('replaces code that V8 rejects', async () => {
  const [program, home] = [await makeProgram(), makeTempDirectory()];
  run(program, { home });
  const file = `${directoryIn(home)}/main.cjs`;
  const good = fs.readFileSync(file);
  for (const bad of [good.subarray(0, -9), Buffer.alloc(good.length), Buffer.of(3), Buffer.alloc(0)]) {
    fs.writeFileSync(file, bad);
    expect(run(program, { home })).toBe('good main.cjs');
    expect(fs.statSync(file).size).toBeGreaterThan(good.length / 2);
    expect(fs.readFileSync(file).at(-1)).toBe(1);
  }
});

test('keeps the code of each build apart', async () => {
  const home = makeTempDirectory();
  expect(run(await makeProgram(), { home })).toBe('good main.cjs');
  expect(run(await makeProgram('evil'), { home })).toBe('evil main.cjs');
  expect(keptIn(home)).toHaveLength(4);
});

/** Puts the code of another program in the place of that of a program. Returns where it lies. */
async function plant(program: string, home: string): Promise<{ file: string; directory: string }> {
  const elsewhere = makeTempDirectory();
  run(await makeProgram('evil'), { home: elsewhere });
  run(program, { home });
  const directory = directoryIn(home);
  const file = `${directory}/word.cjs`;
  fs.copyFileSync(`${directoryIn(elsewhere)}/word.cjs`, file);
  return { file, directory };
}

test('V8 runs kept code without a look at the source', async () => {
  const [program, home] = [await makeProgram(), makeTempDirectory()];
  await plant(program, home);
  expect(run(program, { home })).toBe('evil main.cjs');
});

test('the cache may be a link to where there is room', async () => {
  const [program, home] = [await makeProgram(), makeTempDirectory()];
  fs.symlinkSync(makeTempDirectory(), `${home}/.cache`);
  await plant(program, home);
  expect(run(program, { home })).toBe('evil main.cjs');
});

type Spoil = (at: { file: string; directory: string; home: string }) => Place | undefined;

const OTHER_USER = 54_321;
const ODD: readonly (readonly [string, Spoil])[] = [
  ['a file that others may read', ({ file }) => void fs.chmodSync(file, 0o644)],
  ['a directory that others may enter', ({ directory }) => void fs.chmodSync(directory, 0o755)],
  ['a directory above it that others may write to', ({ directory }) => void fs.chmodSync(`${directory}/..`, 0o777)],
  ['a home that a group may write to', ({ home }) => void fs.chmodSync(home, 0o770)],
  ['a directory in the workspace', ({ home }) => ({ cwd: home })],
  [
    'a link in the place of a file',
    ({ file }) => {
      fs.renameSync(file, `${file}.other`);
      fs.symlinkSync(`${file}.other`, file);
      return undefined;
    },
  ],
  [
    'a FIFO in the place of a file',
    ({ file }) => {
      fs.rmSync(file);
      execFileSync('mkfifo', ['-m', '600', file]);
      return undefined;
    },
  ],
  [
    'a link that leads to a directory which others may write to',
    ({ directory }) => {
      const other = makeTempDirectory();
      fs.chmodSync(other, 0o777);
      fs.renameSync(directory, `${other}/code`);
      fs.symlinkSync(`${other}/code`, directory);
      return undefined;
    },
  ],
];

const OF_OTHERS: readonly (readonly [string, Spoil])[] = [
  ['a file of another user', ({ file }) => void fs.chownSync(file, OTHER_USER, OTHER_USER)],
  ['a directory of another user', ({ directory }) => void fs.chownSync(directory, OTHER_USER, OTHER_USER)],
  ['a home of another user', ({ home }) => void fs.chownSync(home, OTHER_USER, OTHER_USER)],
];

async function runSpoiled(spoil: Spoil): Promise<string> {
  const [program, home] = [await makeProgram(), makeTempDirectory()];
  const at = await plant(program, home);
  const place = spoil({ ...at, home });
  return run(program, { home, ...place });
}

test.each(ODD)('ignores the code for %s', async (_, spoil) => {
  expect(await runSpoiled(spoil)).toBe('good main.cjs');
});

test.skipIf(process.getuid?.() !== 0).each(OF_OTHERS)('ignores the code for %s', async (_, spoil) => {
  expect(await runSpoiled(spoil)).toBe('good main.cjs');
});

test('runs where nothing can be kept, and leaves nothing there', async () => {
  const [program, cwd, home] = [await makeProgram(), makeTempDirectory(), makeTempDirectory()];
  for (const place of [{}, { home: 'relative' }, { home: '/proc' }, { home: '/dev/null' }, { home: cwd }]) {
    expect(run(program, { cwd, ...place })).toBe('good main.cjs');
    expect(run(program, { cwd, cache: '.', ...place })).toBe('good main.cjs');
  }
  expect([fs.readdirSync(cwd), fs.readdirSync(home)]).toEqual([[], []]);
  fs.writeFileSync(`${home}/.cache`, 'a file');
  expect(run(program, { cwd, home })).toBe('good main.cjs');
  fs.mkdirSync(`${cwd}/undefined`);
  expect(run(program, { cwd })).toBe('good main.cjs');
  expect(fs.readdirSync(`${cwd}/undefined`)).toEqual([]);
  fs.chmodSync(cwd, 0o777);
  expect(run(program, { home: cwd })).toBe('good main.cjs');
  expect(fs.readdirSync(cwd)).toEqual(['undefined']);
});

test.each([[['print']], [['fail']]])('keeps nothing of a run with %s, which shows little', async (args) => {
  const [program, home] = [await makeProgram(), makeTempDirectory()];
  expect(run(program, { home, args })).toBe('good main.cjs');
  expect(keptIn(home)).toEqual([]);
});

test('keeps the code of a session that is killed', async () => {
  const [program, home] = [await makeProgram(), makeTempDirectory()];
  const child = spawn(process.execPath, [program, 'stay'], { env: { HOME: home }, cwd: '/usr', stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  await expect.poll(() => keptIn(home), { timeout: 15_000 }).toHaveLength(2);
});

test('the code of builds that kept nothing for a week goes when another one runs for the first time', async () => {
  const [first, second, home] = [await makeProgram(), await makeProgram('next'), makeTempDirectory()];
  run(first, { home });
  const old = new Date(Date.now() - 8 * 24 * 60 * 60 * 1_000);
  fs.utimesSync(directoryIn(home), old, old);
  fs.mkdirSync(`${home}/.cache/jinn/code/of-somebody`);
  fs.utimesSync(`${home}/.cache/jinn/code/of-somebody`, old, old);
  run(second, { home });
  expect(fs.readdirSync(`${home}/.cache/jinn/code`)).toHaveLength(2);
  expect(keptIn(home)).toHaveLength(2);
  expect(run(first, { home })).toBe('good main.cjs');
});
