import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, test } from 'vitest';

const SCRIPT = path.join(import.meta.dirname, 'keep-stream.pl');

/** Runs a pipeline with the script as `keep`, which takes so many bytes. Returns its output and the files that are left. */
function run(pipeline: string, bytes: number) {
  const directory = makeTempDirectory();
  const command = pipeline.replace('keep', `perl '${SCRIPT}' ${directory}/kept ${bytes}`);
  const { stdout, status } = spawnSync('bash', ['-c', command], { timeout: 20_000, maxBuffer: 1e8 });
  const files = fs.readdirSync(directory).map((name) => [name, fs.readFileSync(`${directory}/${name}`, 'latin1')]);
  return { status, out: stdout.toString('latin1'), files: Object.fromEntries(files) };
}

test.each([
  ['nothing', '', 10, { 'kept.all': '' }],
  ['less than there is room for', 'abc\\xff', 10, { 'kept.all': 'abc\xff' }],
  ['as much as there is room for', 'abcd', 4, { 'kept.all': 'abcd' }],
  ['more than there is room for', 'abcde', 4, { kept: 'abcd' }],
])('passes everything on, and keeps %s', (_, text, room, files) => {
  const { out, files: kept } = run(`printf '${text}' | keep`, room);
  expect(out).toBe(text.replace('\\xff', '\xff'));
  expect(kept).toEqual(files);
});

test('keeps the beginning of what comes piece by piece', () => {
  expect(run('{ echo one; sleep 0.1; echo two; } | keep', 4)).toMatchObject({
    out: 'one\ntwo\n',
    files: { kept: 'one\n' },
  });
  const { out, files } = run('head -c 3000000 /dev/zero | keep', 2_000_000);
  expect([out.length, files['kept']?.length]).toEqual([3_000_000, 2_000_000]);
});

test('ends with its reader', () => {
  expect(run('yes | keep | head -1', 100)).toMatchObject({ out: 'y\n', files: { kept: expect.any(String) } });
});

test('can stand on one line between single quotes', () => {
  const code = fs.readFileSync(SCRIPT, 'utf8').replace(/^#.*\n/gm, '');
  expect(code).not.toMatch(/['#]/);
});
