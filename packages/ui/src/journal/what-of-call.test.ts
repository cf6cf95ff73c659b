import { expect, test } from 'vitest';
import { whatOf } from './what-of-call.ts';

test.each([
  ['list_dir', { path: 'src', depth: 2 }, 'src, 2 levels'],
  ['list_dir', { depth: 1 }, '., 1 level'],
  ['multi_edit', { edits: [{ path: 'a.js' }, { path: 'b.js' }, { path: 'a.js' }] }, '3 edits in 2 files (a.js, b.js)'],
  ['multi_edit', { edits: [{ path: 'a.js' }] }, '1 edit in a.js'],
  ['read_file', { path: 'a', start_line: 3, end_line: 9 }, 'a, from line 3 to 9'],
  ['search_files', { pattern: 'x', path: 'src' }, 'x in src'],
  ['search_replace', { pattern: 'a', replacement: 'b', files: '*.ts' }, 'a → b in *.ts'],
  ['apply_patch', { patch: '--- a/x\n+++ b/x\n@@\n*** Add File: y\n' }, '2 files (x, y)'],
  ['run_shell', { command: 'npm test' }, 'npm test'],
  ['run_shell', { action: 'kill', job: 'job-1' }, 'kill of job-1'],
  ['memory', { action: 'save', key: 'k' }, 'save k'],
  ['undo', { action: 'restore', last: 2 }, 'restore of the last 2'],
  ['word_count', { query: 'q', other: 1 }, 'q'],
  ['usage', {}, ''],
])('%s %j is about: %s', (tool, args, what) => {
  expect(whatOf(tool, args)).toBe(what);
});

test('arguments of any kind are described, in a bounded length', () => {
  const odd = [null, 0, '', 'x'.repeat(1_000), [], [null, 1, { path: 2 }], { path: {} }, undefined, true];
  for (const tool of [
    'multi_edit',
    'multi_read',
    'apply_patch',
    'list_dir',
    'undo',
    'run_shell',
    'constructor',
    'other',
  ]) {
    for (const value of odd) {
      expect(whatOf(tool, value).length).toBeLessThanOrEqual(300);
      for (const name of ['edits', 'files', 'patch', 'path', 'depth', 'command', 'id', 'other'])
        expect(whatOf(tool, { [name]: value }).length).toBeLessThanOrEqual(300);
    }
  }
});
