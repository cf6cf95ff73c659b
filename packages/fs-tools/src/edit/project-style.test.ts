import fs from 'node:fs';
import { call, type FileTree, makeTempDirectory, makeTree } from '@jinn/testkit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { writeFile } from '../write-file.ts';

const CRLF = '[*]\nend_of_line = crlf\ninsert_final_newline = true\n';

async function write(tree: FileTree, args: { path: string; content: string; style?: 'project' }) {
  const root = makeTempDirectory();
  makeTree(root, tree);
  const answer = await call(writeFile, args, { root });
  return { ...answer, text: fs.readFileSync(`${root}/${args.path}`, 'utf8') };
}

test.for([
  ['.editorconfig', { '.editorconfig': CRLF }, 'a\nb', 'a\r\nb\r\n', 'CRLF line ends and a newline at the end'],
  ['a line end that is missing', { '.editorconfig': CRLF }, 'a\r\nb', 'a\r\nb\r\n', 'a newline at the end'],
  ['.gitattributes', { '.gitattributes': '*.txt eol=crlf\n' }, 'a\nb', 'a\r\nb', 'CRLF line ends'],
  [
    'the nearer .gitattributes',
    { '.gitattributes': '* eol=crlf\n', 'd/.gitattributes': '* eol=lf\n' },
    'a\r\n',
    'a\n',
    'LF line ends',
  ],
  [
    '.editorconfig before .gitattributes',
    { '.editorconfig': '[*]\nend_of_line = lf\n', '.gitattributes': '* eol=crlf\n' },
    'a\r\n',
    'a\n',
    'LF line ends',
  ],
  ['no newline', { '.editorconfig': '[*]\ninsert_final_newline = false\n' }, 'a\n', 'a', 'no newline at the end'],
] as const)('a new file follows %s only if it is asked to', async ([, tree, content, styled, wanted]) => {
  const path = 'd/new.txt';
  const plain = await write(tree, { path, content });
  expect(plain.text).toBe(content);
  expect(plain.meta).toMatchObject({ warnings: [`the project wants ${wanted} (style: "project" writes that)`] });
  const asked = await write(tree, { path, content, style: 'project' });
  expect(asked.text).toBe(styled);
  expect(asked.meta).not.toHaveProperty('warnings');
  expect(asked.result).toBe(`wrote ${Buffer.byteLength(styled)} bytes to ${path}`.replace('1 bytes', '1 byte'));
});

test.each([
  ['an existing file', { '.editorconfig': CRLF, f: 'a\n' }, 'b\n'],
  ['an empty file', { '.editorconfig': CRLF }, ''],
  ['a file that fits', { '.editorconfig': CRLF }, 'a\r\n'],
  ['a file of a project that says nothing', { '.editorconfig': '[*.py]\nend_of_line = crlf\n' }, 'a\n'],
  ['settings that no one knows', { '.editorconfig': '[*]\nend_of_line = odd\ninsert_final_newline = 7\n' }, 'a\n'],
])('%s is written as it is, without a remark', async (_, tree, content) => {
  for (const style of [undefined, 'project'] as const) {
    const { text, meta } = await write(tree, { path: 'f', content, ...(style && { style }) });
    expect(text).toBe(content);
    expect(meta).not.toHaveProperty('warnings');
  }
});

test('any text keeps its lines, and is written once in the style of the project', async () => {
  const text = fc
    .array(fc.constantFrom('a', 'é', ' ', '\n', '\r\n', '\r'), { maxLength: 12 })
    .map((parts) => parts.join(''));
  const linesOf = (some: string) => some.replace(/(?:\r\n|\n|\r)+$/, '').split(/\r\n|\n|\r/);
  await fc.assert(
    fc.asyncProperty(
      text,
      fc.constantFrom('lf', 'crlf', 'cr'),
      fc.constantFrom('true', 'false'),
      async (content, end, last) => {
        const tree = { '.editorconfig': `[*]\nend_of_line = ${end}\ninsert_final_newline = ${last}\n` };
        const once = await write(tree, { path: 'f', content, style: 'project' });
        expect(linesOf(once.text)).toEqual(linesOf(content));
        const again = await write(tree, { path: 'f', content: once.text });
        expect(again.meta).not.toHaveProperty('warnings');
      },
    ),
    { numRuns: 40 },
  );
});
