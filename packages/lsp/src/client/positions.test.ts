import fc from 'fast-check';
import { expect, test } from 'vitest';
import { indexOfWord } from '../answers/parse-symbols.ts';
import { parseHover } from '../answers/queries.ts';
import { locate, type PositionEncoding, TextLines, toUri } from './positions.ts';

const TEXT = fc.string({ unit: fc.constantFrom('a', 'é', '😀', '\n', '\r', '\r\n', '́', ' ') });

test('lines end at \\n, \\r\\n and \\r', () => {
  const lines = new TextLines('one\r\ntwo\rthree\n');
  expect([0, 1, 2, 3, 4].map((number) => lines.line(number))).toEqual(['one', 'two', 'three', '', undefined]);
});

for (const encoding of ['utf-8', 'utf-16', 'utf-32'] as const satisfies PositionEncoding[]) {
  test(`a place becomes a position in ${encoding} and the same place again`, () => {
    fc.assert(
      fc.property(TEXT, fc.nat(), fc.nat(), (text, a, b) => {
        const lines = new TextLines(text);
        const line = (a % lines.count) + 1;
        const character = (b % ([...(lines.line(line - 1) ?? '')].length + 1)) + 1;
        const position = lines.positionOf({ line, character }, encoding);
        expect(position && lines.placeOf(position, encoding)).toEqual({ line, character });
        const offset = position && lines.offsetOf(position, encoding);
        const head = text.slice(0, offset);
        expect(new TextLines(head).count - (head.endsWith('\r') && text[head.length] === '\n' ? 1 : 0)).toBe(line);
      }),
    );
  });
}

test('a server that counts separators is asked and understood in its own lines', () => {
  const text = fc.string({ unit: fc.constantFrom('a', '😀', '\n', '\r\n', '\u2028', '\u2029', ' ') });
  fc.assert(
    fc.property(text, fc.nat(), fc.nat(), (content, a, b) => {
      const [lines, served] = [new TextLines(content, true), content.split(/\r\n|[\n\u2028\u2029]/)];
      const line = (a % lines.count) + 1;
      const characters = [...(lines.line(line - 1) ?? '')];
      const character = (b % (characters.length + 1)) + 1;
      const position = lines.positionOf({ line, character }, 'utf-16') ?? expect.fail('it is in the text');
      expect(lines.placeOf(position, 'utf-16')).toEqual({ line, character });
      const ahead = characters.slice(character - 1).join('');
      const isAtEnd = /^[\u2028\u2029]/.test(ahead);
      const rest = (served[position.line] ?? '').slice(position.character);
      expect(isAtEnd ? rest === '' : ahead.startsWith(rest)).toBe(true);
      const offset = lines.offsetOf(position, 'utf-16') ?? expect.fail('it is in the text');
      expect(content.slice(offset).startsWith(ahead)).toBe(true);
    }),
  );
});

test('positions beyond the text, or within a character, are none', () => {
  const lines = new TextLines('a😀\nb');
  const offset = (line: number, character: number, encoding: PositionEncoding = 'utf-16') =>
    lines.offsetOf({ line, character }, encoding);
  expect([offset(0, 2), offset(0, 4), offset(2, 1), offset(3, 0)]).toEqual(Array(4).fill(undefined));
  expect([offset(0, 2, 'utf-8'), offset(0, 6, 'utf-8'), offset(0, 3, 'utf-32')]).toEqual(Array(3).fill(undefined));
  expect([offset(0, 3), offset(1, 1), offset(2, 0)]).toEqual([3, 5, 5]);
  expect(lines.positionOf({ line: 1, character: 4 }, 'utf-16')).toBeUndefined();
  expect(lines.positionOf({ line: 0, character: 1 }, 'utf-16')).toBeUndefined();
});

test('every path below the root comes back from its URI', () => {
  const segment = fc
    .string({ unit: 'grapheme', minLength: 1 })
    .filter((name) => !/^\.{1,2}$|[/\0\\]/.test(name) && name.isWellFormed());
  fc.assert(
    fc.property(fc.array(segment, { minLength: 1, maxLength: 4 }), (segments) => {
      const path = segments.join('/');
      expect(locate('/the/root', toUri('/the/root', path))).toEqual({ path });
    }),
  );
});

test('no URI leads out of the root unseen', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('/', '.', '%2F', '%2e', '..', 'a', '\\', '%00', '?', '#', '@', ':') }),
      (tail) => {
        const found = locate('/the/root', `file:///the/root/${tail}`);
        if ('path' in found) expect(`/${found.path}/`).not.toContain('/../');
        expect(JSON.stringify(found)).not.toContain('\\u0000');
      },
    ),
  );
});

test('a word is found whole', () => {
  expect(indexOfWord('width = id', 'id')).toBe(8);
  expect(indexOfWord('a.id(id2, $id)', 'id')).toBe(2);
  expect(indexOfWord('éid id', 'id')).toBe(4);
  expect(indexOfWord('width', 'id')).toBe(-1);
});

test('hovers of every shape are text, and not too long', () => {
  expect(parseHover({ contents: { kind: 'markdown', value: ' **x** ' } })).toBe('**x**');
  expect(parseHover({ contents: ['a', { language: 'ts', value: 'b' }, ''] })).toBe('a\n\nb');
  expect(parseHover({ contents: [] })).toBeUndefined();
  const long = parseHover({ contents: 'é'.repeat(10_000) }) ?? '';
  expect(Buffer.byteLength(long)).toBeLessThanOrEqual(4_100);
  expect(long).toMatch(/^é+…$/);
});
