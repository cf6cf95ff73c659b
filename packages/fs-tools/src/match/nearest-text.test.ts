import { call } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { applyPatch } from '../apply-patch.ts';
import { editFile } from '../edit-file.ts';

test.for([
  [
    'the normal form',
    'x\ncafe\u0301 au lait\n',
    'café au lait',
    'another Unicode normal form: the file has U+0301 (combining mark), the text as sent has U+00E9 (é)',
    2,
  ],
  [
    'the normal form that was sent',
    'é = 1\r\né = 2\r\n',
    'e\u0301 = 2',
    'the file has U+00E9 (é), the text as sent has U+0301',
    2,
  ],
  [
    'a character without width',
    'a\nfoo\u200bbar\n',
    'foobar',
    'the file has U+200B (invisible), the text as sent has plain',
    2,
  ],
  [
    'one that was sent',
    'foobar()\n',
    'foo\u2060bar()',
    'the file has plain characters there, the text as sent has U+2060 (invisible)',
    1,
  ],
  [
    'a Cyrillic letter',
    'x\n\nvar pаss = 1\n',
    'var pass = 1',
    'the file has U+0430 (Cyrillic а), the text as sent has plain',
    3,
  ],
  ['a Greek letter that was sent', 'Open\n', 'Οpen', 'the text as sent has U+039F (Greek Ο)', 1],
  ['wide letters', 'ａ = 1\n', 'a = 1', 'the file has U+FF41 (ａ)', 1],
] as const)('a failed edit names %s', async ([, before, old_text, message, line]) => {
  const { error, error_code } = await call(editFile, { path: 'f', old_text, new_text: 'x' }, { files: { f: before } });
  expect({ error_code, error }).toEqual({ error_code: 'edit_not_found', error: expect.stringContaining(message) });
  expect(error).toContain(`Nearest match at line ${line}:`);
});

test('a failed patch names it too', async () => {
  const patch = '*** Begin Patch\n*** Update File: f\n@@\n-café\n+x\n*** End Patch';
  const { error } = await call(applyPatch, { patch }, { files: { f: 'cafe\u0301\n' } });
  expect(error).toContain('They look the same, but it has another Unicode normal form: the file has U+0301');
});

test('a difference that can be seen is not named', async () => {
  for (const [before, old_text] of [
    ['é\n', 'è'],
    ['ж\n', 'x'],
    ['a\u200b\n', 'b'],
  ] as const) {
    const { error } = await call(editFile, { path: 'f', old_text, new_text: 'y' }, { files: { f: before } });
    expect(error).not.toContain('looks the same');
  }
});

test('a no-break space is matched as a space', async () => {
  const answer = await call(editFile, { path: 'f', old_text: 'a b', new_text: 'c' }, { files: { f: 'a\u00a0b\n' } });
  expect(answer.ok).toBe(true);
});

test.for([
  ['a last line that has no line break', 'a\nb', 'b\n'],
  ['one that is indented', 'a\n    b', '    b\n'],
  ['several lines with CRLF', 'a\r\nb', 'a\nb\n'],
] as const)('says that a file lacks its last line break: %s', async ([, before, old_text]) => {
  const answer = await call(editFile, { path: 'f', old_text, new_text: 'x\n' }, { files: { f: before } });
  expect(answer).toMatchObject({
    error_code: 'edit_not_found',
    error: expect.stringContaining('The file does not end in a line break, but old_text does'),
    suggestion: 'send both texts without the line break at their end',
  });
});

test.for(['NOPE_', 'Zq', 'q', 'while (true) {', '§'])('names no line if none is like %j', async (old_text) => {
  const files = { 'f.md': '# Guide\n\n### Pub/Sub\nA short text.\n' };
  const answer = await call(editFile, { path: 'f.md', old_text, new_text: 'y' }, { files });
  expect(answer).toMatchObject({
    error: 'old_text not found in f.md (4 lines): no line is like it',
    suggestion: 'read the file, then retry with the exact text',
  });
});

test.for(['### pub/sub', 'A short test.', 'Pub / Sub', 'guide'])('names the line that is like %j', async (old_text) => {
  const files = { 'f.md': '# Guide\n\n### Pub/Sub\nA short text.\n' };
  const { error } = await call(editFile, { path: 'f.md', old_text, new_text: 'y' }, { files });
  expect(error).toContain('Nearest match at line');
});
