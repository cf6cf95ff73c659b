import fs from 'node:fs';
import path from 'node:path';
import { call, makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { editFile } from '../edit-file.ts';

const NOTEBOOK = `{
 "cells": [
  {"cell_type": "markdown", "id": "intro", "metadata": {}, "source": "# Title\\nText \\u00e9"},
  {
   "cell_type": "code",
   "execution_count": 1e0,
   "id": "load-1",
   "outputs": [],
   "source": [
    "import os\\n",
    "caf\\u00e9 = \\"x\\"\\n",
    "print(os)"
   ]
  },
  {
   "cell_type": "code",
   "id": "empty",
   "source": []
  }
 ],
 "metadata": {"a":  [1,2]}
}
`;

async function edit(args: { cell?: number | string; old_text: string; new_text: string }, before = NOTEBOOK) {
  const root = makeTempDirectory();
  makeTree(root, { 'n.ipynb': before });
  const answer = await call(editFile, { path: 'n.ipynb', ...args }, { root });
  return { ...answer, after: fs.readFileSync(path.join(root, 'n.ipynb'), 'utf8') };
}

test.for<[string, { cell: number | string; old_text: string; new_text: string }, string, string]>([
  [
    'lines of a list',
    { cell: 2, old_text: 'import os\n', new_text: 'import os\nimport "é"\n' },
    '"import os\\n",\n',
    '"import os\\n",\n    "import \\"é\\"\\n",\n',
  ],
  ['by id', { cell: 'load-1', old_text: 'print(os)', new_text: 'print(1)\n' }, '"print(os)"', '"print(1)\\n"'],
  ['by its number as text', { cell: '2', old_text: 'print(os)', new_text: 'x' }, '"print(os)"', '"x"'],
  [
    'several lines at once',
    { cell: 2, old_text: 'import os\ncafé = "x"\nprint(os)', new_text: '' },
    NOTEBOOK.slice(
      NOTEBOOK.indexOf('[\n    "import'),
      NOTEBOOK.indexOf(']\n  },\n  {\n   "cell_type": "code",\n   "id"') + 1,
    ),
    '[]',
  ],
  ['a string', { cell: 1, old_text: 'Title\nText', new_text: 'T' }, '"# Title\\nText \\u00e9"', '"# T é"'],
])('edits %s of a cell, and no other byte', async ([, args, from, to]) => {
  const { after, result } = await edit(args);
  expect(after).toBe(NOTEBOOK.replace(from, () => to));
  expect(result).toMatch(/^n\.ipynb cell \d:/);
});

test.for<[string, { cell: number | string; old_text?: string }, string, string]>([
  ['a number that is none', { cell: 4 }, 'invalid_args', 'n.ipynb has 3 cells, and no cell 4'],
  ['an id that is none', { cell: 'x' }, 'invalid_args', 'n.ipynb has 3 cells, and no cell x'],
  [
    'a text of another cell',
    { cell: 1, old_text: 'print(os)' },
    'edit_not_found',
    'not found in n.ipynb cell 1 (2 lines)',
  ],
])('refuses %s, and changes nothing', async ([, args, error_code, message]) => {
  const answer = await edit({ old_text: 'x', new_text: 'y', ...args });
  expect(answer).toMatchObject({ error_code, after: NOTEBOOK, error: expect.stringContaining(message) });
});

test('refuses a cell of what is not a notebook', async () => {
  for (const text of ['{', '[]', '{"cells": 1}', '{"worksheets": []}']) {
    const answer = await edit({ cell: 1, old_text: 'x', new_text: 'y' }, text);
    expect(answer).toMatchObject({ error_code: 'invalid_args', after: text });
  }
});

test('fills an empty cell, in the form that its source has', async () => {
  const { after, result } = await edit({ cell: 'empty', old_text: '', new_text: 'a "b"\nc' });
  const written = '"source": [\n    "a \\"b\\"\\n",\n    "c"\n   ]';
  expect({ after, result }).toEqual({
    after: NOTEBOOK.replace('"source": []', written),
    result: 'n.ipynb cell 3:1 (1 line, now 2)',
  });
  const text = '{"cells":[{"cell_type":"raw","source":""},{"cell_type":"raw","source":[]}]}';
  expect((await edit({ cell: 1, old_text: '', new_text: 'é\n' }, text)).after).toBe(text.replace('""', '"é\\n"'));
  expect((await edit({ cell: 2, old_text: '', new_text: 'a\nb' }, text)).after).toBe(
    text.replace('[]', '["a\\n", "b"]'),
  );
  expect(await edit({ cell: 1, old_text: '', new_text: 'x' })).toMatchObject({ error_code: 'old_text_empty' });
  expect(await edit({ cell: 3, old_text: '', new_text: '' })).toMatchObject({ error_code: 'edit_no_change' });
  expect(await edit({ old_text: '', new_text: 'x' })).toMatchObject({ error_code: 'old_text_empty', after: NOTEBOOK });
});
