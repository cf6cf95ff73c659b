import fc from 'fast-check';
import { dump } from 'js-yaml';
import { expect, test } from 'vitest';
import { readLooseFrontMatter } from './front-matter.ts';

const read = (text: string) => {
  const { fields, body } = readLooseFrontMatter(text);
  return { ...Object.fromEntries(fields), body };
};

test.for([
  ['no front matter', 'name: a\n', { body: 'name: a\n' }],
  ['a fence that is not on the first line', '\n---\nname: a\n---\n', { body: '\n---\nname: a\n---\n' }],
  ['a fence that is never closed', '---\nname: a\n', { body: '---\nname: a\n' }],
  ['a fence that is more than a fence', '---x\nname: a\n---\n', { body: '---x\nname: a\n---\n' }],
  [
    'lines that end in a fence',
    '---\nname: a ---\ntitle: b---\n --- \n---  \nrest\n',
    { name: 'a ---', title: 'b--- ---', body: 'rest\n' },
  ],
  ['nothing between the fences', '---\n---\nrest', { body: 'rest' }],
  ['nothing behind them', '---\nname: a\n---', { name: 'a', body: '' }],
  ['a rule further down', '---\nname: a\n---\nx\n---\ny', { name: 'a', body: 'x\n---\ny' }],
] as const)('%s', ([, text, expected]) => {
  expect(read(text)).toEqual(expected);
});

test('takes a rule far above another one for no front matter', () => {
  const far = `---\na: b\n${'x\n'.repeat(400)}---\n`;
  expect(read(far)).toEqual({ body: far });
  expect(read(far.replace('x\n'.repeat(10), ''))).toEqual({ a: 'b', body: '' });
});

test.for([
  ['a: b', 'b'],
  ['a: Use when: it breaks, "now"', 'Use when: it breaks, "now"'],
  ['a: "x: \\"y\\" # z"', 'x: "y" # z'],
  ["a: 'it''s'", "it's"],
  ['a: b # comment', 'b'],
  ['a: b#c', 'b#c'],
  ['a:', ''],
  ['a: ~', ''],
  ['a: null # none', ''],
  ['a: "null"', 'null'],
  ['a: [x, ~, null]', ['x']],
  ['a: # comment', ''],
  ['A: b', 'b'],
  ['a: one\n  two\n\n  three', 'one two\nthree'],
  ['a: >-\n  one\n  two', 'one two'],
  ['a: |\n  one\n  two', 'one\ntwo'],
  ['a: [x, "y, z", \'w\', ]', ['x', 'y, z', 'w']],
  ['a: []', []],
  ['a: [x,\n  y]', ['x', 'y']],
  ['a:\n  - x\n  - "y"\n  # z\n  -', ['x', 'y']],
  ['a:\n- x\n- y', ['x', 'y']],
  ['a: b\nmeta:\n  a: c', 'b'],
  ['x y: z\n: q\n- p\na: b', 'b'],
  ['a: [x', 'x'],
  ['a:\n  - @x\n  - "y"', ['@x', 'y']],
  ['a: 1.10', '1.10'],
  ['a: "x', 'x'],
] as const)('reads %j', ([text, expected]) => {
  expect(readLooseFrontMatter(`---\n${text}\n---\n`).fields.get('a')).toEqual(expected);
});

const word = fc.stringMatching(/^[a-z][a-z0-9 ,.:'"#@/-]{0,40}[a-z0-9]$/);
const plain = fc.record({ name: word, description: word, tags: fc.array(word, { minLength: 1, maxLength: 5 }) });

test('reads scalars and lists as a writer of YAML writes them', () => {
  fc.assert(
    fc.property(plain, fc.boolean(), (value, inline) => {
      const yaml = dump(value, { lineWidth: -1, flowLevel: inline ? 1 : -1 });
      expect(read(`---\n${yaml}---\nrest`)).toEqual({ ...value, body: 'rest' });
    }),
  );
});

test('takes any text, and loses nothing of the body', () => {
  const line = fc.oneof(fc.string(), fc.constantFrom('---', 'a: b', 'a: [', '- x', '  y', 'a: >', '"', "a: '", ''));
  fc.assert(
    fc.property(fc.array(line, { maxLength: 30 }), fc.string(), (lines, body) => {
      const head = lines.map((text) => text.replaceAll('\n', ''));
      const { fields, body: rest } = readLooseFrontMatter([...head, body].join('\n'));
      for (const value of fields.values()) expect([value].flat().every((item) => typeof item === 'string')).toBe(true);
      expect(rest.endsWith(body) || head[0] === '---').toBe(true);
      expect(readLooseFrontMatter(`---\na: b\n---\n${body}`).body).toBe(body);
    }),
  );
});

test.for(['a: ', 'a: [', 'a: "', '- ', 'a: #', "a: '"])('reads a long line of %j in bounded time', (part) => {
  readLooseFrontMatter(`---\n${part.repeat(60_000)}\n---\n`);
});
