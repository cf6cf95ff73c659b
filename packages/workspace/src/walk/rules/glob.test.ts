import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { NO_ENTRIES, PathMatcher, readGlobs } from '../globs.ts';
import { isGlob, splitGlobs } from './glob.ts';

const compile = (glob: string) => new PathMatcher(readGlobs(glob, [NO_ENTRIES]));

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
  ['\\!(a).ts', '!(a).ts', true],
  ['!(a).ts', '(a).ts', false],
  ['!(a).ts', 'b.ts', true],
  ['?.ts', 'a.ts', true],
  ['{(a),b}.ts', '(a).ts', true],
  ['a.b', 'axb', false],
  ['[a\\]b].ts', '].ts', true],
  ['[[:digit:]].ts', '7.ts', true],
  ['{a,{b,c}d}.ts', 'cd.ts', true],
  ['{a,{b,c}d}.ts', 'c.ts', false],
  ['{src,lib/deep}/*.ts', 'lib/deep/a.ts', true],
  ['{a}.ts', '{a}.ts', true],
  ['{a}{b,c}', '{a}c', true],
  ['[{]{,x}', '{', true],
  ['\\{a,b}', '{a,b}', true],
  ['a,b}', 'a,b}', true],
])('whether %s matches %j is %s', (glob, path, expected) => {
  expect(compile(glob).matches(posix.dirname(path), posix.basename(path))).toBe(expected);
});

test.each([
  ['[a.ts', 'it has a [ that is never closed, or ends in a backslash'],
  ['a\\', 'it has a [ that is never closed, or ends in a backslash'],
  ['src/[a', 'it has a [ that is never closed, or ends in a backslash'],
  ['{a,b.ts', 'it has a { that is never closed'],
  ['{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}', 'its braces stand for more than 200 globs'],
  ['*a*b*c*d*e', 'it has more than 4 stars in a name'],
  ['a'.repeat(1_001), 'it is longer than 1000 characters'],
  ['**/a/**/b/**', 'it has ** more than 2 times'],
])('refuses %s', (glob, why) => {
  const message = `invalid glob ${JSON.stringify(glob.slice(0, 100))}: ${why}`;
  expect(() => compile(glob)).toThrow(expect.objectContaining({ code: 'invalid_glob', message }));
});

test.each([
  ['*.ts', true, '.'],
  ['src/*.ts', true, 'src'],
  ['src/deep/**', true, 'src/deep'],
  ['src/{a,b}/c/*.ts', true, 'src'],
  ['src/a?/b', true, 'src'],
  ['src/[ab]/c', true, 'src'],
  ['src/(auth)/a.ts', false, 'src/(auth)'],
  ['src/a\\*b/c', false, 'src/a*b'],
  ['src/{a}/b', false, 'src/{a}'],
])('%s is a glob: %s, with the base %s', (text, isOne, base) => {
  expect([isGlob(text), compile(text).base]).toEqual([isOne, base]);
});

test.each([
  ['*.js,*.ts', ['*.js', '*.ts']],
  [' *.js , src/**/*.ts,', ['*.js', 'src/**/*.ts']],
  ['*.{js,{ts,tsx},md}', ['*.{js,{ts,tsx},md}']],
  ['*.{js,ts},[a,b].md,c\\,d', ['*.{js,ts}', '[a,b].md', 'c\\,d']],
  ['a b', ['a b']],
  [',', [',']],
])('%j lists the globs %j', (list, globs) => {
  expect(splitGlobs(list)).toEqual(globs);
});
