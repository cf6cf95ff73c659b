import { expect, test } from 'vitest';
import { flagRows, renderHelp } from './help-text.ts';
import { FlagError, ParsedFlags, type ParseOptions } from './parsed-flags.ts';

const FLAGS = {
  all: { about: 'all', short: 'a' },
  output: { about: 'where', short: 'o', value: 'FILE' },
  outline: { about: 'outlines', value: 'GLOB', optional: 'word' },
  schema: { about: 'schemas', value: 'FORMAT', optional: 'equals' },
} as const;

function parse(line: string, options: ParseOptions = {}) {
  const given = new ParsedFlags(FLAGS, line.split(' ').filter(Boolean), options);
  const names = Object.keys(FLAGS) as (keyof typeof FLAGS)[];
  const values = names.flatMap((name) => (given.has(name) ? [[name, given.all(name)]] : []));
  return { words: given.words, ...Object.fromEntries(values) };
}

test.each([
  ['a b', { words: ['a', 'b'] }],
  ['--all x -', { words: ['x', '-'], all: [''] }],
  ['-a -o f', { words: [], all: [''], output: ['f'] }],
  ['-aof', { words: [], all: [''], output: ['f'] }],
  ['-o=f --output=g --output h', { words: [], output: ['f', 'g', 'h'] }],
  ['--output=-x', { words: [], output: ['-x'] }],
  ['-o -', { words: [], output: ['-'] }],
  ['-- --all -o', { words: ['--all', '-o'] }],
  ['--schema mcp', { words: ['mcp'], schema: [''] }],
  ['--schema=mcp', { words: [], schema: ['mcp'] }],
  ['--outline *.ts', { words: [], outline: ['*.ts'] }],
  ['--outline --all', { words: [], outline: [''], all: [''] }],
])('reads %s', (line, expected) => {
  expect(parse(line)).toEqual(expected);
});

test('asks the program whether a word is the value of a flag that may stand without one', () => {
  const isValue = (flag: string, word: string) => flag === 'outline' && word.includes('*');
  expect(parse('--outline src --outline *.ts', { isValue })).toEqual({ words: ['src'], outline: ['', '*.ts'] });
});

test('takes a flag by its beginning only for a program that allows it', () => {
  expect(parse('--outp f', { abbreviates: true })).toEqual({ words: [], output: ['f'] });
  expect(() => parse('--out', { abbreviates: true })).toThrow('--out could be --output or --outline');
  expect(() => parse('--outp f')).toThrow("Unknown option '--outp'; did you mean --output?");
});

test.each([
  ['--al', "Unknown option '--al'; did you mean --all?"],
  ['--toString', "Unknown option '--toString'"],
  ['-x', "Unknown option '-x'"],
  ['-ax', "Unknown option '-x'"],
  ['--all=yes', '--all takes no value'],
  ['--output', '--output takes a value; one that begins with a dash is written --output=-…'],
  ['--output --all', '--output takes a value'],
  ['--=x', "Unknown option '--'"],
])('refuses %s', (line, message) => {
  expect(() => parse(line)).toThrow(FlagError);
  expect(() => parse(line)).toThrow(message);
});

test('the help has a row for each flag and command, none of them too wide', () => {
  const long = { about: 'word '.repeat(40).trim(), value: 'A-LONG-PLACEHOLDER' };
  const commands = { go: { about: 'go on', usage: '', flags: {} } };
  const help = renderHelp('odd', { about: 'odd', usage: '[FLAGS]\nCOMMAND', flags: { ...FLAGS, long }, commands });
  expect(help).toMatch(/^usage: odd \[FLAGS\]\n {7}odd COMMAND\n\nodd\n\n/);
  expect(help).toContain('\n  go                  go on\n');
  expect(help).toContain(flagRows({ all: FLAGS.all }));
  expect(help).toContain(
    '  -o, --output FILE   where\n  --outline [GLOB]    outlines\n  --schema[=FORMAT]   schemas\n',
  );
  expect(Math.max(...help.split('\n').map((line) => line.length))).toBeLessThan(98);
});
