import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { parseEntry } from './parse-entry.ts';

const parse = (text: string, path = 'dir/file.md') => parseEntry(text, path);

test('takes name, title and description from the front matter first', () => {
  const text = '---\nname: n\ntitle: t\ndescription: d\ntags: a, b\naliases: [c]\nsource: s\n---\n# Heading\n\nText\n';
  expect(parse(text)).toEqual({
    name: 'n',
    title: 't',
    description: 'd',
    tags: ['a', 'b', 'c'],
    headings: ['Heading'],
    origin: 's',
    body: '# Heading\n\nText\n',
  });
});

test('otherwise takes them from the path, the first heading of level 1, and the first paragraph', () => {
  const text = '## Before\n\n# The title #\none\ntwo\nthree\nfour\n\nother\n';
  expect(parse(text)).toMatchObject({ name: 'file', title: 'The title #', description: 'one two three four' });
  expect(parse('## Only\ntext')).toMatchObject({ title: 'Only', description: 'text' });
  expect(parse('just a line\n\nmore')).toMatchObject({ title: 'just a line', description: 'just a line' });
  expect(parse('')).toMatchObject({ name: 'file', title: 'file', description: undefined });
});

test.for([
  ['Title\n=====\nText\n\nPart\n----\nmore', 'Title', ['Title', 'Part'], 'Text'],
  ['Part\n--\nText\n\n# Title', 'Title', ['Part', 'Title'], 'Text'],
  ['---\n\nText\n\n***\n', 'Text', [], 'Text'],
  ['***\n---\nText', 'Text', [], 'Text'],
  ['Text\n***\nmore', 'Text', [], 'Text'],
  ['- item\n---\n> quote\n===\n| a |\n---\n1. one\n---', '- item', [], '- item'],
  ['```\ncode\n```\n===\nText', 'Text', [], 'Text'],
  ['Text\n```\ncode\n```\n---\nmore', 'Text', [], 'Text'],
  ['<!-- lint off -->\n\nText', 'Text', [], 'Text'],
] as const)('reads the outline of %j', ([text, title, headings, description]) => {
  expect(parse(text)).toMatchObject({ title, headings, description });
});

test('takes the first paragraph for the description, up to 240 characters', () => {
  expect(parse(`# T\n${'word\n'.repeat(40)}\nother`).description).toBe('word '.repeat(40).trim());
  expect(parse(`# T\n${'word\n'.repeat(1_000)}\nother`).description).toBe('word '.repeat(48).trim());
});

test.for([
  ['skills/race/SKILL.md', 'race'],
  ['README.md', 'README'],
  ['a/index.md', 'a'],
  ['a/Note.MD', 'Note'],
])('names the entry %s %s', ([path, name]) => {
  expect(parse('x', path).name).toBe(name);
});

test('ignores a byte order mark, other line endings, and code', () => {
  const text = '\ufeff---\r\nname: n\r\n---\r\n```sh\r\n# no heading\r\n~~~\r\n```\r\n# Yes\rText';
  expect(parse(text)).toMatchObject({ name: 'n', title: 'Yes', headings: ['Yes'], description: 'Text' });
});

test('bounds every part, and splits no character', () => {
  const long = '🦊'.repeat(1_000);
  const text = `---\nname: ${long}\ndescription: ${long}\ntags: [${'t,'.repeat(200)}]\n---\n# ${long}\n${'## h\n'.repeat(200)}`;
  const entry = parse(text);
  expect([...entry.name]).toHaveLength(100);
  expect([...(entry.description ?? '')]).toHaveLength(240);
  expect([...entry.title]).toHaveLength(160);
  expect([entry.tags.length, entry.headings.length]).toEqual([50, 50]);
  expect(JSON.stringify(entry)).not.toContain('\ud83e"');
});

test.for(['=', '-\n', 'a\n', 'a\n=\n', '<!--', '#\n', '```\n', '- ', '\n'])(
  'a file of %j takes no long time',
  (part) => {
    parse(part.repeat(262_144 / part.length));
  },
);

test('takes any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 2_000 }), (text) => {
      expect(parse(text).title.length).toBeGreaterThan(0);
    }),
    { numRuns: 100 / inject('runsDivisor') },
  );
});
