import { expect, test } from 'vitest';
import { readOutline } from './outline.ts';

const outlineText = async (text: string, path: string) => (await readOutline(text, path)).full;

const TYPESCRIPT = `import fs from 'node:fs';

/** Keeps things. */
export class Store {
  /** Adds one. */
  add(item: string): void {
    this.items.push(item);
  }
}
const limit = 3;
`;

test('shows the signature, the line and the doc line of each symbol', async () => {
  expect((await outlineText(TYPESCRIPT, 'src/store.ts')).split('\n')).toEqual([
    '[outline: 3 symbols of a file of 10 lines, without the rest]',
    '  4: export class Store — Keeps things.',
    '  6:   add(item: string): void — Adds one.',
    '  10: const limit = 3',
  ]);
});

test.for([
  ['a.py', 'class A:\n    def b(self):\n        return 1\n', '  1: class A\n  2:   def b(self)'],
  ['a.rs', 'pub struct A;\nimpl A {\n    fn b(&self) {}\n}\n', '  1: pub struct A\n  2: impl A\n  3:   fn b(&self)'],
  ['a.go', 'package a\n\nfunc (s *S) b() error {\n\treturn nil\n}\n', '  3: func (s *S) b() error'],
  ['a.md', '# Title\n\n## Part\n', '  1: # Title\n  3:   ## Part'],
] as const)('outlines %s', async ([path, text, outline]) => {
  expect((await outlineText(text, path)).split('\n').slice(1).join('\n')).toBe(outline);
});

test('gives the sentence alone for a text without a syntax tree', async () => {
  expect(await outlineText('a,b\n1,2\n', 'a.csv')).toBe('[outline: 0 symbols of a file of 2 lines, without the rest]');
});

test.for([
  ['a() {}', '1 symbol of a file of 1 line,'],
  ['function a() {} function b() {} function c() {}\n\n', '3 symbols of a file of 2 lines,'],
] as const)('counts symbols, and the lines that an editor shows: %j', async ([text, expected]) => {
  expect(await outlineText(`${text.startsWith('a') ? 'function ' : ''}${text}`, 'a.js')).toContain(
    `[outline: ${expected}`,
  );
});

test('shows what a declaration of several names says before the first one', async () => {
  const text = 'export const LIMIT = 10, OTHER = 11;\nvar one = 1, two = 2;\n';
  expect((await outlineText(text, 'a.ts')).split('\n').slice(1)).toEqual([
    '  1: export const LIMIT = 10',
    '  1: export const OTHER = 11',
    '  2: var one = 1',
    '  2: var two = 2',
  ]);
});

test('leaves out the deepest symbols where there are too many', async () => {
  const members = (name: string) => `class ${name} {\n${'  a() {}\n'.repeat(60)}}\n`;
  const lines = (await outlineText(['A', 'B', 'C', 'D'].map(members).join(''), 'a.ts')).split('\n');
  expect(lines[0]).toBe('[outline: 200 of 244 symbols of a file of 248 lines, without the rest]');
  const classes = ['  1: class A', '  63: class B', '  125: class C', '  187: class D'];
  expect(lines.filter((line) => line.includes('class'))).toEqual(classes);
});

test('has a shorter form, with what others can use and what is large first', async () => {
  const text = `export class A {\n  private b() {}\n  c() {\n    x();\n  }\n  d() {}\n}\nexport const e = 1;\n`;
  const { shorter } = await readOutline(text, 'a.ts');
  const lines = (most: number) => shorter((outline) => outline.split('\n').length <= most + 1)?.split('\n');
  expect(lines(3)).toEqual([
    '[outline: 3 of 5 symbols of a file of 8 lines, without the rest]',
    '  1: export class A',
    '  3:   c()',
    '  8: export const e = 1',
  ]);
  expect(lines(1)).toHaveLength(2);
  expect(lines(0)).toBeUndefined();
});
