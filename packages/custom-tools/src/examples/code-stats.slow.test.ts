import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { openExample } from '../fixture/open-example.ts';

const hasGo = spawnSync('go', ['version']).status === 0;
/** Go compiles the script at the first call. */
const SLOW = 120_000;

const FILES = {
  'a.go': 'package main\n\nfunc main() {}\n',
  'src/b.go': 'package b',
  'src/c.py': '\n \nx = 1\n',
  'empty.ts': '',
  'binary.c': 'a\0b\n',
  'node_modules/d.js': 'x\n',
  '.hidden/e.js': 'x\n',
  'link.go': { symlink: '/etc/passwd' },
  'notes.xyz': 'x\n',
} as const;

test.skipIf(!hasGo)('counts files and lines by language', { timeout: SLOW }, async () => {
  const { call, fail } = await openExample('code-stats', { files: FILES });
  const { output, shown, warnings } = await call({});
  const languages = [
    { language: 'Go', files: 2, lines: 4, blank: 1, bytes: 38 },
    { language: 'Python', files: 1, lines: 3, blank: 2, bytes: 9 },
    { language: 'TypeScript', files: 1, lines: 0, blank: 0, bytes: 0 },
  ];
  const largest = [
    { path: 'a.go', lines: 3 },
    { path: 'src/c.py', lines: 3 },
    { path: 'src/b.go', lines: 1 },
    { path: 'empty.ts', lines: 0 },
  ];
  expect(output).toMatchObject({ languages, truncated: false });
  expect(output['largest']).toHaveLength(4);
  expect(output['largest']).toEqual(expect.arrayContaining(largest));
  expect(shown).toMatchObject({ type: 'table', columns: expect.any(Array), rows: languages });
  expect(warnings).toEqual([]);
  expect((await call({ path: 'src' })).output['languages']).toHaveLength(2);
  expect(await fail({ path: '..' })).toContain('.. is outside of the workspace');
  expect(await fail({ path: 'none' })).toContain('none cannot be opened');
});
