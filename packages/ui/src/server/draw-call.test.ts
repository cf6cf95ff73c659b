import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makeUiPlace } from '../fixture/open-ui.ts';
import { readCalls, readDetail } from '../journal/read-journal.ts';
import { drawCall } from './draw-call.ts';

const JINN = path.resolve(import.meta.dirname, '../../../../apps/jinn/dist/jinn.cjs');
const LONG = Array.from({ length: 200 }, (_, i) => `line ${i + 1}\n`).join('');
const FILES = {
  'a.ts': LONG,
  'b.ts': 'one\r\ntwo\r\n',
  'c.txt': 'gone\n',
  'd.txt': Buffer.from('\ufeffold\n', 'utf16le'),
};
const PATCH = `--- a/a.ts
+++ b/a.ts
@@ -120,3 +120,4 @@
 line 120
-line 121
+line 121 new
+and more
 line 122
--- a/c.txt
+++ /dev/null
@@ -1 +0,0 @@
-gone
`;

/** Returns what makes calls that are written down: what a call answers, and how it is drawn from the journal. */
function makeJournal() {
  const { cwd, env, journal, state } = makeUiPlace(FILES);
  fs.mkdirSync(state, { recursive: true });
  fs.writeFileSync(`${state}/config.json`, '{"journal":"always"}');
  const call = (tool: string, args: object) => {
    const input = JSON.stringify({ tool, args });
    const { stdout } = spawnSync(process.execPath, [JINN, '--visualize'], { cwd, env, input, encoding: 'utf8' });
    const [row] = readCalls(journal, { limit: 1, wants: () => true }).rows;
    return { answer: JSON.parse(stdout), drawn: drawCall(readDetail(journal, row?.at ?? '') ?? {}) };
  };
  return { call };
}

test.each([
  ['an edit far down', 'edit_file', { path: 'a.ts', old_text: 'line 150\n', new_text: 'changed\nand more\n' }],
  ['edits at both ends', 'apply_patch', { patch: PATCH }],
  ['a replacement in several files', 'search_replace', { pattern: 'line 1\\d\\d|one', replacement: 'x', files: '**' }],
  ['a file that is made', 'write_file', { path: 'new.py', content: 'a = 1\n' }],
  ['a file that is written over', 'write_file', { path: 'b.ts', content: 'one\r\nthree' }],
  ['a dry run', 'edit_file', { path: 'a.ts', old_text: 'line 150\n', new_text: '', dry_run: true }],
  ['a file in UTF-16', 'write_file', { path: 'd.txt', content: 'new\n' }],
  ['no change', 'write_file', { path: 'c.txt', content: 'gone\n' }],
  ['a command', 'run_shell', { command: 'echo hi' }],
])('%s is drawn from the journal as where it was made', (_, tool, args) => {
  const { answer, drawn } = makeJournal().call(tool, args);
  expect([answer.ok, drawn]).toEqual([true, answer.visualization]);
});

test('a preview of what cannot be taken back says so in the journal, too', () => {
  const { call } = makeJournal();
  const { answer: first } = call('write_file', { path: 'b.ts', content: 'first\n' });
  call('write_file', { path: 'b.ts', content: 'second\n' });
  const { answer, drawn } = call('undo', { action: 'preview', id: first.meta.undo_id });
  expect(drawn).toEqual(answer.visualization);
  expect(drawn?.title).toContain('refused');
});

test('a change that lies in what was left out as a secret is named, alone and among others', () => {
  const hidden = { path: 'a', line: 1, before: 'token [a GitHub token]\n', after: 'token [a GitHub token]\n' };
  const shown = { path: 'b', line: 1, before: 'one\n', after: 'two\n' };
  const named = 'not shown: a (the change is in an omitted secret)';
  expect(drawCall({ changes: [hidden] })).toEqual({ type: 'none', message: named });
  expect(drawCall({ changes: [hidden, shown] })).toMatchObject({ type: 'diff', path: 'b', title: named });
  expect(drawCall({ changes: [{ path: 'c', line: 1, after: '' }] })).toMatchObject({ type: 'code', path: 'c' });
});

test('what was kept beside the changes is shown with them', () => {
  const changes = [{ path: 'a', line: 1, before: 'one\n', after: 'two\n' }];
  const facts = { title: 'restore is refused', matchInfo: { strategy: 'fuzzy', lineNumber: 1 } };
  expect(drawCall({ changes, dryRun: true, facts })).toMatchObject({ type: 'diff', ...facts });
});
