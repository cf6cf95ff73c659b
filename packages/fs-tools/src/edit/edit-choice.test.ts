import fs from 'node:fs';
import path from 'node:path';
import { call, makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { editFile } from '../edit-file.ts';
import { multiEdit } from '../multi-edit.ts';

/** Edits a file with each of both tools; both must do the same. */
async function edit(name: string, before: string, args: { old_text: string; new_text: string }) {
  const answers = [];
  for (const tool of [editFile, multiEdit]) {
    const root = makeTempDirectory();
    makeTree(root, { [name]: before });
    const one = { path: name, ...args };
    const answer = await call(tool, tool === editFile ? one : { edits: [one] }, { root });
    answers.push({ ...answer, after: fs.readFileSync(path.join(root, name), 'utf8') });
  }
  const [first, second] = answers as [(typeof answers)[0], (typeof answers)[0]];
  expect([second.ok, second.after, second.error_code]).toEqual([first.ok, first.after, first.error_code]);
  expect(second.error ?? '').toContain(first.error ?? '');
  return first;
}

const SOURCE = `function one() {
  call();
}
class Two {
  three() {
    call();
  }
}
call();
`;

test('lists several matches with their lines and the symbols around them', async () => {
  const { error, suggestion, after } = await edit('a.ts', SOURCE, { old_text: 'call();', new_text: 'x();' });
  expect(error).toBe('old_text matches 3 locations in a.ts (lines: 2 in one, 6 in Two/three, 9) — must be unique');
  expect(suggestion).toContain('near_line');
  expect(after).toBe(SOURCE);
});

test.for([
  ['the nearest above', 'call();', { near_line: 8 }, 9],
  ['the nearest below', 'call();', { near_line: 5 }, 6],
  ['the first', 'call();', { near_line: 1 }, 2],
  ['a fuzzy one', 'call();  ', { near_line: 9 }, 9],
  ['one with other indentation', '        call();', { near_line: 6, fuzzy_indent: true }, 6],
] as const)('takes %s of several matches', async ([, old_text, args, line]) => {
  const { after } = await edit('a.ts', SOURCE, { old_text, new_text: old_text.replace('call', 'x'), ...args });
  const changed = after.split('\n').flatMap((text, i) => (text.includes('x()') ? [i + 1] : []));
  expect(changed).toEqual([line]);
});

test('refuses to choose between matches that are as near', async () => {
  const args = { old_text: 'call();', new_text: 'x();', near_line: 4 };
  expect(await edit('a.ts', SOURCE, args)).toMatchObject({ error_code: 'edit_not_unique', after: SOURCE });
  const both = { path: 'a.ts', ...args, replace_all: true };
  expect(await call(editFile, both, { files: { 'a.ts': SOURCE } })).toMatchObject({ error_code: 'invalid_args' });
});

test.for([
  ['in both texts', ' 2\t  call();\n 3\t}', ' 2\t  x();\n 3\t}', '  x();\n}'],
  ['in old_text', '2\t  call();\n3\t}\n', '  x();\n}\n', '  x();\n}'],
  ['of one line', '2\t  call();\n3\t}', '', ''],
] as const)('understands line numbers %s', async ([, old_text, new_text, written]) => {
  const { after, result } = await edit('a.ts', SOURCE, { old_text, new_text });
  expect(after).toBe(SOURCE.replace('  call();\n}', () => written));
  expect(result).toContain('fuzzy match: without the line numbers of read_file');
});

test.for([
  ['that are not one below the other', '2\t  call();\n9\t}', 'x', 'edit_not_found'],
  ['on some lines only', '2\t  call();\n}', 'x', 'edit_not_found'],
  ['on some lines of new_text only', '2\t  call();\n3\t}', '2\tx\ny', 'invalid_args'],
] as const)('takes no numbers %s', async ([, old_text, new_text, error_code]) => {
  expect(await edit('a.ts', SOURCE, { old_text, new_text })).toMatchObject({ error_code, after: SOURCE });
});

test('keeps numbers that the file has', async () => {
  const { after } = await edit('t.tsv', '1\ta\n2\tb\n', { old_text: '1\ta\n2\tb', new_text: '1\tx\n2\tb' });
  expect(after).toBe('1\tx\n2\tb\n');
});

test.for([
  ['the shown lines', 'cal();', 'if these are the lines that you mean, send those marked + as old_text'],
  ['other lines', `${'cal();\n'.repeat(7)}`, 'read the file from line 2, then retry with the exact text'],
  [
    'fuzzy_indent',
    'three() {\n  call();\n}',
    'only the indentation differs: pass fuzzy_indent: true, or if these are the lines that you mean, send those marked + as old_text',
  ],
] as const)('suggests %s for a text that is not there', async ([, old_text, next]) => {
  const { suggestion, error } = await edit('a.ts', SOURCE, { old_text, new_text: 'x' });
  expect(suggestion).toBe(next);
  if (old_text.startsWith('three')) expect(error).toContain('+   three() {\n+     call();\n+   }');
});
