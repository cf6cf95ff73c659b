import { execFile, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { promisify } from 'node:util';
import { ToolError } from '@jinn/core/errors';
import { makeTempDirectory } from '@jinn/testkit';
import fc from 'fast-check';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';
import { scriptText } from '../../../../scripts/script-text.mjs';
import { editVariable, readVariables } from './env-file.ts';

function withFile(text: string): string {
  const directory = makeTempDirectory();
  fs.writeFileSync(`${directory}/.env`, text);
  return directory;
}

const read = (text: string) => Object.fromEntries(readVariables(withFile(text)));

test.each([
  ['a plain value', 'A=1', { A: '1' }],
  ['an equals sign in the value', 'A=b=c==', { A: 'b=c==' }],
  ['blanks, an export and a CRLF', '\n  export A = b \r\n\r\nB=2\r\n', { A: 'b', B: '2' }],
  ['comments, also behind a value', '# A=1\nB=2 # two\nC=#\nD=a#b\n', { B: '2', C: '', D: 'a#b' }],
  ['quotation marks', `A="x y" # c\nB='a "b" \\n'\nC=\`it's\``, { A: 'x y', B: 'a "b" \\n', C: "it's" }],
  ['escapes in double quotes', 'A="a\\nb\\"c\\\\n"', { A: 'a\nb"c\\n' }],
  ['a value of several lines', 'A="x\nB=1\ny"\nC=3', { A: 'x\nB=1\ny', C: '3' }],
  ['a mark that is not closed', 'A="x\nB=2', { A: '"x', B: '2' }],
  ['an empty value', 'A=\nB=2', { A: '', B: '2' }],
  ['lines that are no assignment', '=y\nfoo\n1A=x\nB=2', { B: '2' }],
  ['a byte order mark', '\ufeffA=1', { A: '1' }],
  ['the last of two', 'A=1\nA=2', { A: '2' }],
])('reads %s', (_, text, expected) => {
  expect(read(text)).toEqual(expected);
});

test('reads none from a file or directory that is missing', () => {
  expect(readVariables(makeTempDirectory()).size).toBe(0);
  expect(readVariables(undefined).size).toBe(0);
});

test('refuses a file that is no text', () => {
  const directory = makeTempDirectory();
  fs.mkdirSync(`${directory}/.env`);
  expect(() => readVariables(directory)).toThrow(expect.objectContaining({ code: 'permission_denied' }));
});

test('keeps comments, order and other variables, and closes the file to others', async () => {
  const directory = withFile('# mine\nA=1\nB="two\nlines"\nA=3\nC=4');
  fs.chmodSync(`${directory}/.env`, 0o644);
  expect(await editVariable(directory, 'A', 'new')).toBe(true);
  expect(fs.readFileSync(`${directory}/.env`, 'utf8')).toBe('# mine\nB="two\nlines"\nC=4\nA=new\n');
  expect(fs.statSync(`${directory}/.env`).mode & 0o777).toBe(0o600);
  expect(fs.readdirSync(directory)).toEqual(['.env', 'locks']);
  expect(fs.readdirSync(`${directory}/locks`)).toEqual([]);
  expect(await editVariable(directory, 'B', undefined)).toBe(true);
  expect(await editVariable(directory, 'B', undefined)).toBe(false);
  expect(fs.readFileSync(`${directory}/.env`, 'utf8')).toBe('# mine\nC=4\nA=new\n');
});

test('gives every value back, and no value sets another variable', async () => {
  const directory = withFile('KEEP=1\n');
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(fc.string(), fc.constantFrom('a\nB=1', '"', "'", '`', '\\', '\\n', ' x ', '#', 'a #b')),
      async (value) => {
        fc.pre(!value.includes('\0') && value.isWellFormed());
        await editVariable(directory, 'A', value);
        expect(Object.fromEntries(readVariables(directory))).toEqual({ KEEP: '1', A: value });
      },
    ),
  );
});

test('refuses a value that no process can have', async () => {
  const directory = makeTempDirectory();
  await expect(editVariable(directory, 'A', 'x\0y')).rejects.toMatchObject({ code: 'invalid_args' });
  expect(fs.readdirSync(directory)).toEqual([]);
});

test('refuses to edit where there is no directory, or none can be made', async () => {
  await expect(editVariable(undefined, 'A', '1')).rejects.toMatchObject({ code: 'write_failed' });
  await expect(editVariable('/dev/null/x', 'A', '1')).rejects.toThrow(ToolError);
});

/** Sets 20 variables. */
const EDITOR = `
import { editVariable } from './env-file.ts';
const [directory, prefix] = process.argv.slice(2);
for (let i = 0; i < 20; i++) await editVariable(directory, prefix + i, 'x');
`;

/** Dies while it holds the lock, as an edit does that is killed before its last step. */
const VICTIM = `
import fs from 'node:fs';
import { createLocks } from '@jinn/workspace';
const [directory] = process.argv.slice(2);
const path = fs.realpathSync(directory) + '/.env';
const held = await createLocks(directory + '/locks').acquire([{ path, asked: '.env', clean() {} }], async () => {});
fs.writeFileSync(directory + '/.env.' + held.get(path).id, 'SECRET=1');
process.kill(process.pid, 'SIGKILL');
`;

/** Builds a program from its text. */
async function build(text: string): Promise<string> {
  const source = `${import.meta.dirname}/program.ts`;
  const bundle = await rolldown({
    input: 'program',
    platform: 'node',
    plugins: [
      scriptText(),
      {
        name: 'program',
        resolveId: (id) => (id === 'program' ? source : null),
        load: (id) => (id === source ? text : null),
      },
    ],
  });
  const file = `${makeTempDirectory()}/program.mjs`;
  await bundle.write({ file, format: 'esm', codeSplitting: false });
  return file;
}

test('processes that edit at once lose nothing', { tags: 'slow', timeout: 60_000 }, async () => {
  const directory = withFile('KEEP=1\n');
  const editor = await build(EDITOR);
  const run = promisify(execFile);
  await Promise.all(['A', 'B', 'C', 'D'].map((prefix) => run(process.execPath, [editor, directory, prefix])));
  expect(readVariables(directory).size).toBe(1 + 4 * 20);
  expect(fs.readdirSync(directory)).toEqual(['.env', 'locks']);
});

test('takes over from an edit that was killed, and removes what it left', async () => {
  const directory = withFile('KEEP=1\n');
  expect(spawnSync(process.execPath, [await build(VICTIM), directory]).signal).toBe('SIGKILL');
  expect(fs.readdirSync(directory)).toEqual(['.env', expect.stringMatching(/^\.env\.\w+$/), 'locks']);
  await editVariable(directory, 'A', '1');
  expect(Object.fromEntries(readVariables(directory))).toEqual({ KEEP: '1', A: '1' });
  expect(fs.readdirSync(directory)).toEqual(['.env', 'locks']);
});
