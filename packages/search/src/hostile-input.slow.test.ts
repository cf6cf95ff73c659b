import fs from 'node:fs';
import path from 'node:path';
import { call, makeTempDirectory, makeTree } from '@jinn/testkit';
import { describe, expect, test } from 'vitest';
import { searchFiles } from './search-files.ts';

/** Generous, since other tests run beside these: alone, each call takes less than a second. */
const LIMIT_MS = 15_000;
const MB = 1_000_000;

describe.each([
  ['ripgrep', process.env],
  ['built-in', { JINN_RIPGREP: 'off' }],
] as const)('with %s', (_, environment) => {
  const search = (args: object, root: string) => call(searchFiles, args, { environment, root });

  test.each(['a', '[ab]', '\\w', 'a(?=a)', 'a{3}'])(
    'finds %s everywhere in one line of 16 MB',
    async (pattern) => {
      const root = makeTempDirectory();
      makeTree(root, { 'd/long.txt': Buffer.alloc(16 * MB, 'a'), 'd/b.txt': 'aaaa' });
      const { result, total_count, truncated } = await search({ pattern }, root);
      expect(result).toBe(`d/b.txt:1:aaaa\nd/long.txt:1:${'a'.repeat(200)}...`);
      expect({ total_count, truncated }).toEqual({ total_count: 2, truncated: undefined });
    },
    LIMIT_MS,
  );

  test(
    'matches across lines in one line of 8 MB',
    async () => {
      const root = makeTempDirectory();
      makeTree(root, { 'long.txt': Buffer.alloc(8 * MB, 'a') });
      const { result, total_count } = await search({ pattern: 'a', multiline: true }, root);
      expect({ result, total_count }).toEqual({ result: `long.txt:1:${'a'.repeat(200)}...`, total_count: 1 });
    },
    LIMIT_MS,
  );

  test(
    'shows a match deep inside a long line',
    async () => {
      const root = makeTempDirectory();
      const line = `${'é'.repeat(2 * MB)}needle${'y'.repeat(MB)}`;
      makeTree(root, { 'd/a.txt': `first\n${line}\r\nlast\n` });
      const found = await search({ pattern: 'needle', format: 'json', context_lines: 1 }, root);
      expect(JSON.parse(found.result ?? '')).toEqual([
        {
          file: 'd/a.txt',
          line: 2,
          column: 2 * MB + 1,
          text: `...${'é'.repeat(60)}needle${'y'.repeat(134)}...`,
          context_before: ['first'],
          context_after: ['last'],
        },
      ]);
    },
    LIMIT_MS,
  );

  test(
    'leaves out a sparse file of 100 GB',
    async () => {
      const root = makeTempDirectory();
      makeTree(root, { '.gitignore': 'ignored.txt\n', 'ignored.txt': 'hit', 'a.txt': 'hit\n', 'd/b.txt': 'hit\n' });
      for (const name of ['sparse.img', 'd/sparse.img']) {
        fs.writeFileSync(path.join(root, name), '');
        fs.truncateSync(path.join(root, name), 100e9);
      }
      for (const args of [{}, { multiline: true }, { pattern: 'hi(?=t)' }]) {
        expect((await search({ pattern: 'hit', ...args }, root)).result).toBe('a.txt:1:hit\nd/b.txt:1:hit');
      }
      expect((await search({ pattern: 'hit', path: 'd/sparse.img' }, root)).total_count).toBe(0);
    },
    LIMIT_MS,
  );

  test(
    'ends a pattern that takes too long, and serves the next call',
    async () => {
      const root = makeTempDirectory();
      makeTree(root, { 'a.txt': `${'a'.repeat(5_000)}!\n`.repeat(3) });
      const start = performance.now();
      expect(await search({ pattern: '(a|a|aa)+(?!.)' }, root)).toMatchObject({
        ok: false,
        error_code: 'timeout',
        error: expect.stringMatching(/^the pattern was still being matched after [\d.]+ seconds$/),
        suggestion: expect.stringContaining('timeout'),
      });
      expect(performance.now() - start).toBeGreaterThan(1_000);
      expect(await search({ pattern: '(a|a|aa)+(?!.)', timeout: 0.1 }, root)).toMatchObject({
        error_code: 'timeout',
        error: expect.stringMatching(/ after 0(\.\d)? seconds$/),
      });
      expect((await search({ pattern: 'a+' }, root)).total_count).toBe(3);
    },
    LIMIT_MS,
  );

  test(
    'refuses matches in more than 200,000 files',
    async () => {
      const root = makeTempDirectory();
      const first = Object.fromEntries([0, 1, 2, 3].map((i) => [`d${i}/f`, 'hit\n'])); // A file has at most 65,000 names.
      makeTree(root, first);
      for (const name of Object.keys(first)) {
        for (let i = 1; i < 50_000; i++) fs.linkSync(path.join(root, name), path.join(root, `${name}${i}`));
      }
      const ask = () => search({ pattern: 'hit', format: 'filenames', max_matches: 1, timeout: 60 }, root);
      expect(await ask()).toMatchObject({ ok: true, total_count: 200_000 });
      makeTree(root, { 'e/f': 'hit\n' });
      expect(await ask()).toMatchObject({
        error_code: 'resource_limit',
        error: 'the pattern may match in more than 200000 files',
      });
    },
    8 * LIMIT_MS,
  );

  test('takes any number of context lines', async () => {
    const root = makeTempDirectory();
    makeTree(root, { 'a.txt': 'no\n'.repeat(10_000) + 'hit\n'.repeat(10_000) });
    const { result, truncated } = await search(
      { pattern: 'hit', format: 'text', context_lines: 1e9, max_matches: 1e9 },
      root,
    );
    expect([result?.split('\n')[0], truncated]).toEqual(['a.txt-9951-no', undefined]);
  });

  test('says which large files it cannot search across lines', async () => {
    const root = makeTempDirectory();
    makeTree(root, { 'd/large.txt': Buffer.alloc(33 * 1024 * 1024, 'hit\n'), 'd/small.txt': 'hit\n' });
    const { total_count, meta } = await search({ pattern: 'hit\\n', multiline: true }, root);
    expect(total_count).toBe(1);
    expect(meta).toMatchObject({
      warnings: ['too large (over 32 MiB), not searched: d/large.txt'],
    });
  });

  test('pages through all matches that cross lines', async () => {
    const root = makeTempDirectory();
    const lines = (count: number, salt: number) =>
      Array.from({ length: count }, (_, i) => ['x;', '', 'foo', '  bar {', 'a'][(i * salt) % 5]).join('\n');
    makeTree(root, Object.fromEntries([3, 7, 11, 13].map((salt) => [`d${salt % 2}/${salt}.go`, lines(3_000, salt)])));
    const args = { pattern: '[^a]\\n[^b]', multiline: true, format: 'json' };
    const all = await search({ ...args, max_matches: 10_000 }, root);
    const expected = JSON.parse(all.result ?? '');
    expect(expected).toHaveLength(all.total_count as number);
    expect(expected.length).toBeGreaterThan(2_000);
    const paged: object[] = [];
    for (let offset = 0; offset < expected.length; offset += 500) {
      const page = await search({ ...args, max_matches: 500, offset }, root);
      expect(page.total_count).toBe(expected.length);
      paged.push(...JSON.parse(page.result ?? ''));
    }
    expect(paged).toEqual(expected);
  }, 60_000);
});

test('says which limit a search with ripgrep hit', async () => {
  const root = makeTempDirectory();
  makeTree(root, { 'a.txt': 'needle\n', 'd/b.txt': 'needle\n' });
  const { error_code, error } = await call(searchFiles, { pattern: '(?<=need)le', timeout: 0.001 }, { root });
  expect({ error_code, error }).toEqual({ error_code: 'timeout', error: 'the search was not done after 0 seconds' });
});

test(
  'lets other calls go on while a large file is searched',
  async () => {
    const root = makeTempDirectory();
    makeTree(root, { 'a.txt': Buffer.alloc(64 * MB, 'line\n') });
    const turns = [performance.now()];
    const timer = setInterval(() => turns.push(performance.now()), 1);
    await call(searchFiles, { pattern: 'nothing' }, { root, environment: { JINN_RIPGREP: 'off' } });
    clearInterval(timer);
    turns.push(performance.now());
    const waits = turns.slice(1).map((turn, i) => turn - (turns[i] as number));
    expect(Math.max(...waits)).toBeLessThan(((turns.at(-1) as number) - (turns[0] as number)) / 4);
  },
  LIMIT_MS,
);
