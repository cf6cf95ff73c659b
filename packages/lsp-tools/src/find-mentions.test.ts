import { expect, test } from 'vitest';
import { openLanguageSession } from './fixture/language-session.ts';

const CONFIG = '{ "compilerOptions": { "strict": true, "module": "nodenext" }, "include": ["."] }\n';

test('references and renames reach the files of other projects that nobody has opened', async () => {
  const { ask, read } = openLanguageSession({
    'package.json': '{ "type": "module" }\n',
    'lib/tsconfig.json': CONFIG,
    'lib/add.ts': 'export const add = 1;\n',
    'tests/tsconfig.json': CONFIG,
    'tests/one.ts': "import { add } from '../lib/add.js';\nconsole.log(add);\n",
    'tests/two.ts': "import { add } from '../lib/add.js';\nconsole.log(add);\n",
  });
  expect(await ask({ action: 'references', path: 'lib/add.ts', symbol: 'add' })).toMatchObject({
    total_count: 5,
    meta: { per_file: { 'lib/add.ts': 1, 'tests/one.ts': 2, 'tests/two.ts': 2 } },
  });
  const rename = { action: 'rename', path: 'lib/add.ts', symbol: 'add', new_name: 'plus', apply: true };
  expect(await ask(rename)).toMatchObject({ ok: true });
  expect(read('tests/one.ts') + read('tests/two.ts')).not.toMatch(/\badd\b(?!\.js)/);
});
