import { expect, test } from 'vitest';
import { outlineOf } from './outline.ts';

test.for<[string, string[]]>([
  [
    'TypeScript',
    [
      'export function a(x: string): void {',
      'export interface B {',
      'const c = (x: number) => x;',
      '  private async d(): Promise<void> {',
    ],
  ],
  ['Python', ['def a(x):', 'class B:', '    async def c(self):']],
  ['Rust', ['pub(crate) fn a<T>(x: T) -> T {', 'impl B for C {', 'pub struct D {', 'macro_rules! e {']],
  ['Go', ['package main', 'func (s *S) a() error {', 'type B struct {']],
  ['Java', ['public class A extends B {', '    protected static int c(int d) {']],
  ['C', ['static int a(void) {', 'int main(int argc, char **argv) {']],
  ['Markdown', ['# Title', '### Part']],
])('keeps what declares something in %s, with its line', ([, lines]) => {
  const text = lines.map((line) => `${line}\n      x = y;\n\n`).join('');
  const outline = lines.map((line, i) => `  ${i * 3 + 1}: ${line}`);
  expect(outlineOf(text).split('\n').slice(1)).toEqual(outline);
});

test('says how many lines it leaves out', () => {
  expect(outlineOf('def a():\n  pass\n').split('\n')[0]).toBe(
    '[outline: 1 of 3 lines; the rest was left out for --max-tokens]',
  );
});

test('takes a short time for lines that almost match', () => {
  const line = `${'pub static '.repeat(17)}x`;
  expect(outlineOf(`${line}\n`.repeat(2_000)).split('\n')).toHaveLength(1);
  expect(outlineOf(`a${' <'.repeat(98)}\n`.repeat(2_000)).split('\n')).toHaveLength(1);
});
