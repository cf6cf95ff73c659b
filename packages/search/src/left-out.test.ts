import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { call, makeTempDirectory, makeTree } from '@jinn/testkit';
import { describe, expect, test } from 'vitest';
import { searchFiles } from './search-files.ts';

const LATE = `// ${'x'.repeat(600)}\nconst SEP = "\0";\nfunction joinKey() {}\n`;
interface Found {
  readonly result?: string;
  readonly meta?: { readonly warnings?: readonly string[]; readonly zero_match_reason?: string };
}

const BINARY = `\0${'x'.repeat(600)}\njoinKey\n`;

describe.each(['', 'off'])('with ripgrep %s', (ripgrep) => {
  const environment = { ...process.env, JINN_RIPGREP: ripgrep };
  const search = (args: object, files: Record<string, string>, root = makeTempDirectory()) =>
    call(searchFiles, { format: 'text', ...args }, { files, environment, root }) as Promise<Found>;

  test.each([
    [{ pattern: 'joinKey' }, 'k.js:3:function joinKey() {}'],
    [{ pattern: 'joinKey', multiline: true }, 'k.js:3:function joinKey() {}'],
    [{ pattern: 'SEP = .{3};' }, 'k.js:2:const SEP = "\0";'],
    [{ pattern: '\\x00' }, 'k.js:2:const SEP = "\0";'],
  ])('searches a named file with a NUL after its beginning for %j', async (args, expected) => {
    const files = { 'k.js': LATE, 'b.bin': BINARY, 'big.js': `${'y'.repeat(99)}\n`.repeat(20_000) + LATE };
    expect((await search({ ...args, path: 'k.js' }, files)).result).toBe(expected);
    const { result, meta } = await search({ ...args, path: ['k.js', 'b.bin'] }, files);
    expect([result, meta?.warnings]).toEqual([expected, ['binary, not searched: b.bin']]);
    const { result: large } = await search({ ...args, path: 'big.js' }, files);
    expect(large).toBe(expected.replace(/k.js:(\d)/, (_, line) => `big.js:${20_000 + Number(line)}`));
  });

  test('says that a named file is binary', async () => {
    const { result, meta } = await search({ pattern: 'joinKey', path: 'b.bin' }, { 'b.bin': BINARY });
    expect([result, meta?.zero_match_reason]).toEqual([
      '[no matches: the pattern matched nothing; binary, not searched: b.bin]',
      'pattern_matched_nothing',
    ]);
  });

  test.each(['utf16le', 'utf32be'])('says that the only matches are in %s without a mark', async (encoding) => {
    const utf16 = Buffer.from('int main() {\n  return café;\n}\n', 'utf16le');
    const units = new Uint16Array(new Uint8Array(utf16).buffer);
    const utf32 = Buffer.concat(Array.from(units, (unit) => Buffer.from([0, 0, unit >> 8, unit & 0xff])));
    const files = { 'd/a.c': encoding === 'utf16le' ? utf16 : utf32, 'd/b.o': Buffer.alloc(99), 'd/c.c': 'other\n' };
    for (const pattern of ['main', 'caf\\w;']) {
      const { result } = await call(searchFiles, { pattern }, { files });
      const where = 'UTF-32, or UTF-16 without a mark, such as d/a.c: name it in path';
      expect(result).toBe(`[no matches: the only matches are in ${where}]`);
      expect((await call(searchFiles, { pattern, path: 'd/a.c' }, { files })).result).toMatch(/^d\/a\.c:\d:/);
    }
    const { result } = await call(searchFiles, { pattern: 'nowhere' }, { files });
    expect(result).toBe('[no matches: the pattern matched nothing]');
  });

  test('says that the only matches are in files with a NUL', async () => {
    const { result } = await search({ pattern: 'joinKey' }, { 'd/k.js': LATE, a: 'b' });
    expect(result).toBe(
      '[no matches: the only matches are in files with a NUL, such as d/k.js: name it in path, or use grep -a]',
    );
    expect((await search({ pattern: 'none' }, { 'd/k.js': LATE })).result).toBe(
      '[no matches: the pattern matched nothing]',
    );
  });

  test('searches a file that git tracks, whatever rule ignores it', async () => {
    const root = makeTempDirectory();
    makeTree(root, {
      '.gitignore': '*.gen.ts\nout\n',
      'a.ts': 'x',
      'b.gen.ts': 'x',
      'c.gen.ts': 'x',
      'out/d': 'x',
      'out/e': 'x',
    });
    execFileSync('git', ['init', '-q'], { cwd: root });
    execFileSync('git', ['add', '-f', 'a.ts', 'b.gen.ts', 'out/d'], { cwd: root });
    expect((await search({ pattern: 'x' }, {}, root)).result).toBe('a.ts:1:x\nb.gen.ts:1:x\nout/d:1:x');
    makeTree(root, { 'vendor/f': 'x' });
    execFileSync('git', ['add', 'vendor'], { cwd: root });
    const { result, meta } = await search({ pattern: 'x', format: 'json', path: '.' }, {}, root);
    expect(JSON.parse(result ?? '')).toHaveLength(3);
    expect(meta?.warnings).toEqual(['skipped by name, although git tracks files there: vendor']);
  });

  test('says each kind once for several paths', async () => {
    const root = makeTempDirectory();
    makeTree(root, { 'a/vendor/f': 'x', 'b/dist/f': 'x', 'b/g': 'x', 'c/g': 'x', 'c/h': BINARY });
    execFileSync('git', ['init', '-q'], { cwd: root });
    execFileSync('git', ['add', '.'], { cwd: root });
    const { meta } = await search({ pattern: 'x', path: ['a', 'b', './b', 'c', 'c/h'] }, {}, root);
    expect(meta?.warnings).toEqual([
      'skipped by name, although git tracks files there: a/vendor, b/dist',
      'binary, not searched: c/h',
    ]);
  });

  test('says in one line which files are too large', async () => {
    const root = makeTempDirectory();
    makeTree(root, { 'a.txt': 'x' });
    for (const name of ['large.txt', 'larger.txt', `${'l'.repeat(90)}.txt`]) {
      fs.writeFileSync(`${root}/${name}`, 'x');
      fs.truncateSync(`${root}/${name}`, 33 * 1024 * 1024);
      fs.writeFileSync(`${root}/${name}`, 'x\n'.repeat(17 * 1024 * 1024));
    }
    const { result, meta } = await search({ pattern: 'x\\z', multiline: true }, {}, root);
    expect(result).toBe('a.txt:1:x');
    const [line = '', ...more] = meta?.warnings ?? [];
    expect([line.length <= 100, more]).toEqual([true, []]);
    expect(line).toBe('too large (over 32 MiB), not searched: large.txt, larger.txt and 1 more');
  });
});
