import { expect, test } from 'vitest';
import { findSymbol } from '../find-symbol.ts';
import { openProject } from '../fixture/project.ts';
import { listSymbols } from '../list-symbols.ts';
import { inLines } from './in-lines.ts';

const [list, find] = [inLines(listSymbols), inLines(findSymbol)];

test('lists a file as its outline does, with the data in meta', async () => {
  const { ask } = openProject();
  const { result, meta } = await ask(list, { path: 'src/store.ts' });
  expect(result).toBe('3-15\tclass Store\n5\t  field #items\n7-10\t  method add\n12-14\t  method addAll');
  expect(meta).toMatchObject({ data: { file: 'src/store.ts', symbols: [{ name: 'Store' }] } });
  expect((await ask(list, {})).result).toContain('src/store.ts\n3-15\t  class Store [3 members]\n');
});

test('counts the members that a level hides', async () => {
  const { ask } = openProject({ 'a.ts': 'namespace A {\n  export class B {\n    c() {}\n    d() {}\n  }\n}\n' });
  expect((await ask(list, { path: 'a.ts' })).result).toBe('1-6\tnamespace A\n2-5\t  class B [2 members]');
  expect((await ask(list, { path: 'a.ts', depth: 2 })).result).toContain('\n3\t    method c\n');
});

test('finds symbols in lines that are shorter than those of a search', async () => {
  const { ask } = openProject();
  expect((await ask(find, { pattern: 'add' })).result).toBe(
    'src/store.ts:7-10\tmethod Store/add\nsrc/store.ts:12-14\tmethod Store/addAll',
  );
  expect((await ask(find, { name_path: 'Store/ad' })).result).toMatch(/^\[no symbols\]\n\[did you mean Store\/add /);
  const { result } = await ask(find, { name_path: 'parse', path: 'src', include_body: true });
  expect(result).toBe(
    'src/parse.ts:1-4\tfunction parse\n/** Reads a text; see parse. */\nexport function parse(text: string): string {\n  return text.trim();\n}',
  );
});

test('says what a page leaves out', async () => {
  const many = Array.from({ length: 130 }, (_, i) => `function f${i}() {}\n`).join('');
  const { ask } = openProject({ 'a.ts': many });
  expect((await ask(list, { path: 'a.ts' })).result).toMatch(/\n\[100 of 130; offset: 100 is next\. pass detail_level/);
  expect((await ask(find, { pattern: 'f' })).result).toMatch(
    /\n\[50 of 130; offset: 50 is next\. .*In files: a\.ts 130\]$/,
  );
});

test('shows a kind once if the name begins with it', async () => {
  const { ask } = openProject({
    'a.rs': 'struct Frame;\nimpl Frame {\n  fn new() {}\n}\nimpl Drop for Frame {\n  fn drop(&mut self) {}\n}\n',
    'b.swift': 'struct Point {}\nextension Point {\n  func far() {}\n}\n',
  });
  expect((await ask(list, { path: 'a.rs' })).result).toBe(
    '1\tstruct Frame\n2-4\timpl Frame\n3\t  method new\n5-7\timpl Drop for Frame\n6\t  method drop',
  );
  expect((await ask(list, { path: 'b.swift' })).result).toContain('\n2-4\textension Point\n');
  expect((await ask(find, { pattern: 'impl' })).result).toBe(
    'a.rs:2-4\timpl Frame [1 members]\na.rs:5-7\timpl Drop for Frame [1 members]',
  );
});
