import fc from 'fast-check';
import createIgnore from 'ignore';
import { expect, inject, test } from 'vitest';
import { LAYERS, parseContextRules } from './context-rules.ts';

const atom = fc.constantFrom('a', 'b', 'ab', '.x', '*', '?', '[ab]', '\\a', '\\*');
const segment = fc
  .array(atom, { minLength: 1, maxLength: 3 })
  .map((atoms) => atoms.join(''))
  .filter((text) => !text.includes('**'));
const pattern = fc
  .tuple(
    fc.constantFrom('', '!', '/', '!/', '**/', '!**/'),
    fc.array(segment, { minLength: 1, maxLength: 3 }).map((segments) => segments.join('/')),
    fc.constantFrom('', '/', '/**'),
  )
  .map((parts) => parts.join(''));
const filePath = fc.array(fc.constantFrom('a', 'b', 'ab', 'a.x', '.x', 'ba'), { minLength: 1, maxLength: 3 });

/** Does the same with the library alone, rule by rule. */
function findPlainly(lines: readonly string[], path: string, isDirectory: boolean): number {
  return lines.findLastIndex((line) => {
    const rule = line.replace(/^!/, '').replace(/\/\*\*$/, '/');
    // A slash within ties a pattern to its directory, also where that was the slash of two stars at the end.
    const tied = /^!?(?!\*\*\/)[^/]+\/\*\*$/.test(line) ? `/${rule}` : rule;
    return createIgnore({ ignorecase: false })
      .add(tied)
      .ignores(isDirectory ? `${path}/` : path);
  });
}

test('finds the last rule that matches a path or a directory above it, as the library does', () => {
  fc.assert(
    fc.property(fc.array(pattern, { maxLength: 6 }), filePath, fc.boolean(), (lines, names, isDirectory) => {
      const source = { file: 'f', base: [], layer: LAYERS.contextFiles };
      const { list } = parseContextRules(Buffer.from(lines.join('\n')), source);
      // The walk asks from the top down, and keeps what matched above.
      const found = names.map((name, i) => {
        const place = { directory: names.slice(0, i), depth: 0 };
        return list.find(place, name, i < names.length - 1 || isDirectory)?.line ?? 0;
      });
      expect(Math.max(...found)).toBe(findPlainly(lines, names.join('/'), isDirectory) + 1);
    }),
    { numRuns: 400 / inject('runsDivisor') },
  );
});

test('matches many stars in a short time', () => {
  const lines = [`/${'*a'.repeat(30)}b`, `${'*a'.repeat(30)}b`, `d/${'a*'.repeat(30)}b`].join('\n');
  const { list } = parseContextRules(Buffer.from(lines), { file: 'f', base: [], layer: LAYERS.contextFiles });
  const name = 'a'.repeat(250);
  const found = [[], ['d']].map((directory) => list.find({ directory, depth: 0 }, name, false));
  expect(found).toEqual([undefined, undefined]);
});

test('compiles the rules of a file once in a session', () => {
  const parse = (lines: string, warnings: string[]) => {
    const source = { file: 'once', base: [], layer: LAYERS.contextFiles };
    return parseContextRules(Buffer.from(lines), source, (sentence) => warnings.push(sentence)).list;
  };
  const [first, second]: [string[], string[]] = [[], []];
  const list = parse('a\n!b[', first);
  expect(parse('a\n!b[', second)).toBe(list);
  expect(second).toEqual(first);
  expect(second).toHaveLength(1);
  expect(parse('a\n!c', [])).not.toBe(list);
});

test('matches few of many rules against a name', () => {
  const lines = Array.from({ length: 20_000 }, (_, i) => `${String.fromCharCode(97 + (i % 26))}?${i}*`).join('\n');
  const { list } = parseContextRules(Buffer.from(lines), { file: 'f', base: [], layer: LAYERS.contextFiles });
  expect(list.cost).toBeLessThan(1_000);
  expect(list.find({ directory: [], depth: 0 }, 'bx1-more', false)?.line).toBe(2);
});
