import { expect, test } from 'vitest';
import { compilePathPattern } from './glob.ts';

test.each([
  ['[!a].ts', 'b.ts', true],
  ['[!a].ts', 'a.ts', false],
  ['[!a-z].ts', 'x.ts', false],
  ['[^a].ts', 'b.ts', true],
  ['[^a].ts', 'a.ts', false],
  ['app/(auth)/**', 'app/(auth)/l.tsx', true],
  ['app/(auth)/**', 'app/auth/l.tsx', false],
  ['(p)+.txt', '(p)+.txt', true],
  ['(p)+.txt', 'pp.txt', false],
  ['*(1).txt', 'report (1).txt', true],
  ['*(a).ts', 'x(a).ts', true],
  ['*(a).ts', 'xa.ts', false],
  ['*.ts|*.txt', 'a.ts', false],
  ['nl/**', 'nl/a\nb', true],
  ['**', 'src/a\nb.ts', true],
  ['src/**', 'src/a\nb.ts', true],
  ['src/**', 'src/a/b', true],
  ['src/**', 'src/.a', true],
  ['src/**', 'src', false],
  ['src/**', 'lib/src', false],
  ['[[]slug]/*.tsx', '[slug]/a.tsx', true],
  ['[[]slug]/*.tsx', 's/a.tsx', false],
  ['"*".ts', '"q".ts', true],
  ['{a,b}.ts', 'b.ts', true],
  ['[ab]*.ts', 'bx.ts', true],
  ['a\\*b', 'a*b', true],
  ['a\\*b', 'axb', false],
  ['[]a].ts', '].ts', true],
  ['x+(a).ts', 'x+(a).ts', true],
  ['a+b.ts', 'a+b.ts', true],
  ['[a]+', 'a+', true],
  ['[a]+', 'aa', false],
  ['{a,b}+', 'b+', true],
  ['$x.ts', '$x.ts', true],
  ['a^b', 'a^b', true],
  ['@(a).ts', '@(a).ts', true],
  ['!(a).ts', '!(a).ts', true],
  ['?.ts', 'a.ts', true],
  ['{(a),b}.ts', '(a).ts', true],
  ['a.b', 'axb', false],
  ['[a\\]b].ts', '].ts', true],
])('whether %s matches %j is %s', (glob, path, expected) => {
  const name = path.slice(path.lastIndexOf('/') + 1);
  expect(compilePathPattern(glob).matches({ name, path })).toBe(expected);
});

test.each(['[a.ts', '{a,b.ts'])('refuses %s', (glob) => {
  expect(() => compilePathPattern(glob)).toThrow(expect.objectContaining({ code: 'invalid_glob' }));
});
