import { countProcessorTime } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { digestManifest } from './manifest-digest.ts';

test.for([
  [
    'package.json',
    JSON.stringify({ name: 'x', scripts: { test: 't' }, eslintConfig: { a: 'noise' }, contributors: ['noise'] }),
    ['"name": "x"', '"test": "t"'],
  ],
  [
    'pyproject.toml',
    '[project]\nname = "x"\n# noise\n[tool.ruff]\nselect = ["noise"]\n[dependencies]\na = 1',
    ['name = "x"', 'a = 1'],
  ],
  [
    'setup.cfg',
    '[metadata]\nname = x\n[options]\npackages = find:\n[flake8]\nignore = noise',
    ['name = x', 'packages'],
  ],
  [
    'pom.xml',
    '<artifactId>x</artifactId>\n<build>\n<artifactId>noise</artifactId>\n</build>\n<dependency>\n<scope>noise</scope>',
    ['<artifactId>x', '<dependency>'],
  ],
] as const)('a digest of %s has what tells, and nothing else', ([name, text, expected]) => {
  const digest = digestManifest(`sub/${name}`, `${text}\n${' '.repeat(200)}`) ?? '';
  expect(digest).toMatch(/^\[outline: the main lines of a file of \d+ lines\]\n/);
  for (const part of expected) expect(digest).toContain(part);
  expect(digest).not.toContain('noise');
});

test('a long field of a manifest is its keys', () => {
  const exports = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`./m${i}`, { import: `./dist/m${i}.js` }]));
  const digest = digestManifest('package.json', JSON.stringify({ exports }, undefined, 2)) ?? '';
  expect(digest).toContain('"./m7"');
  expect(digest).not.toContain('dist/m7');
});

test.for([
  ['Makefile', 'all:\n'],
  ['package.json', '{"name":'],
  ['package.json', '[]'],
  ['package.json', '{"name":"x"}'],
] as const)('%s has no digest where it would not help: %s', ([name, text]) => {
  expect(digestManifest(name, text)).toBeUndefined();
});

test('elements without an end take linear time', () => {
  const used = countProcessorTime();
  digestManifest('pom.xml', '<build>\n'.repeat(100_000));
  expect(used()).toBeLessThan(1_000);
});
