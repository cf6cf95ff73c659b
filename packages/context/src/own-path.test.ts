import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { call, makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { readContext } from './read-context.ts';

const hasGit = spawnSync('git', ['--version']).status === 0;

test.skipIf(!hasGit).each(['bin', '.', '', 'ROOT/bin'])(
  'runs no git of the workspace when the PATH has %j',
  async (entry) => {
    const root = makeTempDirectory();
    const git = { content: `#!/bin/sh\necho ran > ${root}/ran\n`, mode: 0o755 };
    makeTree(root, { 'bin/git': git, git, a: 'a\n' });
    for (const args of ['init -q', 'add a', '-c user.name=a -c user.email=a@x commit -qm x'])
      spawnSync('git', args.split(' '), { cwd: root });
    const environment = { PATH: `${entry.replace('ROOT', root)}:${process.env['PATH']}` };
    const answer = await call(readContext, { changed: 'HEAD' }, { root, environment });
    expect([answer.ok, fs.existsSync(`${root}/ran`)]).toEqual([true, false]);
  },
);
