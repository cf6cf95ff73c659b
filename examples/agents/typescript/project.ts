import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

/** A small project with a fault. */
const FILES = {
  'mean.mjs': 'export const mean = (numbers) => numbers.reduce((a, b) => a + b, 0) / (numbers.length + 1);\n',
  'mean.test.mjs': `import assert from 'node:assert';
import test from 'node:test';
import { mean } from './mean.mjs';

test('some', () => assert.equal(mean([1, 2, 3]), 2));
test('none', () => assert.equal(mean([]), 0));
`,
  'build/old.txt': 'left over\n',
};
const TASK = 'The tests of mean.mjs fail. Mend it, run the tests, and remove the directory build.';

/** Returns the directory and the task: those of the command line, or the small project in a temporary directory. */
export function openProject(): { root: string; task: string } {
  const [, , task] = process.argv;
  if (task) return { root: '.', task };
  const root = mkdtempSync(join(tmpdir(), 'jinn-agent-'));
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  console.log(`project: ${root}`);
  return { root, task: TASK };
}

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

/** Puts a question to the person at the terminal. Whoever says anything but yes denies. */
export async function askPerson(question: string): Promise<boolean> {
  console.log(`${question}\nyes or no?`);
  return (await lines.next()).value === 'yes';
}

export interface ScriptedCall {
  readonly name: string;
  readonly args: Record<string, unknown>;
}

const runTests = { name: 'run_shell', args: { command: 'node --test' } };
const edit = (old_text: string, new_text: string) => ({
  name: 'edit_file',
  args: { path: 'mean.mjs', old_text, new_text },
});

/** What a model might do, which is wrong at first: a call a turn. It speaks in the place of a model where there is no key. */
export const SCRIPT: readonly ScriptedCall[] = [
  { name: 'read_file', args: { path: 'mean.mjs' } },
  runTests,
  edit('(numbers.length + 1)', 'numbers.length'),
  runTests,
  { name: 'undo', args: { action: 'restore', last: 1 } },
  edit('(numbers.length + 1)', '(numbers.length || 1)'),
  runTests,
  { name: 'run_shell', args: { command: 'rm -rf build' } },
];
export const LAST_WORDS = 'The tests pass, and build is gone.';
