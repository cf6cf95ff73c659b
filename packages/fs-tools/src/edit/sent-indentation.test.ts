import fs from 'node:fs';
import path from 'node:path';
import { call, makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { editFile } from '../edit-file.ts';
import { multiEdit } from '../multi-edit.ts';

async function edit(before: string, old_text: string, new_text: string, options: object = {}) {
  const root = makeTempDirectory();
  makeTree(root, { one: before, many: before });
  const texts = { old_text, new_text, fuzzy_indent: true };
  const { error } = await call(editFile, { path: 'one', ...texts, ...options }, { root });
  const isPlain = Object.keys(options).length === 0;
  const batch = isPlain && (await call(multiEdit, { edits: [{ path: 'many', ...texts }] }, { root }));
  const [one, many] = ['one', 'many'].map((name) => fs.readFileSync(path.join(root, name), 'utf8'));
  expect([error, batch ? batch.error : undefined, batch ? many : one]).toEqual([undefined, undefined, one]);
  return one;
}

const SVC = 'svc:\n  web:\n    ports:\n      - 80\n    env: 1\n';

test.for([
  [
    'lines behind the first',
    'A:\n    x = 1\n    y = 2\n',
    'x = 1\n    y = 2',
    'x = 3\n    y = 4',
    'A:\n    x = 3\n    y = 4\n',
  ],
  ['a list in YAML', SVC, 'ports:\n      - 80', 'ports:\n      - 81\n      - 82', SVC.replace('80', '81\n      - 82')],
  ['new lines below a single one', '    x = 1\n', 'x = 1', 'x = 1\n    y = 2', '    x = 1\n    y = 2\n'],
  ['a deeper line below a single one', SVC, 'env: 1', 'env:\n      A: 1', SVC.replace('env: 1', 'env:\n      A: 1')],
  ['a list at the level of its key', '  a:\n  - 1\n', 'a:\n  - 1', 'a:\n  - 2', '  a:\n  - 2\n'],
  ['a closing line', '    f();\n', 'f();', 'f(\n        1,\n    );', '    f(\n        1,\n    );\n'],
  [
    'lines of less indentation',
    '    a:\n        b\n    c\nd\n',
    'b\n    c',
    'B\n    C',
    '    a:\n        B\n    C\nd\n',
  ],
  ['whole lines that go deeper', '    a\n', '    a', '        a', '        a\n'],
  ['whole lines that end further out', '    }\n}\n', '    }\n}', '    }\n    x\n}', '    }\n    x\n}\n'],
  [
    'a method behind another',
    '    def a():\n        1\n',
    'def a():\n        1',
    'def a():\n        2\n\n    def b():\n        3',
    '    def a():\n        2\n\n    def b():\n        3\n',
  ],
  ['a match within a line', '    x = f(1)\n', 'f(1)', 'f(\n        1\n    )', '    x = f(\n        1\n    )\n'],
  ['a match that begins with a blank', '    x = 1\n    y\n', ' = 1\n    y', ' = 2\n    z', '    x = 2\n    z\n'],
  ['tabs', '\tif a {\n\t\tb\n\t}\n', 'if a {\n\t\tb', 'if a {\n\t\tc\n\t\td', '\tif a {\n\t\tc\n\t\td\n\t}\n'],
  ['CRLF', '  a\r\n  b\r\n', 'a\n  b', 'c\n  d', '  c\r\n  d\r\n'],
] as const)('an exact match with fuzzy_indent is replaced as it was sent: %s', async ([, before, old, now, after]) => {
  expect(await edit(before, old, now)).toBe(after);
});

test('so is each of several matches that are indented otherwise', async () => {
  const before = '    a()\n    b()\nx\n    a()\n    b()\n';
  const after = await edit(before, 'a()\n    b()', 'c()\n    d()', { replace_all: true });
  expect(after).toBe('    c()\n    d()\nx\n    c()\n    d()\n');
  expect(await edit('  a\n    a\n', 'a', 'if x:\n  a', { replace_all: true })).toBe(
    '  if x:\n    a\n    if x:\n      a\n',
  );
});
