import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { readCalls, readDetail } from '@jinn/journal/read';
import { expect, test } from 'vitest';
import { makeUiPlace } from '../fixture/open-ui.ts';
import { drawCall } from './draw-call.ts';

const JINN = path.resolve(import.meta.dirname, '../../../jinn/dist/jinn.cjs');
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
  const { cwd, env, journal, state } = makeUiPlace(FILES);
  fs.mkdirSync(state, { recursive: true });
  fs.writeFileSync(`${state}/config.json`, '{"journal":"always"}');
  const input = JSON.stringify({ tool, args });
  const { stdout } = spawnSync(process.execPath, [JINN, '--visualize'], { cwd, env, input, encoding: 'utf8' });
  const { ok, visualization } = JSON.parse(stdout);
  const [row] = readCalls(journal, { limit: 1, wants: () => true }).rows;
  const { matchInfo: __, ...made } = visualization;
  expect([ok, drawCall(readDetail(journal, row?.at ?? '') ?? {})]).toEqual([true, made]);
});
