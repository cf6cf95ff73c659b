import fc from 'fast-check';
import createIgnore from 'ignore';
import { expect, test } from 'vitest';
import { joinNames } from './names.ts';
import { namesThatMight } from './names-pattern.ts';

const pattern = fc
  .array(fc.constantFrom('a', 'b', '.', '*', '**', '?', '[ab]', '\\\\', '+', '(', '$', '/', '-'), {
    minLength: 1,
    maxLength: 5,
  })
  .map((atoms) => atoms.join('').replace(/^\/+|\/+$/g, ''))
  .filter((text) => text !== '');
const name = fc
  .array(fc.constantFrom('a', 'b', '.', '+', '(', '$', '-'), { minLength: 1, maxLength: 4 })
  .map((atoms) => atoms.join(''));

test('leaves out no name that a pattern matches', () => {
  const matches = (text: string, file: string) => {
    const path = text.includes('/')
      ? `${text
          .split('/')
          .slice(0, -1)
          .map(() => 'a')
          .join('/')}/${file}`
      : file;
    const rule = `/${text.includes('/') ? '' : '**/'}${text}`;
    const library = createIgnore({ ignorecase: false, allowRelativePaths: true }).add(rule);
    const parent = path.slice(0, path.lastIndexOf('/') + 1);
    return library.ignores(path) && (parent === '' || !library.ignores(parent));
  };
  fc.assert(
    fc.property(
      fc.array(pattern, { maxLength: 3 }),
      fc.uniqueArray(name, { minLength: 1, maxLength: 4 }),
      (texts, files) => {
        const rules = texts.map((text) => ({ pattern: text, anchored: text.includes('/') }));
        const names = files.filter((file) => file !== '.' && file !== '..');
        const matched = names.filter((file) => texts.some((text) => matches(text, file)));
        const found = namesThatMight(rules)(joinNames(names));
        expect(found).toEqual(expect.arrayContaining(matched));
        expect(names).toEqual(expect.arrayContaining([...found]));
      },
    ),
    { numRuns: 500 },
  );
});

test.for([
  ['*.log', '/a.ts/b.md/', []],
  ['*.log', '/a.log/b/.log/', ['a.log', '.log']],
  ['log.*', '/log/alog.x/', []],
  ['log.*', '/log.x/log.y/', ['log.x', 'log.y']],
  ['d/*.x', '/a.y/', []],
  ['a?c', '/abc/b/', ['abc']],
  ['*b*', '/abc/bb/a/b/', ['abc', 'bb', 'b']],
  ['LICENSE', '/LICENSES/LICENSE/', ['LICENSE']],
  ['*', '/a/b/', ['a', 'b']],
  ['*', '/', []],
  ['a', '/', []],
] as const)('%s might match in %s: %s', ([text, names, expected]) => {
  expect(namesThatMight([{ pattern: text, anchored: text.includes('/') }])(names)).toEqual(expected);
});

test('finds nothing without patterns', () => {
  expect(namesThatMight([])('/a/')).toEqual([]);
});
