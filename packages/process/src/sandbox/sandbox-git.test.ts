import fs from 'node:fs';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { findSandbox } from './find-sandbox.ts';
import { GIT, git, makeHome, makeScene } from './fixture/sandbox-scene.ts';

const sandbox = await findSandbox({ network: true });
const withSandbox = test.skipIf(sandbox.name !== 'bubblewrap');
const COMMIT = `echo 2 >> a.txt; ${GIT} commit -qam two && git log --oneline | wc -l`;

function makePlaceInTmp(): string {
  const place = fs.mkdtempSync('/tmp/jinn-test-');
  onTestFinished(() => fs.rmSync(place, { recursive: true, force: true }));
  return fs.realpathSync(place);
}

withSandbox.each<[string, () => string]>([
  ['a directory', makeHome],
  ['the temporary directory', makePlaceInTmp],
])('commits in a worktree and a submodule whose repository lies in %s', async (_, makePlace) => {
  const [place, lib] = [makePlace(), makeTempDirectory()];
  const [top, tree] = [`${place}/top`, `${place}/tree`];
  fs.mkdirSync(top);
  git(lib, 'init -q', 'commit -q --allow-empty -m x');
  git(top, 'init -q -b main', `-c protocol.file.allow=always submodule -q add ${lib} deps/lib`, 'commit -qm x');
  for (const root of [`${top}/deps/lib`, tree]) {
    if (!fs.existsSync(root)) git(top, `worktree add -q ${root} -b tree`);
    fs.writeFileSync(`${root}/a.txt`, '1\n');
    git(root, 'add a.txt', 'commit -qm one');
    expect(await makeScene({ root }).run(COMMIT)).toMatchObject({ stdout: '3\n', undone: [] });
  }
});

withSandbox('gives no command a repository that does not know its workspace', async () => {
  const [root, other] = [makeHome(), makeHome()];
  fs.mkdirSync(`${other}/.git/modules`, { recursive: true });
  git(other, 'init -q .git/modules/lib', `-C .git/modules/lib config core.worktree ${other}`);
  fs.writeFileSync(`${root}/.git`, `gitdir: ${other}/.git/modules/lib/.git\n`);
  const { stdout } = await makeScene({ root }).run(
    `touch ${other}/.git/modules/lib/.git/made; ls ${other}/.git/modules/lib/.git`,
  );
  expect(stdout).not.toContain('made');
});
