import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { call, makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { searchFiles } from './search-files.ts';

const require = createRequire(import.meta.url);
const RG = createRequire(require.resolve('@vscode/ripgrep')).resolve(
  `@vscode/ripgrep-${process.platform}-${process.arch}/bin/rg`,
);

const FILES = {
  'a.txt': 'hit 1\nno\nhit 2\n',
  'd/b.txt': 'hit 3\n',
  // Too large for a search without a process.
  'large.txt': `${'no match here\n'.repeat(120_000)}hit 4\n`,
};
const LINES = ['a.txt:1:hit 1', 'a.txt:3:hit 2', 'd/b.txt:1:hit 3', 'large.txt:120001:hit 4'];

/** A ripgrep that does its work, and then what the script says. `$*` are its arguments. */
function fake(script: string): string {
  const directory = makeTempDirectory();
  const content = `#!/bin/sh\nif [ "$1" = --version ]; then echo "ripgrep 99.0.0"; exit; fi\n${script}\n`;
  makeTree(directory, { rg: { content, mode: 0o755 } });
  return `${directory}/rg`;
}

async function search(script: string, args: object = {}, files: Record<string, string> = FILES) {
  return call(
    searchFiles,
    { pattern: 'hit', format: 'text', ...args },
    { files, environment: { JINN_RIPGREP: fake(script) } },
  );
}

const HALF = `"${RG}" "$@" | head -n 1`;
const ENDS: [what: string, script: string][] = [
  ['panics after it has told one match', `${HALF}; echo "thread main panicked" >&2; exit 101`],
  ['ends with status 2 and a message that we do not know', `${HALF}; echo "rg: something is wrong" >&2; exit 2`],
  ['ends with status 2 and no message', `${HALF}; exit 2`],
  ['ran out of descriptors', `${HALF}; echo "rg: ./d/b.txt: Too many open files (os error 24)" >&2; exit 2`],
  ['is killed', `${HALF}; kill -9 $$`],
  ['ends with a status of its own', `${HALF}; exit 7`],
];

test.each(ENDS)('finds everything when ripgrep %s', async (_, script) => {
  for (const args of [{}, { pattern: 'hit(?= )' }, { multiline: true }]) {
    const { result, total_count, meta } = await search(script, args);
    expect(result?.split('\n')).toEqual(LINES);
    expect({ total_count, meta }).toMatchObject({
      total_count: 4,
      meta: { engine: 'built-in', warnings: [expect.stringContaining('The built-in engine searched instead')] },
    });
  }
});

test.each(ENDS)('finds everything when only the second run of ripgrep %s', async (_, script) => {
  const { result, total_count } = await search(`case "$*" in *--column*) ;; *) exec "${RG}" "$@" ;; esac\n${script}`);
  expect(result?.split('\n')).toEqual(LINES);
  expect(total_count).toBe(4);
});

test.runIf(process.platform === 'linux').each([
  ['stays', ''],
  ['is a file again when ripgrep waits', '(sleep 0.1; mv -f copy.txt large.txt) &'],
])('finds what is there when a FIFO takes the place of a file and %s', async (_, then) => {
  const script = `[ -p large.txt ] || { mv large.txt copy.txt; mkfifo large.txt; ${then} } ; exec "${RG}" "$@"`;
  const { result, meta } = await search(script, { path: ['large.txt', 'a.txt'], include: 'l*,a*' });
  expect(result?.split('\n')).toEqual(LINES.filter((line) => /^a/.test(line) || (then !== '' && /^large/.test(line))));
  expect(meta).toMatchObject({
    engine: 'built-in',
    warnings: expect.arrayContaining([expect.stringContaining('a FIFO that took the place of a file')]),
  });
});

test('finds everything when ripgrep cannot be started any more', async () => {
  const command = fake(`exec "${RG}" "$@"`);
  const environment = { JINN_RIPGREP: command };
  expect(await call(searchFiles, { pattern: 'hit', format: 'text' }, { files: FILES, environment })).toMatchObject({
    meta: { engine: 'ripgrep 99.0.0' },
  });
  makeTree('/', { [command.slice(1)]: { content: '#!/no/such/interpreter\n', mode: 0o755 } });
  const { result, meta } = await call(searchFiles, { pattern: 'hit', format: 'text' }, { files: FILES, environment });
  expect(result?.split('\n')).toEqual(LINES);
  expect(meta).toMatchObject({ engine: 'built-in', warnings: [expect.stringContaining('could not be started')] });
});

test('warns about a file that ripgrep cannot read, and takes what it found elsewhere', async () => {
  const script = `"${RG}" "$@"; echo "rg: ./d/b.txt: Permission denied (os error 13)" >&2; exit 2`;
  const { total_count, meta } = await search(script);
  expect(total_count).toBe(4);
  expect(meta).toMatchObject({
    engine: 'ripgrep 99.0.0',
    warnings: ['permission denied, not searched: d/b.txt'],
  });
});

test('tells nothing of files that ripgrep should not have found', async () => {
  const { result, total_count } = await search(
    `case "$*" in *--count*) printf './.env\\0001\\n./d/outside\\0002\\n./gone/x\\0003\\n./a.txt\\0002\\n' ;; *) exit 1 ;; esac`,
    { format: 'filenames' },
  );
  expect({ result, total_count }).toEqual({ result: 'a.txt: 2', total_count: 1 });
});

test('pages always advance, also when nothing of what was counted is found again', async () => {
  const script = `case "$*" in *--count*) printf './large.txt\\0005\\n' ;; *) exit 1 ;; esac`;
  const { result, truncated, meta } = await search(script, { max_matches: 2 });
  expect(result).toBe('[matches 1 to 2 of 5; pass offset: 2 for the next ones]');
  expect(truncated).toBe(true);
  expect(meta).toMatchObject({ warnings: ['2 matches were omitted: their files changed during the search'] });
});

test('searches what only ripgrep cannot read', async () => {
  const script = `"${RG}" "$@" | grep -v d/b; echo "rg: ./d: Permission denied (os error 13)" >&2; exit 2`;
  const { result, meta } = await search(script);
  expect(result?.split('\n')).toEqual(LINES);
  expect(meta).toMatchObject({ engine: 'built-in' });
});

test.runIf(process.platform === 'linux' && process.getuid?.() === 0)(
  'finds everything when ripgrep cannot start threads',
  async () => {
    const root = makeTempDirectory();
    makeTree(root, FILES);
    execFileSync('chmod', ['-R', 'a+rX', root]);
    // The limit counts all processes of a user; this one has no other.
    const script = `exec setpriv --reuid=54321 --clear-groups prlimit --nproc=1 "${RG}" "$@"`;
    const environment = { JINN_RIPGREP: fake(script) };
    expect(
      (await call(searchFiles, { pattern: 'hit', format: 'text' }, { root, environment })).result?.split('\n'),
    ).toEqual(LINES);
  },
);
