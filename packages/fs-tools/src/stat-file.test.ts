import { call } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { statFile } from './stat-file.ts';

const stat = async (files: Parameters<typeof call>[2], path = 'f') => {
  const { result } = await call(statFile, { path }, files);
  return JSON.parse(result ?? '{}') as object;
};

test.for([
  ['lf', 'a\nb\n', { lines: 2, encoding: 'utf-8', line_ending: 'lf', bom: 'none' }],
  ['crlf', 'a\r\nb', { lines: 2, line_ending: 'crlf' }],
  ['mixed', 'a\r\nb\n', { lines: 2, line_ending: 'mixed' }],
  ['cr', 'a\rb', { lines: 1, line_ending: 'cr' }],
  ['no line ending', 'a', { lines: 1, line_ending: 'none' }],
  ['an empty file', '', { lines: 0, size: 0 }],
  ['a UTF-8 mark', '\ufeffa\n', { encoding: 'utf-8', bom: 'utf-8-bom' }],
  ['UTF-16', Buffer.from('\ufeffa\r\n', 'utf16le'), { encoding: 'utf-16le', bom: 'utf-16-le', line_ending: 'crlf' }],
  ['latin-1', Buffer.from('é\n', 'latin1'), { encoding: 'unknown-8bit' }],
  ['a NUL far behind', `${'a'.repeat(600)}\0b`, { encoding: 'binary', lines: 1 }],
] as const)('tells %s', async ([, content, expected]) => {
  expect(await stat({ files: { f: content } })).toMatchObject(expected);
});

test.for([
  ['image/png', '\x89PNG\r\n\x1a\n\r\n\n'],
  ['gzip archive', '\x1f\x8b\x08\0\n'],
  ['PDF', '%PDF-1.4\n'],
  ['binary', 'a\0b\n'],
] as const)('says of what is no text what it is, and counts no lines: %s', async ([kind, bytes]) => {
  const content = Buffer.from(bytes, 'latin1');
  const { modified: _, ...facts } = (await stat({ files: { f: content } })) as { modified: string };
  expect(facts).toEqual({ path: 'f', type: 'file', size: content.length, kind, encoding: 'binary' });
});

test('counts the lines of an SVG', async () => {
  expect(await stat({ files: { 'd.svg': '<svg>\n</svg>\n' } }, 'd.svg')).toMatchObject({ lines: 2, encoding: 'utf-8' });
});

test('gives the path behind a link, and the time in UTC', async () => {
  const files = { 'd/f': { content: 'x', mtime: new Date(1_700_000_000_000) }, l: { symlink: 'd/f' } };
  const expected = { path: 'd/f', type: 'file', size: 1, modified: '2023-11-14T22:13:20.000Z' };
  expect(await stat({ files }, 'l')).toMatchObject(expected);
});

test('does not open a FIFO, and counts no lines of it or of a directory', async () => {
  const files = { fifo: { fifo: true }, 'd/': '' } as const;
  expect(await stat({ files }, 'fifo')).toEqual(expect.not.objectContaining({ lines: 0 }));
  expect(await stat({ files }, 'fifo')).toMatchObject({ type: 'special' });
  expect(await stat({ files }, 'd')).toMatchObject({ type: 'directory' });
});
