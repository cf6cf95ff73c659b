import { expect, test } from 'vitest';
import { classifyExit } from './exit-class.ts';
import { parseCommand, statusCommand } from './risk/index.ts';

const classOf = (command: string, exitCode: number, options: object = {}) =>
  classifyExit(
    () => statusCommand(parseCommand(command)),
    { exitCode, signal: undefined, failedParts: [], stopper: undefined },
    { isTimeout: false, isQuiet: true, ...options },
  ).classification;

test.for([
  ['ls', 0, 'success'],
  ['grep x f', 1, 'expected_nonzero'],
  ['/usr/bin/grep x f', 1, 'expected_nonzero'],
  ['rg x', 1, 'expected_nonzero'],
  ['ag x', 1, 'expected_nonzero'],
  ['grep x f', 2, 'error'],
  ['diff a b', 1, 'expected_nonzero'],
  ['cmp a b', 1, 'expected_nonzero'],
  ['diff a b', 2, 'error'],
  ['test -f x', 1, 'expected_nonzero'],
  ['[ -f x ]', 1, 'expected_nonzero'],
  ['curl -f http://x', 22, 'expected_nonzero'],
  ['curl -f http://x', 7, 'error'],
  ['find . -name x', 1, 'error'],
  ['ls nope', 2, 'error'],
  ['nope', 127, 'error'],
  ['timeout 1 sleep 5', 124, 'error'],
  ['exit 130', 130, 'signal'],
  ['git log --nope', 129, 'error'],
  ['cd x && git log --nope', 129, 'error'],
  ['ls; exit 129', 129, 'signal'],
  ['git log', 130, 'signal'],
  ['timeout 3 grep x f', 1, 'expected_nonzero'],
  ['nice -n 5 diff a b', 1, 'expected_nonzero'],
  ['kill -9 $$', 137, 'signal'],
  ['ssh host true', 255, 'error'],
  ['cat f | grep x', 1, 'expected_nonzero'],
  ['grep x f | cat', 1, 'error'],
  ['cd x && grep y f', 1, 'expected_nonzero'],
  ['FOO=1 grep y f', 1, 'expected_nonzero'],
  ['! grep y f', 1, 'expected_nonzero'],
  ['grep x f; false', 1, 'error'],
  ['echo grep; exit 1', 1, 'error'],
] as const)('%s with %i is %s', ([command, exitCode, wanted]) => {
  expect(classOf(command, exitCode)).toBe(wanted);
});

test('holds an earlier part to account that complained', () => {
  expect(classOf('cd x && grep y f', 1, { isQuiet: false })).toBe('error');
  expect(classOf('cat x | grep y', 1, { isQuiet: false })).toBe('error');
  expect(classOf('grep y f', 1, { isQuiet: false })).toBe('expected_nonzero');
});

test('knows signals and timeouts whatever the status', () => {
  expect(
    classifyExit(
      () => statusCommand(parseCommand('ls')),
      { exitCode: 137, signal: 9, failedParts: [], stopper: undefined },
      { isTimeout: false, isQuiet: true },
    ).classification,
  ).toBe('signal');
  expect(classOf('grep x f', 137, { isTimeout: true })).toBe('timeout');
  expect(classOf('constructor', 1)).toBe('error');
});

test('a command that was stopped since it wrote too much has not succeeded', () => {
  const ended = { exitCode: 0, signal: undefined, failedParts: [], stopper: 'resource_limit' } as const;
  const ending = { isTimeout: false, isQuiet: true };
  expect(classifyExit(() => statusCommand(parseCommand('yes | head')), ended, ending).classification).toBe('signal');
});
