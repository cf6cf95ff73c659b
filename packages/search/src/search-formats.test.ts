import { type CallOptions, call, type FileTree } from '@jinn/testkit';
import { describe, expect, test } from 'vitest';
import { searchFiles } from './search-files.ts';

describe.each([
  ['ripgrep', process.env],
  ['built-in', { JINN_RIPGREP: 'off' }],
] as const)('with %s', (_, environment) => {
  const search = (args: object, files: FileTree, options: CallOptions = {}) =>
    call(searchFiles, args, { files, environment, ...options });
  const textOf = async (args: object, files: FileTree) => (await search(args, files)).result;

  test('names each file once in grouped answers', async () => {
    const files = { 'src/a.ts': 'hit 1\nno\n  hit 2\n', 'src/b\n.ts': 'hit 3\n' };
    expect(await textOf({ pattern: 'hit', format: 'grouped' }, files)).toBe(
      'src/a.ts\n1:hit 1\n3:  hit 2\n\nsrc/b\\n.ts:1:hit 3',
    );
    expect(await textOf({ pattern: 'hit', format: 'grouped', max_matches: 2 }, files)).toBe(
      'src/a.ts\n1:hit 1\n3:  hit 2\n\n[matches 1 to 2 of 3; pass offset: 2 for the next ones]',
    );
    expect(await textOf({ pattern: 'nowhere', format: 'grouped' }, files)).toBe(
      '[no matches: the pattern matched nothing]',
    );
  });

  test('shows context in grouped answers', async () => {
    const files = { 'a.txt': '1\nhit\n3\n4\n5\nhit\n', 'b.txt': 'hit' };
    expect(await textOf({ pattern: 'hit', format: 'grouped', context_lines: 1 }, files)).toBe(
      'a.txt\n1-1\n2:hit\n3-3\n--\n5-5\n6:hit\n\nb.txt:1:hit',
    );
  });

  test('takes one line for a file of which one line is shown, with an empty line between it and others', async () => {
    const files = { 'a.txt': 'hit', 'b.txt': 'hit', 'c.txt': 'hit\nhit', 'd.txt': 'hit' };
    expect(await textOf({ pattern: 'hit' }, files)).toBe(
      'a.txt:1:hit\nb.txt:1:hit\n\nc.txt\n1:hit\n2:hit\n\nd.txt:1:hit',
    );
  });

  test('shows context in grouped answers unless another form is asked for', async () => {
    const files = { 'a.txt': '1\nhit\n' };
    expect(await textOf({ pattern: 'hit', context_lines: 1 }, files)).toBe('a.txt\n1-1\n2:hit');
    expect(await textOf({ pattern: 'hit' }, files)).toBe('a.txt:2:hit');
  });

  test('says once why nothing matches', async () => {
    const { result, meta } = await search({ pattern: 'nowhere' }, { 'a.txt': 'x' });
    expect(result).toBe('[no matches: the pattern matched nothing]');
    expect(JSON.stringify(meta)).not.toContain('the pattern');
  });

  test('bounds the counts of an answer that has only a part of the matches', async () => {
    const files = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`file-${i}.txt`, 'hit\n']));
    const { meta } = await search({ pattern: 'hit', max_matches: 20 }, files);
    const { counts, ...rest } = meta as { counts: object };
    expect(Object.keys(counts)).toHaveLength(50);
    expect(rest).toMatchObject({ files: 200 });
    expect(JSON.stringify(meta).length).toBeLessThan(2_500);
  });

  test('numbers the lines behind a long match', async () => {
    const files = { 'a.txt': `${'x\n'.repeat(70)}end\nafter\n` };
    const result = await textOf({ pattern: '(?s)x.*end', format: 'text', multiline: true, context_lines: 1 }, files);
    const lines = result?.split('\n') ?? [];
    expect(lines.slice(48)).toEqual([
      'a.txt:49:x',
      'a.txt:50:x',
      'a.txt:51:[... 21 more lines of this match]',
      '--',
      'a.txt-72-after',
    ]);
  });

  test('knows the intersection of classes', async () => {
    expect(await textOf({ pattern: '^[a-c&&b]$' }, { 'a.txt': 'a\nb\n&\n' })).toBe('a.txt:2:b');
    expect(await textOf({ pattern: '^[\\w&&[^\\d]]+$' }, { 'a.txt': 'a1\nab\n' })).toBe('a.txt:2:ab');
  });

  test('takes the line ends of Windows for line ends when matches cross lines', async () => {
    const files = { 'a.txt': 'one;\r\ntwo;\r\nthree\r\n' };
    for (const pattern of [';\\ntwo', ';$\\n^two;$', '.*\\n\\w+;', ';\ntwo', ';\\r\\ntwo']) {
      expect([pattern, await textOf({ pattern, multiline: true }, files)]).toEqual([pattern, 'a.txt\n1:one;\n2:two;']);
    }
  });

  test('finds a lock file by its type', async () => {
    const files = { 'Cargo.lock': 'hit\n', 'Cargo.toml': 'hit\n', 'other.lock': 'hit\n' };
    expect(await textOf({ pattern: 'hit', type: 'toml' }, files)).toBe('Cargo.lock:1:hit\nCargo.toml:1:hit');
  });

  test('searches UTF-16 with a mark as text, also by its name', async () => {
    const files = { 'd/le.txt': Buffer.from('\ufeffnaïve\r\nb', 'utf16le') };
    expect(await textOf({ pattern: '^naïve$' }, files)).toBe('d/le.txt:1:naïve');
    expect(await textOf({ pattern: '^naïve$', path: 'd/le.txt' }, files)).toBe('d/le.txt:1:naïve');
    expect(await textOf({ pattern: 'naïve\\nb', multiline: true }, files)).toBe('d/le.txt\n1:naïve\n2:b');
  });

  test('takes a list of globs, exclusions among them, and names a glob without a file', async () => {
    const files = { 'app/[id]/p.ts': 'hit', 'app/i/p.ts': 'hit', 'a,b.ts': 'hit', 'a.md': 'hit', 'x/y.md': 'hit' };
    const found = async (include: string) => {
      const { result, meta } = await search({ pattern: 'hit', include, format: 'filenames' }, files);
      return [
        ...(result as string).split('\n').map((line) => line.replace(': 1', '')),
        ...((meta as { warnings?: string[] } | undefined)?.warnings ?? []),
      ];
    };
    expect(await found('a,b.ts')).toEqual(['a,b.ts']);
    expect(await found('app/[id]/*.ts, *.md')).toEqual(['a.md', 'app/[id]/p.ts', 'x/y.md']);
    expect(await found('*.md,!x')).toEqual(['a.md']);
    expect(await found('!*.ts,!./a.md')).toEqual(['x/y.md']);
    expect(await found('*.md,*.go,!*.rs')).toEqual(['a.md', 'x/y.md', 'include: no file matches *.go']);
  });

  describe('an answer without matches', () => {
    const TREE: FileTree = { 'src/a.ts': 'x', 'node_modules/m/i.js': 'needle', 'lib/b.rs': 'x' };

    test.each([
      ['/etc/*', 'globs match paths relative to the workspace'],
      ['../*', 'leaves the searched directory'],
      ['src', 'src is a directory: try src/** for all files below it'],
      ['.*\\.rs$', 'looks like a regular expression, but globs are expected here, such as *.rs'],
    ])('says what is wrong with include: %s', async (include, advice) => {
      const { result, meta } = await search({ pattern: 'x', include }, TREE);
      expect(result).toContain(advice);
      expect(meta).toMatchObject({ zero_match_reason: 'pattern_matched_nothing' });
    });

    test.each([
      [
        'needle\\|x',
        'the pattern matched nothing; \\| is a literal |: without the backslash, the pattern has 2 matches',
      ],
      ['y\\|z', 'the pattern matched nothing; \\| is a literal |: without the backslash, the pattern has 0 matches'],
      ['\\(x\\)\\+', '\\( \\) \\+ are literal characters: without the backslash, the pattern has 2 matches'],
      ['x\\{1\\}', '\\{ \\} are literal characters: without the backslash, the pattern has 2 matches'],
    ])('says what grep would make of %s', async (pattern, advice) => {
      const { result, meta } = await search({ pattern }, TREE);
      expect(result).toMatch(/^\[no matches: /);
      expect(result).toContain(`${advice}]`);
      expect(meta).toMatchObject({ zero_match_reason: 'pattern_matched_nothing' });
    });

    test.each([
      [{ pattern: 'y\\(\\)' }, 'what grep would not find either'],
      [{ pattern: 'x\\(' }, 'what grep would refuse'],
      [{ pattern: 'x\\\\|y' }, 'a backslash before a bar'],
      [{ pattern: 'x\\|y', literal: true }, 'plain text'],
    ])('says nothing of grep for %j: %s', async (args: object, _) => {
      expect(await textOf(args, TREE)).toBe('[no matches: the pattern matched nothing]');
    });

    test('says that there was no time to read a pattern as grep does', { tags: 'slow' }, async () => {
      const files = { a: `${'a'.repeat(60)}\na!\n` };
      expect(await textOf({ pattern: '(?!z)\\(a+\\)+!', timeout: 1 }, files)).toBe(
        '[no matches: the pattern matched nothing; \\( \\) are literal characters: without the backslash, the pattern was not tried in time]',
      );
    });

    test('says nothing of grep where nothing was searched', async () => {
      expect(await textOf({ pattern: 'x\\|y', include: '*.zig' }, TREE)).toBe(
        '[no matches: no file matches include, so nothing was searched]',
      );
    });

    test('says that there was no time to search what was left out', { tags: 'slow' }, async () => {
      const files = { '.h': `${'a'.repeat(60)}\na!\n` };
      expect(await search({ pattern: '(?!z)(a+)+!', timeout: 1 }, files)).toMatchObject({
        result: '[no matches: all files are ignored, hidden or excluded: pass no_ignore: true to search them]',
        meta: { zero_match_reason: 'only_ignored' },
      });
    });

    test('says both what was left out and what grep would find', async () => {
      const files = { '.gitignore': 'm', m: 'a|b', 'x.ts': 'b' };
      expect(await textOf({ pattern: 'a\\|b' }, files)).toMatch(
        /such as m: pass no_ignore: true to search them; \\\| is a literal \|: .* has 1 match\]$/,
      );
    });

    test('names a file that is left out and has a match', async () => {
      expect(await search({ pattern: 'needle' }, TREE)).toMatchObject({
        result: expect.stringContaining('such as node_modules/m/i.js: pass no_ignore: true'),
        meta: { zero_match_reason: 'only_ignored' },
      });
    });
  });
});

test.each([
  [{ include: '*.zig' }, 'include'],
  [{ type: 'zig' }, 'type'],
  [{ include: '*.zig', type: 'zig' }, 'include and type'],
])('names the arguments that chose no file: %j', async (args, names) => {
  const { result } = await call(searchFiles, { pattern: 'a', ...args }, { files: { 'a.ts': 'a' } });
  expect(result).toBe(`[no matches: no file matches ${names}, so nothing was searched]`);
});

test.each([{ include: ['*.py', '*.js'] }, { include: '["*.py", "*.js"]' }, { glob: ['*.{py,js}', '!c*'] }])(
  'takes a list of globs: %j',
  async (args) => {
    const files = { 'a.py': 'x', 'b.js': 'x', 'c.ts': 'x' };
    expect((await call(searchFiles, { pattern: 'x', ...args }, { files })).result).toBe('a.py:1:x\nb.js:1:x');
  },
);
