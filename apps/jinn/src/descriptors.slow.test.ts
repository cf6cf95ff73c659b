import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';

const JINN = path.resolve(import.meta.dirname, '../dist/jinn.cjs');
const REQUESTS = [
  { tool: 'find_files', args: { pattern: '*.txt' } },
  { tool: 'search_files', args: { pattern: 'needle' } },
  { tool: 'list_dir', args: { depth: 3 } },
  { tool: 'checksum_tree', args: {} },
];
/** From fewer descriptors than Node needs to start, to as many as every call needs. */
const LIMITS = Array.from({ length: 20 }, (_, i) => 16 + i);

interface Answer {
  readonly ok: boolean;
  readonly result?: string;
  readonly error_code?: string;
}

function answersWith(limit: number, cwd: string): Answer[] {
  const { stdout } = spawnSync('bash', ['-c', `ulimit -n ${limit}; exec "$@"`, 'bash', process.execPath, JINN], {
    cwd,
    input: REQUESTS.map((request) => `${JSON.stringify(request)}\n`).join(''),
    env: { PATH: process.env['PATH'], HOME: makeTempDirectory() },
    encoding: 'utf8',
  });
  return stdout
    .trimEnd()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Answer);
}

test('answers whole, or says that too many files are open', { timeout: 60_000 }, () => {
  const cwd = makeTempDirectory();
  const names = Array.from({ length: 12 }, (_, i) => `d${i}/e/f.txt`);
  makeTree(cwd, { '.gitignore': 'd1/\n', ...Object.fromEntries(names.map((name) => [name, 'needle\n'])) });
  const whole = answersWith(1_024, cwd).map(({ ok, result }) => ({ ok, result }));
  expect(whole.map(({ ok }) => ok)).toEqual(REQUESTS.map(() => true));
  const answers = LIMITS.flatMap((limit) => answersWith(limit, cwd).map((answer, i) => ({ limit, i, ...answer })));
  const refused = answers.filter(({ ok }) => !ok);
  expect(new Set(refused.map(({ error_code: code }) => code))).toEqual(new Set(['resource_limit']));
  for (const { limit, i, ok, result } of answers) {
    if (ok) expect({ limit, i, result }).toEqual({ limit, i, result: whole[i]?.result });
  }
});
