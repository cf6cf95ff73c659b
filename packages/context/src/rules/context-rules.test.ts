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
