import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { rgPath } from '@vscode/ripgrep';
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { openWorkspace } from '../guard/index.ts';
import { walk } from './walk.ts';
import type { WalkOptions } from './walk-options.ts';

const git = (cwd: string, ...args: string[]) => execFileSync('git', args, { cwd, stdio: 'pipe' });

async function listed(root: string, more: Partial<WalkOptions> = {}, start = '.') {
  const workspace = openWorkspace({ root });
  const names: string[] = [];
  try {
    const options = { gitignore: true, checkpoint: async () => {}, ...more };
    const { warnings } = await walk(workspace, start, options, ({ path: name, kind }) => {
      if (kind === 'file') names.push(name);
      return undefined;
    });
    return { names, warnings };
  } finally {
    workspace.close();
  }
}

function makeRoot(files: Record<string, string>) {
  const root = makeTempDirectory();
  makeTree(root, files);
  return root;
}

test('.ignore wins over .gitignore, from any directory above, and the deepest .ignore wins', async () => {
  const root = makeRoot({
    '.gitignore': '*.log\n',
    '.ignore': '*.md\n!keep.log\n!docs/*.txt\n',
    'a.log': '',
    'keep.log': '',
    'b.md': '',
    'd/.gitignore': '!*.md\n*.txt\nkeep.log\n',
    'd/b.md': '',
    'd/c.txt': '',
    'd/keep.log': '',
    'docs/.gitignore': '*.txt\n',
    'docs/c.txt': '',
    'e/.ignore': '!b.md\n',
    'e/b.md': '',
    'e/f/b.md': '',
  });
  const names = ['d/keep.log', 'docs/c.txt', 'e/b.md', 'e/f/b.md', 'keep.log'];
  expect(await listed(root)).toEqual({ names, warnings: [] });
  git(root, 'init', '-q');
  expect((await listed(root)).names).toEqual(names);
  expect((await listed(root, {}, './d')).names).toEqual(['d/keep.log']);
  expect((await listed(path.join(root, 'd'))).names).toEqual(['keep.log']);
  expect((await listed(root, { gitignore: false })).names).toHaveLength(9);
});

test('.ignore hides files that Git tracks too', async () => {
  const root = makeRoot({
    '.gitignore': '*.gen\nout/\n',
    '.ignore': 'big\n*.snap\n',
    'a.gen': '',
    'a.snap': '',
    'big/deep/b': '',
    'out/c': '',
    'out/d.snap': '',
  });
  git(root, 'init', '-q');
  git(root, 'add', '-f', '.');
  expect((await listed(root)).names).toEqual(['a.gen', 'out/c', 'out/d.snap']);
  // A rule of another list may open it.
  const decide = ({ name }: { name: string }, ignored: boolean) => !ignored || name === 'big' || name === 'deep';
  expect((await listed(root, { decide })).names).not.toContain('big/deep/b');
});

test('.ignore also applies in the repositories below, where .gitignore does not', async () => {
  const root = makeRoot({
    '.gitignore': '*.a\n',
    '.ignore': '*.b\n/sub/*.d\n',
    'sub/x.a': '',
    'sub/x.b': '',
    'sub/x.c': '',
    'sub/x.d': '',
    'sub/e/x.d': '',
    'sub/.gitignore': '*.c\n',
  });
  for (const cwd of [root, `${root}/sub`]) git(cwd, 'init', '-q');
  expect((await listed(root)).names).toEqual(['sub/e/x.d', 'sub/x.a']);
});

test('warns of an .ignore with a fault, and of one that cannot be read', async () => {
  const root = makeRoot({ '.ignore': 'a[\n', 'd/.ignore/x': '', 'd/y': '' });
  expect(await listed(root)).toEqual({
    names: ['d/y'],
    warnings: [
      '.ignore: line 1 has a [ that is never closed (it matches nothing)',
      'd/.ignore could not be read (its rules are not applied)',
    ],
  });
});

test('lists what ripgrep lists', async () => {
  const name = fc.constantFrom('a', 'b', 'c.x', 'd');
  const file = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
  const rule = fc.constantFrom('a', '/b', '*.x', 'd/', '!a', 'b/*', '!c.x', 'a/**', '!d', '!b/a');
  const rules = fc.array(rule, { maxLength: 3 }).map((lines) => lines.join('\n'));
  const ruleFile = fc.tuple(fc.constantFrom('', 'a/', 'b/', 'd/'), fc.constantFrom('.gitignore', '.ignore'), rules);
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(file, { minLength: 1, maxLength: 12 }),
      fc.array(ruleFile, { maxLength: 5 }),
      async (files, ruleFiles) => {
        const kept = files.filter((one) => !files.some((other) => other !== one && other.startsWith(`${one}/`)));
        const root = makeRoot(Object.fromEntries(kept.map((one) => [one, ''])));
        for (const [directory, base, text] of ruleFiles) {
          if (kept.some((one) => one.startsWith(directory))) fs.writeFileSync(`${root}/${directory}${base}`, text);
        }
        const args = ['--files', '--no-config', '--no-require-git', '--no-ignore-global', '--no-ignore-parent'];
        const { stdout } = spawnSync(rgPath, args, { cwd: root, encoding: 'utf8' });
        expect((await listed(root)).names).toEqual(stdout.split('\n').filter(Boolean).sort());
      },
    ),
    { numRuns: 40 / inject('runsDivisor') },
  );
});
