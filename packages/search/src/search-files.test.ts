import fs from 'node:fs';
import path from 'node:path';
import { type CallOptions, call, type FileTree, makeTempDirectory, makeTree } from '@jinn/testkit';
import { describe, expect, test } from 'vitest';
import { searchFiles } from './search-files.ts';

/** Both engines: the one that came with jinn, and our own. */
const ENGINES = [
  ['ripgrep', process.env],
  ['built-in', { JINN_RIPGREP: 'off' }],
] as const;

/** Matches across lines and single files are left to the built-in engine. */
function isForBuiltIn(args: { pattern?: string; path?: string; multiline?: boolean }): boolean {
  return args.multiline === true || args.pattern?.includes('\n') === true || args.path !== undefined;
}

/** UTF-8 but for the given bytes. */
function broken(bytes: string): Buffer {
  return Buffer.concat([Buffer.from(bytes, 'latin1'), Buffer.from('xéxéxéxéxéx\n')]);
}

describe.each(ENGINES)('with %s', (engine, environment) => {
  async function search(args: object, where: FileTree | CallOptions) {
    const options = 'root' in where || 'files' in where ? (where as CallOptions) : { files: where as FileTree };
    const answer = await call(searchFiles, { format: 'text', ...args }, { environment, ...options });
    if (answer.ok && !isForBuiltIn(args)) expect((answer.meta as { engine: string }).engine).toContain(engine);
    return answer;
  }

  async function linesOf(args: object, files: FileTree): Promise<string[]> {
    return ((await search(args, files)).result ?? '').split('\n');
  }

  test('gives file, line and text, in the order of paths and lines', async () => {
    const files = {
      'b.txt': 'needle\nno\nneedle two\n',
      'a/z.txt': 'a needle\n',
      'a-b.txt': 'needle',
      'c.txt': 'no\n',
    };
    const { result, total_count, truncated } = await search({ pattern: 'needle' }, files);
    expect(result?.split('\n')).toEqual([
      'a-b.txt:1:needle',
      'a/z.txt:1:a needle',
      'b.txt:1:needle',
      'b.txt:3:needle two',
    ]);
    expect({ total_count, truncated }).toEqual({ total_count: 4, truncated: undefined });
  });

  test('gives objects with the column of the first match, in characters', async () => {
    const files = {
      'src.go': 'package main\nfunc loginHandler() {}\n',
      'x.txt': 'func loginHandler',
      'é.go': '\u{1f600}é func aHandler\n',
    };
    const { result } = await search({ pattern: 'func \\w+Handler', format: 'json', include: '*.go' }, files);
    expect(JSON.parse(result ?? '')).toEqual([
      { file: 'src.go', line: 2, column: 1, text: 'func loginHandler() {}' },
      { file: 'é.go', line: 1, column: 4, text: '\u{1f600}é func aHandler' },
    ]);
  });

  test.for([
    ['log\\(.*path', 'log("gr\xf6\xdfe", path);'],
    ['"[^"]*", p', 'log("gr\xf6\xdfe", path);'],
    ['gr..e', 'x gr\xf6\xdfe'],
    ['g\\S+e', 'x gr\xf6\xdfe'],
    ['\\W{3}', '\xd6\xd0\xce\xc4'],
    ['^// .*$', '// \xd6\xd0\xce\xc4'],
  ] as const)('takes a byte that is not UTF-8 for a character: %s', async ([pattern, line]) => {
    const foreign = broken(`a\n${line}\nb\n`);
    const files = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`f${i}`, foreign]));
    // A match of parts of characters is none.
    files['utf8'] = Buffer.from('gré 中 é\u3000é');
    const { total_count, result } = await search({ pattern, max_matches: 1 }, files);
    expect([total_count, result]).toEqual([30, expect.stringMatching(/^f0:2:/)]);
  });

  test.for([
    ['"[^"\\n]*foo', ['a:1:const a = "foo";']],
    ['=[ \\t\\r\\n]+"', ['a:1:const a = "foo";']],
    ['\\h"foo\\b{start-half}?', undefined],
    ['\\h"foo', ['a:1:const a = "foo";']],
    ['foo";\\Z', ['a:1:const a = "foo";']],
  ] as const)('takes %s in a search line by line', async ([pattern, lines]) => {
    const { result = '', error_code } = await search({ pattern }, { a: 'const a = "foo";\r\n"bar"\n' });
    expect(lines ? result.split('\n') : error_code).toEqual(lines ?? 'invalid_regex');
  });

  test('names the files in which text outside ASCII cannot match', async () => {
    const files = { a: broken('caf\xe9'), b: broken('th\xe9'), c: 'thé' };
    const hint = 'the pattern matched nothing; 2 files are not UTF-8: text outside ASCII was not matched there';
    expect((await search({ pattern: 'café' }, files)).result).toContain(hint);
    expect((await search({ pattern: 'caf\\xe9', multiline: true }, files)).result).toContain(hint);
    expect((await search({ pattern: 'cafe' }, files)).result).not.toContain('UTF-8');
    expect((await search({ pattern: 'café' }, { c: 'thé' })).result).not.toContain('UTF-8');
  });

  test('gives files with the number of lines that match', async () => {
    const files = { 'a.txt': 'TODO TODO\nTODO\n', 'b.txt': 'TODO', 'c.txt': 'done' };
    expect(await linesOf({ pattern: 'TODO', format: 'filenames' }, files)).toEqual(['a.txt: 2', 'b.txt: 1']);
  });

  test('tells versions of what it shows', async () => {
    const root = makeTempDirectory();
    makeTree(root, { 'a.txt': 'x\n' });
    const version = async () => ((await search({ pattern: 'x' }, { root })).meta as { versions: object }).versions;
    const before = await version();
    expect(Object.keys(before)).toEqual(['a.txt']);
    fs.writeFileSync(path.join(root, 'a.txt'), 'x\ny\n');
    expect(await version()).not.toEqual(before);
  });

  test('searches one file, also one that git ignores', async () => {
    const files = { '.gitignore': 'a.log\n', 'a.log': 'x\n', 'b.log': 'x\n' };
    expect(await linesOf({ pattern: 'x', path: 'a.log' }, files)).toEqual(['a.log:1:x']);
  });

  test('takes plain text, in any case', async () => {
    const files = { 'a.txt': 'x [int) y\nX [INT) Y\naXb\n' };
    expect(await linesOf({ pattern: '[int)', literal: true }, files)).toEqual(['a.txt:1:x [int) y']);
    expect(await linesOf({ pattern: '[int)', literal: true, case_insensitive: true }, files)).toHaveLength(2);
    expect(await linesOf({ pattern: 'A.B', literal: true, case_insensitive: true }, files)).toEqual([
      '[no matches: the pattern matched nothing]',
    ]);
    expect(await linesOf({ pattern: 'y\r\nX', literal: true }, files)).toEqual([
      'a.txt:1:x [int) y',
      'a.txt:2:X [INT) Y',
    ]);
  });

  test('gives each line of context once, in order', async () => {
    const files = { 'a.txt': '1\n2\nT3\n4\n5\nT6\n7\n8\n9\n10\nT11\n', 'b.txt': 'T' };
    const { result } = await search({ pattern: 'T', format: 'text', context_lines: 2 }, files);
    expect(result).toBe(
      'a.txt-1-1\na.txt-2-2\na.txt:3:T3\na.txt-4-4\na.txt-5-5\na.txt:6:T6\na.txt-7-7\na.txt-8-8\na.txt-9-9\na.txt-10-10\na.txt:11:T11\n--\nb.txt:1:T',
    );
    const json = await search({ pattern: 'T', context_lines: 2, format: 'json' }, { 'a.txt': files['a.txt'] });
    expect(
      JSON.parse(json.result ?? '').map((match: object) => ({ ...match, file: undefined, column: undefined })),
    ).toEqual([
      { line: 3, text: 'T3', context_before: ['1', '2'], context_after: ['4', '5'] },
      { line: 6, text: 'T6', context_after: ['7', '8'] },
      { line: 11, text: 'T11', context_before: ['9', '10'] },
    ]);
  });

  test('separates what does not touch', async () => {
    const { result } = await search(
      { pattern: 'T', format: 'text', context_lines: 1 },
      { 'a.txt': 'T\n2\n3\n4\nT\nT\n' },
    );
    expect(result).toBe('a.txt:1:T\na.txt-2-2\n--\na.txt-4-4\na.txt:5:T\na.txt:6:T');
  });

  test('cuts at max_matches, counts all, and reads on at an offset', async () => {
    const files = { 'a.txt': 'hit 1\nhit 2\n', 'b.txt': 'hit 3\nhit 4\nhit 5\n' };
    const { result, truncated, total_count, meta } = await search({ pattern: 'hit', max_matches: 3 }, files);
    expect(result).toBe(
      'a.txt:1:hit 1\na.txt:2:hit 2\nb.txt:1:hit 3\n[matches 1 to 3 of 5; pass offset: 3 for the next ones]',
    );
    expect({ truncated, total_count }).toEqual({ truncated: true, total_count: 5 });
    expect(meta).toMatchObject({ counts: { 'a.txt': 2, 'b.txt': 3 } });
    const rest = await search({ pattern: 'hit', max_matches: 3, offset: 3, format: 'json' }, files);
    expect(JSON.parse(rest.result ?? '').map(({ text }: { text: string }) => text)).toEqual(['hit 4', 'hit 5']);
    expect(rest).toMatchObject({ total_count: 5, meta: { counts: { 'a.txt': 2, 'b.txt': 3 } } });
    expect(rest.truncated).toBeUndefined();
    expect(await linesOf({ pattern: 'hit', max_matches: 3, offset: 3 }, files)).toContain('[matches 4 to 5 of 5]');
    expect(await linesOf({ pattern: 'hit', offset: 5 }, files)).toEqual(['[no matches from offset 5 on: there are 5]']);
    expect(await search({ pattern: 'hit', format: 'filenames', max_matches: 1 }, files)).toMatchObject({
      result: 'a.txt: 2\n[files 1 to 1 of 2; pass offset: 1 for the next ones]',
      truncated: true,
      total_count: 2,
      meta: { counts: { 'a.txt': 2, 'b.txt': 3 } },
    });
    const last = await search({ pattern: 'hit', format: 'filenames', max_matches: 1, offset: 1 }, files);
    expect(last).toMatchObject({ result: 'b.txt: 3\n[files 2 to 2 of 2]', total_count: 2 });
    expect(last.truncated).toBeUndefined();
    expect(await linesOf({ pattern: 'hit', format: 'filenames', offset: 2 }, files)).toEqual([
      '[no files from offset 2 on: there are 2]',
    ]);
    expect(await search({ pattern: 'hit', max_matches: 5 }, files)).toMatchObject({ total_count: 5 });
    expect((await search({ pattern: 'hit', max_matches: 5 }, files)).truncated).toBeUndefined();
  });

  test('takes include from the path too, other names of types, and a directory called ~', async () => {
    const files = { 'src/sub/a.ts': 'hit\n', 'src/b.md': 'hit\n', '~/c.ts': 'hit\n' };
    expect(await linesOf({ pattern: 'hit', path: 'src', include: 'sub/*.ts' }, files)).toEqual(['src/sub/a.ts:1:hit']);
    expect(await linesOf({ pattern: 'hit', type: 'md' }, files)).toEqual(['src/b.md:1:hit']);
    expect(await search({ pattern: 'hit' }, files)).toMatchObject({
      result: 'src/b.md:1:hit\nsrc/sub/a.ts:1:hit\n~/c.ts:1:hit',
      total_count: 3,
    });
    expect(await linesOf({ pattern: 'hit', path: './~' }, files)).toEqual(['~/c.ts:1:hit']);
  });

  test('counts exactly, however many there are', async () => {
    const files = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`d${i % 3}/${i}.txt`, 'hit\n'.repeat(300)]));
    const { total_count, result } = await search({ pattern: 'hit', offset: 8_990, max_matches: 5 }, files);
    expect(total_count).toBe(9_000);
    expect(result?.split('\n').slice(0, 5)).toEqual(Array.from({ length: 5 }, (_, i) => `d2/8.txt:${291 + i}:hit`));
  });

  test('cuts long lines between characters, with the match in what is shown', async () => {
    const files = {
      'a.txt': `START${'日'.repeat(600)}END\n${'x'.repeat(5_000)}${'\u{1f600}'.repeat(100)}needle${'y'.repeat(900)}\n`,
    };
    const [start] = await linesOf({ pattern: 'START' }, files);
    expect(start).toBe(`a.txt:1:START${'日'.repeat(195)}...`);
    const [middle] = await linesOf({ pattern: 'needle' }, files);
    expect(middle).toBe(`a.txt:2:...${'\u{1f600}'.repeat(60)}needle${'y'.repeat(134)}...`);
    const [end] = await linesOf({ pattern: 'END' }, files);
    expect(end).toBe(`a.txt:1:...${'日'.repeat(60)}END`);
    expect(JSON.parse((await search({ pattern: 'needle', format: 'json' }, files)).result ?? '')[0].column).toBe(5_101);
  });

  test('matches across lines when asked to', async () => {
    const files = { 'a.txt': 'a\nb\n\na\nb\n' };
    expect(await linesOf({ pattern: 'a\\nb', multiline: true }, files)).toEqual([
      'a.txt:1:a',
      'a.txt:2:b',
      'a.txt:4:a',
      'a.txt:5:b',
    ]);
    expect((await search({ pattern: 'a\\nb', multiline: true }, files)).total_count).toBe(2);
    expect(await search({ pattern: 'a\\nb' }, files)).toMatchObject({
      ok: false,
      error_code: 'invalid_regex',
      suggestion: expect.stringContaining('multiline'),
    });
  });

  test('reads what editors write: line ends of Windows, byte order marks, UTF-16', async () => {
    const files = {
      'bom.txt': '\ufeffend;\r\n',
      'be.txt': Buffer.from('\ufeffé\r\nend;\r\n', 'utf16le').swap16(),
      'le.txt': Buffer.from('\ufeffé\r\nend;\r\n', 'utf16le'),
      'win.txt': 'x\r\nend;\r\n',
    };
    expect(await linesOf({ pattern: '^end;$' }, files)).toEqual([
      'be.txt:2:end;',
      'bom.txt:1:end;',
      'le.txt:2:end;',
      'win.txt:2:end;',
    ]);
  });

  test('leaves binary files out, and shows foreign bytes as what they are not', async () => {
    const late = Buffer.concat([Buffer.from('hit\n'), Buffer.alloc(300_000, 'x\n'), Buffer.from([0])]);
    const files = { 'a.bin': 'hit\0', 'late.bin': late, 'odd.txt': broken('caf\xe9 hit\n') };
    expect(await linesOf({ pattern: 'hit' }, files)).toEqual(['odd.txt:1:caf\ufffd hit']);
    expect((await search({ pattern: 'hit', multiline: true }, files)).total_count).toBe(1);
  });

  test('takes any names, and any text behind them', async () => {
    const files = {
      '-e': 'hit',
      '--pre=x': 'hit',
      'a:1:b': 'hit',
      'a-1-b': 'c\nhit\n12:30:x hit',
      'new\nline': 'hit',
      ' ': 'hit',
      'q"\'\\': 'hit',
      '*.txt': 'hit',
    };
    const { result } = await search({ pattern: 'hit', format: 'json' }, files);
    expect(JSON.parse(result ?? '').map(({ file, line }: { file: string; line: number }) => [file, line])).toEqual([
      [' ', 1],
      ['*.txt', 1],
      ['--pre=x', 1],
      ['-e', 1],
      ['a-1-b', 2],
      ['a-1-b', 3],
      ['a:1:b', 1],
      ['new\nline', 1],
      ['q"\'\\', 1],
    ]);
    expect(await linesOf({ pattern: '^12:30', format: 'text', context_lines: 1 }, files)).toEqual([
      'a-1-b-2-hit',
      'a-1-b:3:12:30:x hit',
    ]);
    expect(await linesOf({ pattern: '--help' }, { x: '--help\n' })).toEqual(['x:1:--help']);
    expect(
      (await linesOf({ pattern: 'hit', format: 'filenames' }, files)).filter((line) => line.includes('new')),
    ).toEqual(['new\\nline: 1']);
  });

  test.runIf(process.platform === 'linux')('leaves out names that are not UTF-8, and says so', async () => {
    const root = makeTempDirectory();
    fs.writeFileSync(Buffer.concat([Buffer.from(`${root}/a`), Buffer.from([0xff])]), 'hit');
    fs.writeFileSync(path.join(root, 'b'), 'hit');
    const { result, meta } = await search({ pattern: 'hit' }, { root });
    expect(result).toBe('b:1:hit');
    expect((meta as { warnings: string[] }).warnings).toEqual(['.: left out 1 name that is not UTF-8']);
  });

  test('does not wait for FIFOs, and follows no links', async () => {
    const outside = makeTempDirectory();
    makeTree(outside, { 'secret.txt': 'hit' });
    const files: FileTree = {
      'a/fifo': { fifo: true },
      'a/x': 'hit',
      link: { symlink: outside },
      'a/link': { symlink: `${outside}/secret.txt` },
    };
    expect(await linesOf({ pattern: 'hit' }, files)).toEqual(['a/x:1:hit']);
    expect(await search({ pattern: 'hit', path: 'a/fifo' }, files)).toMatchObject({
      ok: false,
      error_code: 'not_a_file',
    });
  });

  describe('of what is left out', () => {
    const TREE: FileTree = {
      '.gitignore': 'ignored/\n*.log\n',
      '.github/ci.yml': 'hit',
      'ignored/x': 'hit',
      'x.log': 'hit',
      'src/a.ts': 'hit',
      'src/.gitignore': 'b.ts\n!x.log\n',
      'src/b.ts': 'hit',
      'src/x.log': 'hit',
      'node_modules/m/i.js': 'hit',
      'deep/vendor/v': 'hit',
      'dist/d': 'hit',
      'build/b': 'hit',
      '__pycache__/p': 'hit',
      '.cache/c': 'hit',
      '.git/config': 'hit',
      '.env': 'hit',
      'deploy/.env.production': 'hit',
      '.ssh/id': 'hit',
    };
    const SHOWN = ['src/a.ts:1:hit', 'src/x.log:1:hit'];

    test('it says nothing, whatever include says', async () => {
      expect(await linesOf({ pattern: 'hit' }, TREE)).toEqual(SHOWN);
      expect(await linesOf({ pattern: 'hit', include: '*' }, TREE)).toEqual(SHOWN);
      expect(await linesOf({ pattern: 'hit', include: '**/*' }, TREE)).toEqual(SHOWN);
      for (const include of ['.env', '.env*', '**/.env.production', '.git/*', 'node_modules/**']) {
        expect((await linesOf({ pattern: 'hit', include }, TREE))[0]).toMatch(/^\[no matches: /);
      }
    });

    test('it searches a directory that is excluded when it is named', async () => {
      const files = { ...TREE, '.gitignore': 'node_modules/\ndist\n', 'node_modules/m/node_modules/n/i.js': 'hit' };
      for (const path of ['node_modules', 'node_modules/m', 'node_modules/m/i.js']) {
        expect(await linesOf({ pattern: 'hit', path }, files)).toEqual(['node_modules/m/i.js:1:hit']);
      }
      expect(await linesOf({ pattern: 'hit', path: 'deep/vendor' }, files)).toEqual(['deep/vendor/v:1:hit']);
      expect(await linesOf({ pattern: 'hit', path: ['dist', 'src'] }, files)).toEqual(['dist/d:1:hit', ...SHOWN]);
    });

    test('it shows hidden files on request, and with no_ignore all but secrets', async () => {
      expect(await linesOf({ pattern: 'hit', hidden: true }, TREE)).toEqual(['.github/ci.yml:1:hit', ...SHOWN]);
      const all = await linesOf({ pattern: 'hit', no_ignore: true, format: 'filenames' }, TREE);
      expect(all.map((line) => line.replace(/:.*/, ''))).toEqual([
        '.cache/c',
        '.github/ci.yml',
        '__pycache__/p',
        'build/b',
        'deep/vendor/v',
        'dist/d',
        'ignored/x',
        'node_modules/m/i.js',
        'src/a.ts',
        'src/b.ts',
        'src/x.log',
        'x.log',
      ]);
      expect(await linesOf({ pattern: 'hit', no_ignore: true, include: '.env*' }, TREE)).toEqual([
        '[no matches: no file matches include, so nothing was searched]',
      ]);
    });

    test('it says whether there are files at all', async () => {
      const reasonOf = async (args: object) =>
        (
          await search(
            { pattern: 'nowhere', format: 'json', ...args },
            { ...TREE, 'void/': '', 'only/.hidden': 'hit\n' },
          )
        ).meta;
      expect(await reasonOf({ path: 'void' })).toMatchObject({ zero_match_reason: 'path_is_empty_dir' });
      expect(await reasonOf({ path: 'only' })).toMatchObject({
        zero_match_reason: 'pattern_matched_nothing',
        hint: 'all files are ignored, hidden or excluded, and the pattern matches nothing in them either',
      });
      expect(await reasonOf({ include: '*.zig' })).toMatchObject({ zero_match_reason: 'pattern_matched_nothing' });
    });

    test('it searches what is hidden when it is named', async () => {
      expect(await linesOf({ pattern: 'hit', path: '.github' }, TREE)).toEqual(['.github/ci.yml:1:hit']);
      expect(await linesOf({ pattern: 'hit', path: '.github/ci.yml' }, TREE)).toEqual(['.github/ci.yml:1:hit']);
      expect(await linesOf({ pattern: 'hit', path: 'd' }, { 'd/.h/x': 'hit\n', 'd/a': 'hit\n' })).toEqual([
        'd/a:1:hit',
      ]);
    });

    test('it searches a directory that git ignores when it is named', async () => {
      expect(await linesOf({ pattern: 'hit', path: 'ignored' }, TREE)).toEqual(['ignored/x:1:hit']);
      const rules = '/out/\n*.py[cod]\n**/x/*.o\n*.log\n!keep.log\n';
      const files = { '.gitignore': rules, 'out/a': 'hit\n', 'out/b/c': 'hit\n', 'out/b/d.log': 'hit\n' };
      const found = ['out/a:1:hit', 'out/b/c:1:hit', 'out/b/keep.log:1:hit'];
      expect(await linesOf({ pattern: 'hit', path: 'out' }, { ...files, 'out/b/keep.log': 'hit\n' })).toEqual(found);
      expect(await linesOf({ pattern: 'hit', path: 'out/b' }, files)).toEqual(['out/b/c:1:hit']);
    });

    test.each(['.git', '.ssh', '.env', 'deploy/.env.production', '../x', '/etc'])(
      'it refuses %s as a path',
      async (refused) => {
        expect(await search({ pattern: 'hit', path: refused }, TREE)).toMatchObject({
          ok: false,
          error_code: 'path_outside_sandbox',
        });
      },
    );
  });

  test('says why nothing was found', async () => {
    const reasonOf = async (args: object, files: FileTree) => {
      const { ok, result, total_count, meta } = await search(args, files);
      expect({ ok, total_count }).toEqual({ ok: true, total_count: 0 });
      return [result, (meta as { zero_match_reason: string }).zero_match_reason];
    };
    expect(await reasonOf({ pattern: 'x' }, { a: 'y' })).toEqual([
      '[no matches: the pattern matched nothing]',
      'pattern_matched_nothing',
    ]);
    expect(await reasonOf({ pattern: 'x', format: 'json' }, { a: 'y' })).toEqual(['[]', 'pattern_matched_nothing']);
    expect(await reasonOf({ pattern: 'x', path: 'd' }, { 'd/': '' })).toEqual([
      '[no matches: there are no files to search]',
      'path_is_empty_dir',
    ]);
    expect(await reasonOf({ pattern: 'x' }, { '.gitignore': 'a', a: 'x' })).toEqual([
      '[no matches: the only matches are in files that are ignored, excluded or hidden, such as a: pass no_ignore: true to search them]',
      'only_ignored',
    ]);
    expect(await reasonOf({ pattern: 'x' }, { '.a': 'x' })).toEqual([
      '[no matches: the only matches are in files that are hidden, such as .a: pass hidden: true to search them]',
      'only_ignored',
    ]);
    expect(await reasonOf({ pattern: 'KEY' }, { '.env': 'KEY' })).toEqual([
      '[no matches: there are no files to search]',
      'path_is_empty_dir',
    ]);
  });

  test('chooses files by glob and by type', async () => {
    const files = { 'a.ts': 'x', 'b.tsx': 'x', 'c.js': 'x', 'src/d.ts': 'x', Makefile: 'x', 'Makefile.ts': 'x' };
    expect(await linesOf({ pattern: 'x', include: '*.{ts,js}' }, files)).toEqual([
      'Makefile.ts:1:x',
      'a.ts:1:x',
      'c.js:1:x',
      'src/d.ts:1:x',
    ]);
    expect(await linesOf({ pattern: 'x', include: 'src/*.ts' }, files)).toEqual(['src/d.ts:1:x']);
    expect(await linesOf({ pattern: 'x', type: 'ts', include: 'a*' }, files)).toEqual(['a.ts:1:x']);
    expect(await linesOf({ pattern: 'x', type: 'make' }, files)).toEqual(['Makefile:1:x']);
    expect(await linesOf({ pattern: 'x', include: '*.js, src/*.ts,a.{py,ts}' }, files)).toEqual([
      'a.ts:1:x',
      'c.js:1:x',
      'src/d.ts:1:x',
    ]);
    expect(await linesOf({ pattern: 'x', include: '*.js,*.tsx' }, files)).toEqual(['b.tsx:1:x', 'c.js:1:x']);
    expect(await search({ pattern: 'x', path: '*.js' }, files)).toMatchObject({
      ok: false,
      error_code: 'file_not_found',
      suggestion: 'path takes files and directories. Pass a glob as include: "*.js"',
    });
    expect((await search({ pattern: 'x', path: 'nope' }, files)).suggestion).not.toContain('include');
    expect(await linesOf({ query: 'x', glob: '*.js', context: 1, '-n': true, limit: '5' }, files)).toEqual([
      'c.js:1:x',
    ]);
    expect(await search({ pattern: 'x', type: 'rus' }, files)).toMatchObject({
      ok: false,
      error_code: 'invalid_args',
      suggestion: 'did you mean rust?',
    });
    expect(await search({ pattern: 'x', include: '[' }, files)).toMatchObject({
      ok: false,
      error_code: 'invalid_glob',
    });
  });

  test('takes several paths, each file once', async () => {
    const files = {
      'a.md': 'hit\n',
      'src/a.ts': 'hit\nhit\n',
      'src/b.md': 'hit\n',
      'src/d/.gitignore': '*.log\n',
      'src/d/x.log': 'hit\n',
      'src/d/c.ts': 'hit\n',
      'lib/a.ts': 'hit\n',
    };
    const path = ['src', 'a.md', 'src/a.ts', 'src/d', 'src/d/x.log', './src'];
    const found = ['a.md:1:hit', 'src/a.ts:1:hit', 'src/a.ts:2:hit', 'src/b.md:1:hit', 'src/d/c.ts:1:hit'];
    expect(await linesOf({ pattern: 'hit', path }, files)).toEqual([...found, 'src/d/x.log:1:hit']);
    expect(await search({ pattern: '(?=hit)', path }, files)).toMatchObject({ total_count: 6 });
    expect(await linesOf({ pattern: 'hit', path: ['a.md', 'src'], include: '*.ts' }, files)).toEqual([
      'a.md:1:hit',
      'src/a.ts:1:hit',
      'src/a.ts:2:hit',
      'src/d/c.ts:1:hit',
    ]);
    expect(await linesOf({ pattern: 'hit', path: ['src', 'lib'], include: 'd/*' }, files)).toEqual([
      'src/d/c.ts:1:hit',
    ]);
    for (const [bad, error_code] of [
      [['src', 'nope'], 'file_not_found'],
      [['src', '../x'], 'path_outside_sandbox'],
      [[], 'invalid_args'],
      [[''], 'invalid_args'],
      [Array(101).fill('src'), 'invalid_args'],
    ] as const) {
      expect(await search({ pattern: 'hit', path: bad }, files)).toMatchObject({ ok: false, error_code });
    }
  });

  test('refuses a bad pattern at once, with the place and what to do', async () => {
    expect(await search({ pattern: '[int)' }, { a: 'x' })).toMatchObject({
      ok: false,
      error: 'invalid regex: missing ], at character 1',
      error_code: 'invalid_regex',
      suggestion: expect.stringContaining('literal: true'),
    });
    expect(await search({ pattern: 'x', path: 'nope' }, { a: 'x' })).toMatchObject({
      ok: false,
      error_code: 'file_not_found',
    });
  });

  test('answers for lines of megabytes', async () => {
    const long = `${'a'.repeat(4_000_000)}needle${'b'.repeat(4_000_000)}`;
    const { result } = await search(
      { pattern: 'needle', format: 'json', context_lines: 1 },
      { a: `${long}\nx\n${long}` },
    );
    const [first, second] = JSON.parse(result ?? '');
    expect(first).toMatchObject({
      line: 1,
      column: 4_000_001,
      text: `...${'a'.repeat(60)}needle${'b'.repeat(134)}...`,
    });
    expect(second).toMatchObject({ line: 3 });
  });
});

test.skipIf(!fs.existsSync('/proc/self/status'))('shows what it finds in a file that has no size', async () => {
  for (const args of [{ path: 'status' }, { include: 'status' }]) {
    const { result } = await call(searchFiles, { pattern: '^Name:', ...args }, { root: '/proc/self' });
    expect(result).toMatch(/^status:1:Name:\t/);
  }
});

test('runs what ripgrep has no words for on its own engine', async () => {
  const files = { a: 'foobar\nfoobaz\nabab\n' };
  const { result, meta } = await call(searchFiles, { pattern: 'foo(?!bar)|(ab)\\1' }, { files });
  expect(result).toBe('a\n2:foobaz\n3:abab');
  expect(meta).toMatchObject({ engine: 'built-in' });
});

test('answers a pattern that explodes', async () => {
  const { ok, result } = await call(searchFiles, { pattern: '(a+)+$' }, { files: { a: `${'a'.repeat(100_000)}b\n` } });
  expect({ ok, result }).toEqual({ ok: true, result: '[no matches: the pattern matched nothing]' });
});

describe('ripgrep', () => {
  const FAKE = '#!/bin/sh\necho "ripgrep 99.0.0"\ntouch "$0.ran"\n';

  test('of the PATH is run when it is newer, unless it lies in the workspace', async () => {
    const root = makeTempDirectory();
    const bin = makeTempDirectory();
    makeTree(root, { 'bin/rg': { content: FAKE, mode: 0o755 }, a: 'x' });
    makeTree(bin, { rg: { content: FAKE, mode: 0o755 } });
    const inside = await call(searchFiles, { pattern: 'x' }, { root, environment: { PATH: `${root}/bin:bin:.` } });
    expect(inside).toMatchObject({ result: 'a:1:x' });
    expect(fs.existsSync(`${root}/bin/rg.ran`)).toBe(false);
    await call(searchFiles, { pattern: 'x' }, { root, environment: { PATH: bin } });
    expect(fs.existsSync(`${bin}/rg.ran`)).toBe(true);
  });

  test('that is old, or none at all, is not used', async () => {
    const bin = makeTempDirectory();
    makeTree(bin, { old: { content: '#!/bin/sh\necho "ripgrep 13.0.0"\n', mode: 0o755 } });
    for (const chosen of [`${bin}/old`, `${bin}/none`]) {
      const { meta } = await call(
        searchFiles,
        { pattern: 'x' },
        { files: { a: 'x' }, environment: { JINN_RIPGREP: chosen } },
      );
      expect(meta).toMatchObject({ engine: 'built-in' });
    }
  });

  test('reads no configuration of the user', async () => {
    const home = makeTempDirectory();
    makeTree(home, { rc: '--invert-match\n', '.ripgreprc': '--invert-match\n' });
    const environment = { ...process.env, HOME: home, RIPGREP_CONFIG_PATH: `${home}/rc` };
    const { result } = await call(
      searchFiles,
      { pattern: 'x' },
      { files: { a: 'x\ny\n', '.rgignore': 'a' }, environment },
    );
    expect(result).toBe('a:1:x');
  });
});

test('groups the lines by file, unless the caller asks for another format', async () => {
  const files = { 'a.txt': 'needle\nneedle 2\n', 'b.txt': 'needle\n' };
  for (const maxResult of [undefined, 4_000]) {
    const grouped = await call(searchFiles, { pattern: 'needle' }, { files, maxResult });
    expect(grouped.result).toBe('a.txt\n1:needle\n2:needle 2\n\nb.txt:1:needle');
  }
  const text = await call(searchFiles, { pattern: 'needle', format: 'text' }, { files });
  expect(text.result).toBe('a.txt:1:needle\na.txt:2:needle 2\nb.txt:1:needle');
});

test.each(['text', 'grouped', 'filenames'] as const)('pages to fit, in %s, and names the next page', async (format) => {
  const files = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`${i}.txt`, `n\u00e9\u00e9dle ${i}\n`]));
  const { result = '' } = await call(searchFiles, { pattern: 'dle', format }, { files, maxResult: 1_000 });
  expect(Buffer.byteLength(result)).toBeLessThanOrEqual(1_000);
  const [, last] = /\[(?:matches|files) 1 to (\d+) of 100; pass offset: \1 for the next ones\]$/.exec(result) ?? [];
  expect(result.match(/^\S*\.txt/gm)).toHaveLength(Number(last));
});
