import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openExample } from '../fixture/open-example.ts';

const EXAMPLES = path.resolve(import.meta.dirname, '../../../../examples/tools');
const names = fs
  .readdirSync(EXAMPLES, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const readme = fs.readFileSync(path.join(EXAMPLES, 'README.md'), 'utf8');

test.each(names)('%s is a tool without faults, and stands in the README and has a test', async (name) => {
  const { problems } = await openExample(name);
  expect(await problems()).toEqual([]);
  expect(readme).toContain(`| [${name}](${name}/tool.md) |`);
  expect(
    fs.readdirSync(import.meta.dirname).some((file) => file.startsWith(`${name}.`) && file.endsWith('.test.ts')),
  ).toBe(true);
});

test('they are ten tools in five runtimes', () => {
  const runtimes = names.map((name) => {
    const text = fs.readFileSync(path.join(EXAMPLES, name, 'tool.md'), 'utf8');
    return /^runtime: (\w+)$/m.exec(text)?.[1];
  });
  expect(names).toHaveLength(10);
  expect(new Set(runtimes)).toEqual(new Set(['node', 'python', 'bash', 'go', 'binary']));
});
