import { expect, test } from 'vitest';
import { findImports } from './find-imports.ts';

function pathsIn(path: string, text: string) {
  return findImports(path, Buffer.from(text)).map((reference) => reference.path);
}

test.for([
  ['src/a.sol', 'import {B as C} from "./b.sol";\nimport "../c.sol";', ['src/b', 'c']],
  ['src/a.ts', "import { b } from './b.ts';\nconst c = require('../c');", ['src/b', 'c']],
  ['pkg/a.py', 'from .b import c, d as e\nimport f.g', ['pkg/b', 'pkg/b/c', 'pkg/b/d', 'f/g']],
  ['src/lib.rs', 'mod b;\nuse crate::c::Thing;', ['src/b', 'c']],
  ['a.go', 'import "example.org/x/y"', ['x/y']],
  ['a.java', 'import static org.b.c.D;', ['b/c/D']],
  ['a.txt', "import { b } from './b.ts';", []],
] as const)('finds what %s imports', ([path, text, expected]) => {
  expect(pathsIn(path, text)).toEqual(expected);
});

test('keeps what an import of very many names from a long module takes in memory small', () => {
  const text = `from ${'a'.repeat(20_000)} import ${'b,'.repeat(20_000)}\nfrom ${'a'.repeat(150)} import ${'b,'.repeat(10_000)}`;
  const total = pathsIn('a.py', text).reduce((sum, path) => sum + path.length, 0);
  expect(total).toBeLessThan(100_000);
});
