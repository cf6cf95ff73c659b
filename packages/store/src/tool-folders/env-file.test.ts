import fs from 'node:fs';
import { makeTempDirectory } from '@jinn/testkit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
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

test('keeps comments, order and other variables, and closes the file to others', () => {
  const directory = withFile('# mine\nA=1\nB="two\nlines"\nA=3\nC=4');
  fs.chmodSync(`${directory}/.env`, 0o644);
  expect(editVariable(directory, 'A', 'new')).toBe(true);
  expect(fs.readFileSync(`${directory}/.env`, 'utf8')).toBe('# mine\nB="two\nlines"\nC=4\nA=new\n');
  expect(fs.statSync(`${directory}/.env`).mode & 0o777).toBe(0o600);
  expect(fs.readdirSync(directory)).toEqual(['.env']);
  expect(editVariable(directory, 'B', undefined)).toBe(true);
  expect(editVariable(directory, 'B', undefined)).toBe(false);
  expect(fs.readFileSync(`${directory}/.env`, 'utf8')).toBe('# mine\nC=4\nA=new\n');
});

test('gives every value back, and no value sets another variable', () => {
  const directory = withFile('KEEP=1\n');
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.constantFrom('a\nB=1', '"', "'", '`', '\\', '\\n', ' x ', '#', 'a #b')),
      (value) => {
        fc.pre(!value.includes('\0') && value.isWellFormed());
        editVariable(directory, 'A', value);
        expect(Object.fromEntries(readVariables(directory))).toEqual({ KEEP: '1', A: value });
      },
    ),
  );
});

test('refuses a value that no process can have', () => {
  expect(() => editVariable(makeTempDirectory(), 'A', 'x\0y')).toThrow(
    expect.objectContaining({ code: 'invalid_args' }),
  );
});
