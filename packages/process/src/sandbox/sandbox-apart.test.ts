import fs from 'node:fs';
import { makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { findSandbox } from './find-sandbox.ts';
import { git, makeHome, makeScene } from './fixture/sandbox-scene.ts';

const sandbox = await findSandbox({ network: true });

test.skipIf(sandbox.name !== 'bubblewrap')(
  'commands see no other workspace beside theirs, also none that is made later',
  async () => {
    const apart = makeHome();
    makeTree(apart, { 'ann/src/a.txt': 'one\n', 'ann/.env': 'KEY=1\n', 'bob/b.txt': 'of bob\n' });
    git(`${apart}/ann`, 'init --quiet');
    const { run, start } = makeScene({ root: `${apart}/ann`, policy: { apart } });
    const seen = await run(
      `pwd; ls -A ${apart} ..; cat src/a.txt; cat ${apart}/bob/b.txt ../bob/b.txt; git status --short`,
    );
    expect(seen.stdout).toContain(`${apart}/ann\n..:\nann\n\n${apart}:\nann\none\n`);
    expect(seen.stdout).not.toContain('of bob');
    expect(seen.stdout).toContain('?? src/');
    // What is confined in the workspace stays so.
    expect((await run('echo x >> .git/config; cat .env')).stdout).toBe('');
    expect(fs.readFileSync(`${apart}/ann/.git/config`, 'utf8')).not.toContain('x\n\n');
    const written = await run(
      `echo two > ${apart}/ann/src/new.txt; touch ${apart}/mine ../mine; cd src && cat new.txt`,
    );
    expect(written.stdout).toBe('two\n');
    expect(fs.readdirSync(apart).toSorted()).toEqual(['ann', 'bob']);
    expect(fs.readFileSync(`${apart}/ann/src/new.txt`, 'utf8')).toBe('two\n');

    const { running, text } = start(
      `echo ready; for i in $(seq 100); do [ -e go ] && break; sleep 0.1; done; ls -A ${apart} ..; cat ../eve/e.txt; mv ../ann ../bob`,
    );
    const started = await running;
    await expect.poll(() => text.stdout).toContain('ready');
    makeTree(apart, { 'eve/e.txt': 'of eve\n', 'ann/go': '' });
    await started.ended;
    expect(text.stdout).toBe(`ready\n..:\nann\n\n${apart}:\nann\n`);
    expect(fs.existsSync(`${apart}/bob/b.txt`)).toBe(true);
  },
);
