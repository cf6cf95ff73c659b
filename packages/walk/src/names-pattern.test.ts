import fc from 'fast-check';
import createIgnore from 'ignore';
import { expect, test } from 'vitest';
import { mightMatch } from './names-pattern.ts';

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

test('never says no of names that a pattern matches', () => {
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
        const isMatched = names.some((file) => texts.some((text) => matches(text, file)));
        if (isMatched) expect(mightMatch(rules)(`/${names.join('/')}/`)).toBe(true);
      },
    ),
    { numRuns: 500 },
  );
});

test.for([
  ['*.log', '/a.ts/b.md/', false],
  ['*.log', '/a.log/', true],
  ['log.*', '/log/alog.x/', false],
  ['log.*', '/log.x/', true],
  ['d/*.x', '/a.y/', false],
  ['a?c', '/abc/', true],
  ['LICENSE', '/LICENSES/', false],
  ['*', '/a/', true],
] as const)('%s might match in %s: %s', ([text, names, expected]) => {
  expect(mightMatch([{ pattern: text, anchored: text.includes('/') }])(names)).toBe(expected);
});

test('says no without patterns', () => {
  expect(mightMatch([])('/a/')).toBe(false);
});
