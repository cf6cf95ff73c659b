import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DuplicateKey, parseStrictJson } from './json-tokens.ts';

test.each([
  '{"a":1,"a":2}',
  '{"a":{"b":[{"c":1,"c":1}]}}',
  '[{"a":1},{"a":1,"b":{},"a":1}]',
  '{"a":1,"\\u0061":2}',
  '{"\\"":1,"b":"\\\\","\\"":2}',
  '{"__proto__":1,"__proto__":2}',
  '\ufeff{"":1, "" : 2}',
])('refuses the duplicate key of %s', (json) => {
  expect(() => parseStrictJson(json)).toThrow(DuplicateKey);
});

test('names the key', () => {
  expect(() => parseStrictJson('{"sandbox":"auto","sandbox":"off"}')).toThrow('duplicate key "sandbox"');
});

test.each(['{"a":"a","b":"a"}', '[["a","a"],{"a":["a",{"a":"a:"}]},{"a":1}]', '"{\\"a\\":1,\\"a\\":2}"', '-1.5e3'])(
  'reads %s',
  (json) => {
    expect(parseStrictJson(`\ufeff ${json}\n`)).toEqual(JSON.parse(json));
  },
);

test.each(['', '{', '{"a":1,}', 'NaN'])('says that %j is not JSON', (json) => {
  expect(() => parseStrictJson(json)).toThrow(SyntaxError);
  expect(() => parseStrictJson(json)).not.toThrow(DuplicateKey);
});

test('reads whatever JSON.stringify writes', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (value, indent) => {
      const json = JSON.stringify(value, null, indent);
      expect(parseStrictJson(json)).toEqual(JSON.parse(json));
    }),
  );
});

test('refuses an object whenever a key is written a second time', () => {
  const object = fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 });
  fc.assert(
    fc.property(object, fc.array(fc.constantFrom('[', '{"k":')), (value, around) => {
      const json = JSON.stringify(value);
      const [key] = Object.keys(value);
      const doubled = `${json.slice(0, -1)},${JSON.stringify(key)}:0}`;
      const close = around.map((open) => (open === '[' ? ']' : '}')).reverse();
      expect(() => parseStrictJson(around.join('') + doubled + close.join(''))).toThrow(DuplicateKey);
    }),
  );
});

test('takes time that is linear in the length', { timeout: 20_000 }, () => {
  const many = `{"a":"${'\\\\'.repeat(4_000_000)}","b":"${'\\"'.repeat(4_000_000)}","c":${'['.repeat(3_000)}${']'.repeat(3_000)}}`;
  expect(parseStrictJson(many)).toMatchObject({ a: expect.any(String) });
});
