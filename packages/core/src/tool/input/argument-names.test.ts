import { expect, test } from 'vitest';
import { nearestArgument, ownName } from './read-args.ts';

test.each([
  ['File_Path', ['path', 'limit'], 'path'],
  ['filePath', ['path', 'limit'], 'path'],
  ['startLine', ['start_line'], 'start_line'],
  ['glob', ['pattern', 'include'], 'include'],
  ['glob', ['pattern', 'path'], 'pattern'],
  ['cmd', ['command', 'cwd'], 'command'],
  ['-C', ['context_lines'], 'context_lines'],
  ['symbol', ['name_path', 'path'], 'name_path'],
  ['name_path_pattern', ['pattern', 'name_path'], 'name_path'],
  ['symbol', ['path', 'line', 'identifier'], 'identifier'],
  ['name_path', ['path', 'symbol'], 'symbol'],
  ['symbol', ['symbol', 'path'], 'symbol'],
  ['paht', ['path', 'limit'], undefined],
  ['offset', ['path'], undefined],
  ['constructor', ['path'], undefined],
])('%s among %j stands for %s', (name, names, own) => {
  expect(ownName(name, names)).toBe(own);
});

test.each([
  ['paht', ['path', 'limit'], 'path'],
  ['timeout_ms', ['timeout'], 'timeout'],
  ['recursive', ['path', 'depth'], 'depth'],
  ['-A', ['context_lines'], 'context_lines'],
  ['wait_for_previous', ['path', 'limit'], undefined],
])('%s among %j is like %s', (unknown, names, meant) => {
  expect(nearestArgument(unknown, names)).toBe(meant);
});
