import { expect, test } from 'vitest';
import { DECLARES_RUN, openProject, RUN } from './fixture/project.ts';
import { renameSymbol } from './rename-symbol.ts';

test('refuses where a file that has the name cannot be parsed', async () => {
  const { ask, read } = openProject({ 'a.ts': DECLARES_RUN, 'b.ts': `run();${'a<'.repeat(400_000)}` });
  expect(await ask(renameSymbol, RUN)).toMatchObject({
    ok: false,
    error_code: 'lsp_unavailable',
    error: expect.stringContaining('left out, for they cannot be parsed: b.ts'),
  });
  expect(read('a.ts')).toBe(DECLARES_RUN);
}, 60_000);

test('refuses a file that has more uses than are found, and changes nothing', async () => {
  const text = `function run() {}\n${'run();\n'.repeat(10_001)}`;
  const { ask, read } = openProject({ 'a.ts': text });
  expect(await ask(renameSymbol, RUN)).toMatchObject({ ok: false, error_code: 'resource_limit' });
  expect(read('a.ts')).toBe(text);
}, 60_000);
