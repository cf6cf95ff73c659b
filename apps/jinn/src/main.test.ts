import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';

const JINN = path.resolve(import.meta.dirname, '../dist/jinn.cjs');

function jinn(input: string, argv: string[] = []) {
  const cwd = makeTempDirectory();
  makeTree(cwd, { 'a.txt': 'one\n' });
  const { status, stdout, stderr } = spawnSync(process.execPath, [JINN, ...argv], { cwd, input, encoding: 'utf8' });
  const answers =
    argv.length > 0
      ? []
      : stdout
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line));
  return { status, stdout, stderr, answers };
}

const read = (file: string, id?: string) => JSON.stringify({ tool: 'read_file', args: { path: file }, request_id: id });

test('answers a request with one line and exits 0', () => {
  const { status, answers, stderr } = jinn(read('a.txt'));
  expect(answers).toMatchObject([{ ok: true, result: '1\tone' }]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

test('answers many requests in order, and exits 1 when one failed', () => {
  const { status, answers } = jinn(`${read('a.txt', 'x')}\n{"tool"\n${read('nope', 'y')}${read('a.txt', 'z')}`);
  expect(answers.map(({ ok, request_id }) => [ok, request_id])).toEqual([
    [true, 'x'],
    [false, undefined],
    [false, 'y'],
    [true, 'z'],
  ]);
  expect(status).toBe(1);
});

test.for([
  ['nothing', '', 'invalid_request', 'no input: pipe a JSON request to stdin (try jinn --help)'],
  ['no JSON', 'hello', 'invalid_request', 'invalid JSON: '],
  ['an array', '[]', 'invalid_request', 'a request is an object'],
  ['null', 'null', 'invalid_request', 'a request is an object'],
  ['no tool', '{}', 'invalid_request', '"tool" is missing'],
  ['a tool that is no string', '{"tool":5}', 'invalid_request', '"tool" must be a string'],
  ['args that are no object', '{"tool":"read_file","args":[]}', 'invalid_request', '"args" must be an object'],
  ['an unknown tool', '{"tool":"raed_file"}', 'unknown_tool', 'unknown tool: raed_file'],
  ['a duplicate key', '{"tool":"a","tool":"b"}', 'invalid_request', 'duplicate key "tool"'],
  ['deep nesting', '['.repeat(120_000), 'invalid_request', 'nested deeper than 64'],
  ['a missing argument', '{"tool":"read_file"}', 'invalid_args', 'missing required argument path'],
  ['a mistyped argument', '{"tool":"read_file","args":{"path":5}}', 'invalid_args', 'path: '],
  [
    'an unknown argument',
    '{"tool":"read_file","args":{"file_path":"a"}}',
    'invalid_args',
    'unknown argument "file_path"',
  ],
] as const)('refuses %s', ([, input, code, message]) => {
  const { status, answers } = jinn(input);
  expect(answers).toMatchObject([{ ok: false, error_code: code, error: expect.stringContaining(message) }]);
  expect(status).toBe(1);
});

test('prints its version and its help', () => {
  expect(jinn('', ['--version']).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect(jinn('', ['--help']).stdout).toMatch(/^usage: jinn/);
});

test('refuses a flag that it does not know', () => {
  const { status, stdout, stderr } = jinn(read('a.txt'), ['--frobnicate']);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toContain('--frobnicate');
});
