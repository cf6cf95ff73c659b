import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const suites = fs
  .readdirSync('test/attack')
  .filter(
    (file) =>
      file.endsWith('.mjs') && fs.readFileSync(path.join('test/attack', file), 'utf8').includes('export const suite '),
  )
  .map((file) => path.basename(file, '.mjs'));

test.each(suites)('nothing fails in a short run of the attack suite %s', { timeout: 120_000 }, async (suite) => {
  const { stdout } = await promisify(execFile)(process.execPath, ['test/attack/run.mjs', suite, '--quick']);
  expect(stdout).toContain(`| ${suite} |`);
});
