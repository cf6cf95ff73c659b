import fs from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';

const PAGE = path.join(import.meta.dirname, '../../../CONTRIBUTING.md');
/** Beside the sources, so that packages resolve as they do there. */
const directory = fs.mkdtempSync(path.join(import.meta.dirname, 'example-'));
afterAll(() => fs.rmSync(directory, { recursive: true }));

/** Runs an example of CONTRIBUTING.md, just as it stands there. */
function runExample(name: string): Promise<Record<string, unknown>> {
  const code = new RegExp(`^\`\`\`ts ${name}\n(.*?)^\`\`\`$`, 'ms').exec(fs.readFileSync(PAGE, 'utf8'))?.[1];
  const file = path.join(directory, `${name}.ts`);
  fs.writeFileSync(file, code ?? expect.fail(`CONTRIBUTING.md has no example ${name}`));
  return import(file);
}

test('the example of a tool works', async () => {
  fs.writeFileSync(path.join(directory, 'three-lines.txt'), '1\n2\n3\n');
  expect((await runExample('add-a-tool'))['counted']).toMatchObject({ ok: true, text: '3' });
});

test('the example of a name clash is refused', async () => {
  const { refused } = await runExample('a-name-clash');
  expect(await refused).toBe('the toolsets one and two both have a tool named read_file');
});

test('the example of a live toolset works', async () => {
  expect((await runExample('a-live-toolset'))['answers']).toMatchObject([false, { ok: true, text: 'hello you' }]);
});
