import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { findSandbox } from './find-sandbox.ts';
import { git, makeHome, makeScene } from './fixture/sandbox-scene.ts';

const sandbox = await findSandbox({ network: true });
const withSandbox = test.skipIf(sandbox.name !== 'bubblewrap');
const SECRET = 'hunter2';

/** A workspace that is the home, with jinn's own directory in it. */
function makeHomeScene(
  files: Parameters<typeof makeTree>[1],
  more: { state?: string; opened?: string[]; writable?: string[] } = {},
) {
  const home = makeHome();
  const { state = `${home}/.config/jinn`, opened = [], writable = [] } = more;
  const policy = { home, state: [state], opened, writable: writable.map((name) => `${home}/${name}`) };
  return { home, policy, ...makeScene({ root: home, files, policy }) };
}

withSandbox('keeps jinn’s own directory in its place where the workspace holds it', async () => {
  const { home, run } = makeHomeScene({ '.config/jinn/config.json': '{}', '.config/gh/hosts.yml': SECRET });
  for (const command of [
    'mv .config .c2',
    'mv .config/jinn .config/j2',
    'rm -rf .config/jinn',
    'echo 1 > .config/jinn/config.json',
  ])
    expect((await run(command)).exitCode, command).not.toBe(0);
  const moving = 'mv .config .c2; mkdir -p .config/jinn; echo x > .config/jinn/config.json; mkdir .config/new';
  await run(moving);
  expect((await run('cat .c2/gh/hosts.yml .config/gh/hosts.yml')).stdout).toBe('');
  expect(fs.readFileSync(`${home}/.config/jinn/config.json`, 'utf8')).toBe('{}');
  expect(fs.existsSync(`${home}/.config/new`)).toBe(true);
});

withSandbox('makes jinn’s own directory before a command can, and pins the links that lead to it', async () => {
  const { home, run } = makeHomeScene({ 'dotfiles/config/': '', '.config': { symlink: 'dotfiles/config' } });
  await run('mkdir -p .config/jinn && echo evil > .config/jinn/config.json');
  expect(fs.readdirSync(`${home}/dotfiles/config/jinn`)).toEqual([]);
  for (const command of ['rm .config', 'mv .config c2', 'mv dotfiles d2', 'mv dotfiles/config dotfiles/c2'])
    expect((await run(command)).exitCode, command).not.toBe(0);
});

withSandbox('keeps a directory of jinn in its place that JINN_CONFIG_DIR puts into a workspace', async () => {
  const home = makeHome();
  const { root, run } = makeScene({ files: { 'deep/cfg/jinn/config.json': '{}' } });
  const own = makeScene({ root, policy: { home, state: [`${root}/deep/cfg/jinn`] } });
  expect((await run('mv deep d2 && mv d2 deep')).exitCode).toBe(0);
  expect((await own.run('mv deep d2')).exitCode).not.toBe(0);
  expect((await own.run('mv deep/cfg deep/c2')).exitCode).not.toBe(0);
});

withSandbox('hides jinn’s own directory in a workspace that lies in the directory for temporary files', async () => {
  const root = makeTempDirectory(tmpdir());
  const { run } = makeScene({ root, files: { 'cfg/state.db': SECRET }, policy: { state: [`${root}/cfg`] } });
  expect((await run('cat cfg/state.db')).stdout).toBe('');
});

withSandbox('leaves start files in the home to the person', async () => {
  const files = {
    '.bashrc': 'as it was',
    '.config/autostart/x.desktop': 'as it was',
    '.config/fish/config.fish': '',
    notes: '',
  };
  const { home, run } = makeHomeScene(files, { writable: ['.config/fish'] });
  const { stderr } = await run(
    'echo evil >> .bashrc; echo evil > .config/autostart/new.desktop; mv .config/autostart x',
  );
  expect(stderr.match(/Read-only|busy/g)).toHaveLength(3);
  expect((await run('echo mine > notes && echo mine > .config/fish/config.fish && mkdir .config/other')).exitCode).toBe(
    0,
  );
  const { undone } = await run(
    'echo evil > .zshrc; mkdir -p .config/systemd/user; echo evil > .config/systemd/user/x.service',
  );
  expect(undone.map(({ place }) => place).sort()).toEqual([`${home}/.config/systemd`, `${home}/.zshrc`]);
  expect(fs.existsSync(`${home}/.zshrc`)).toBe(false);
  expect(fs.readFileSync(`${home}/.bashrc`, 'utf8')).toBe('as it was');
});

const RUN_FILES = {
  '.vscode/tasks.json': '{}',
  '.vscode/notes.txt': '',
  '.mcp.json': '{}',
  '.claude/settings.json': '{}',
  '.devcontainer/devcontainer.json': '{}',
};

withSandbox('leaves files that editors and agents run to the person, unless the settings open them', async () => {
  const { root, run } = makeScene({ files: RUN_FILES });
  const write = (file: string) => `echo evil > ${file}`;
  for (const file of ['.vscode/tasks.json', '.mcp.json', '.claude/settings.json', '.devcontainer/new']) {
    const { exitCode, denials } = await run(write(file));
    expect(exitCode, file).not.toBe(0);
    expect(denials, file).toEqual([expect.objectContaining({ setting: expect.stringContaining('writable') })]);
  }
  expect((await run('mv .vscode v2')).denials[0]?.why).toContain('commands cannot');
  expect((await run('rm -rf .vscode/tasks.json; echo x > .vscode/notes.txt; cat .mcp.json')).stdout).toBe('{}');
  expect(fs.readFileSync(`${root}/.vscode/notes.txt`, 'utf8')).toBe('x\n');
  const opened = makeScene({ root, policy: { opened: ['.vscode', '.mcp.json'] } });
  expect((await opened.run(`${write('.vscode/tasks.json')} && ${write('.mcp.json')}`)).exitCode).toBe(0);
  expect((await opened.run(write('.claude/settings.json'))).exitCode).not.toBe(0);
});

withSandbox('takes away what a command adds to them, by its name, and says who would run it', async () => {
  const { root, run } = makeScene({ files: { '.vscode/x': '' } });
  const { undone } = await run(
    'echo 1 > .vscode/tasks.json; echo 1 > .envrc; mkdir -p .claude/hooks; echo 1 > .claude/hooks/a; ln -s x .mcp.json; echo 1 > a.code-workspace',
  );
  expect(undone.map(({ place, by }) => [place.slice(root.length + 1), by]).sort()).toEqual([
    ['.claude/hooks', 'Claude Code'],
    ['.envrc', 'direnv'],
    ['.mcp.json', 'an agent by MCP'],
    ['.vscode/tasks.json', 'VS Code'],
    ['a.code-workspace', 'VS Code'],
  ]);
  expect(
    fs
      .readdirSync(root)
      .filter((name) => !name.includes('.undone-'))
      .sort(),
  ).toEqual(['.claude', '.vscode']);
});

withSandbox('takes away what a command adds to a directory that it closes to listing', async () => {
  const { root, run } = makeScene({ files: { '.zed/': '' } });
  const files = '.vscode/tasks.json real/mcp.json .zed/tasks.json';
  const { undone } = await run(
    `mkdir -p .vscode real; for f in ${files}; do echo 1 > $f; done; ln -s real .cursor; chmod 111 .vscode real .zed`,
  );
  expect(undone.map(({ place, by }) => [place.slice(root.length + 1), by]).sort()).toEqual([
    ['.cursor', 'Cursor'],
    ['.vscode/tasks.json', 'VS Code'],
    ['.zed/tasks.json', 'Zed'],
  ]);
  expect([fs.existsSync(`${root}/.vscode/tasks.json`), fs.statSync(`${root}/real`).mode & 0o777]).toEqual([
    false,
    0o111,
  ]);
});

withSandbox('protects them in the person’s repositories, not in what a command clones', async () => {
  const { root, run } = makeScene({ files: { 'own/.vscode/tasks.json': '{}', 'plain/.mcp.json': '{}' } });
  git(`${root}/own`, 'init -q', 'add -A', 'commit -qm x');
  expect((await run('echo evil > own/.vscode/tasks.json')).exitCode).not.toBe(0);
  expect(await run('git clone -q own clone')).toMatchObject({ exitCode: 0, undone: [] });
  expect((await run('rm -rf clone plain')).exitCode).toBe(0);
});

withSandbox('hides the places that variables of jinn name, and other homes', async () => {
  const home = makeHome();
  const other = makeHome();
  const files = [
    'cfg/gh/hosts.yml',
    'data/keyrings/x',
    'kube.one',
    'kube.two',
    'cargo/credentials.toml',
    'zsh/.zsh_history',
    'gpg/k',
    'cc/.credentials.json',
    'plain',
  ];
  makeTree(other, Object.fromEntries(files.map((file) => [file, SECRET])));
  const environment = {
    XDG_CONFIG_HOME: `${other}/cfg`,
    XDG_DATA_HOME: `${other}/data`,
    KUBECONFIG: `${other}/kube.one:${other}/kube.two`,
    CARGO_HOME: `${other}/cargo`,
    ZDOTDIR: `${other}/zsh`,
    GNUPGHOME: `${other}/gpg`,
    CLAUDE_CONFIG_DIR: `${other}/cc`,
    HISTFILE: '/dev/null',
    NETRC: '/',
  };
  const { run } = makeScene({ policy: { home, environment } });
  expect((await run(`grep -rls ${SECRET} ${other}; echo x > /dev/null`)).stdout).toBe(`${other}/plain\n`);
  const shown = makeScene({ policy: { home, environment, shown: [`${other}/gpg`] } });
  expect((await shown.run(`grep -rls ${SECRET} ${other}/gpg`)).stdout).toBe(`${other}/gpg/k\n`);
});

test.skipIf(sandbox.name !== 'bubblewrap' || process.getuid?.() !== 0)(
  'hides the secrets of every home from root',
  async () => {
    const [, , , , , own = ''] = execFileSync('getent', ['passwd', 'root'], { encoding: 'utf8' }).split(':');
    const file = `${own}/jinn-test-${process.pid}.kdbx`;
    fs.writeFileSync(file, SECRET);
    try {
      expect((await makeScene({ policy: { home: makeHome() } }).run(`cat ${file}`)).stdout).toBe('');
    } finally {
      fs.rmSync(file);
    }
  },
);
