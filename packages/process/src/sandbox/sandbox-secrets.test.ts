import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { makeTree } from '@jinn/testkit';
import { placesIn } from '@jinn/workspace/secrets/places';
import { expect, test } from 'vitest';
import { findSandbox } from './find-sandbox.ts';
import { git, makeHome, makeScene } from './fixture/sandbox-scene.ts';

const sandbox = await findSandbox({ network: true });
const withSandbox = test.skipIf(sandbox.name !== 'bubblewrap');
const SECRET = 'hunter2';

withSandbox.for<[string, string, string]>([
  ['node_modules', 'mv sub node_modules/sub', 'cat node_modules/sub/.env'],
  ['a directory that looks like a repository', 'mkdir -p .git; mv sub .git/sub', 'cat .git/sub/.env'],
  ['a bare repository', 'mkdir -p b/objects b/refs; echo > b/HEAD; mv sub b/sub', 'cat b/sub/.env'],
  ['a name that is not UTF-8', "mkdir $'\\xff'; mv sub $'\\xff/sub'", "cat $'\\xff/sub/.env'"],
  ['another directory', 'mv sub other', 'cat other/.env'],
  ['the directory for temporary files', 'mv sub /tmp/sub', 'cat /tmp/sub/.env'],
])('hides a secret that was moved into %s', async ([, move, read]) => {
  const files = { 'sub/.env': SECRET, 'node_modules/p/x': '' };
  const { root, run, confinement } = makeScene({ files });
  await run(move);
  expect((await run(`${read}; cat sub/.env`)).stdout).not.toContain(SECRET);
  // Another process knows of it from the record.
  const copy = makeScene({ root, policy: { ...confinement.policy, keep: `${confinement.policy.keep}/` } });
  expect((await copy.run(`${read}; cat sub/.env`)).stdout).not.toContain(SECRET);
});

/** Leaves the mounts of the view behind: then what hides a file would no longer keep its name from being changed. */
const LEAVE = `
import ctypes, os
libc, top = ctypes.CDLL(None), os.open('.', os.O_RDONLY)
print(libc.unshare(0x10000000 | 0x20000))
libc.mount(b'none', b'/', None, 0x4000 | 0x40000, None)
libc.mount(b'tmpfs', b'/mnt', b'tmpfs', 0, b'mode=777')
os.chdir('/mnt')
libc.syscall(155, b'.', b'.')
libc.umount2(b'.', 2)
os.fchdir(top)
os.rename('sub/.env', 'sub/shown')
`;

withSandbox('keeps a command from user namespaces, in which it could rename what is hidden', async () => {
  const { root, run } = makeScene({ files: { 'sub/.env': SECRET, 'leave.py': LEAVE } });
  const { stdout } = await run('unshare --user true || echo refused; python3 leave.py');
  expect(stdout).toBe('refused\n-1\n');
  expect(fs.readdirSync(`${root}/sub`)).toEqual(['.env']);
});

withSandbox('hides every place of the list, and shows what the settings show', async () => {
  const home = makeHome();
  const paths = placesIn('home').map((path) => path.replaceAll('*', 'any'));
  for (const path of paths) {
    const inner = fs.existsSync(`${home}/${path}`) ? `${path}/x` : path;
    const isBelowFile = paths.some((other) => inner.startsWith(`${other}/`));
    if (!isBelowFile)
      makeTree(home, { [paths.some((other) => other.startsWith(`${path}/`)) ? `${path}/x` : path]: SECRET });
  }
  expect(paths.length).toBeGreaterThan(92 + 53);
  const { run } = makeScene({ policy: { home } });
  expect((await run(`grep -rls ${SECRET} ${home}`)).stdout).toBe('');
  const shown = makeScene({ policy: { home, shown: [`${home}/.s3cfg`] } });
  expect((await shown.run(`grep -rls ${SECRET} ${home}`)).stdout).toBe(`${home}/.s3cfg\n`);
});

withSandbox('hides what a repository holds or a command wrote, and shows what the settings show', async () => {
  const { root, run } = makeScene({ files: { '.env.test': 'X=1\n', 'ä/.env.ci': 'Y=2\n', '.env.example': 'Z=3\n' } });
  git(root, 'init -q', 'add -A', 'commit -qm x', 'gc -q');
  await run('echo A=1 > .env');
  const show = 'cat .env .env.test ä/.env.ci .env.example';
  expect((await run(show)).stdout).toBe('Z=3\n');
  const shown = makeScene({ root, policy: { shown: [`${root}/.env`, `${root}/ä/.env.ci`] } });
  expect((await shown.run(show)).stdout).toBe('A=1\nY=2\nZ=3\n');
});

withSandbox('does not believe the objects of a repository about a secret', async () => {
  const { root, run } = makeScene({ files: { '.env': SECRET } });
  git(root, 'init -q');
  const name = git(root, 'hash-object .env').trim();
  await run(`mkdir -p .git/objects/${name.slice(0, 2)}; echo > .git/objects/${name.slice(0, 2)}/${name.slice(2)}`);
  expect((await run('cat .env')).stdout).toBe('');
});

withSandbox.for<[string, string]>([
  ['FIFOs where git has pointers and packs', 'mkdir -p sub .git/objects/pack; mkfifo sub/.git .git/objects/pack/x.idx'],
  ['a pointer of two gigabytes', 'mkdir sub; truncate -s 2G sub/.git'],
])('runs the next command after one that left %s', async ([, command]) => {
  const { root, run } = makeScene();
  git(root, 'init -q');
  await run(command);
  const before = process.memoryUsage().rss;
  expect((await run('echo hi')).stdout).toBe('hi\n');
  expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
});

withSandbox.for(['worktrees', 'modules'])(
  'renames the %s of a repository when a command makes too many',
  async (name) => {
    const { root, run } = makeScene();
    git(root, 'init -q');
    const { undone } = await run(`mkdir -p .git/${name}; cd .git/${name}; seq 1000 | xargs mkdir`);
    expect(undone).toMatchObject([{ place: `${root}/.git/${name}`, what: 'too many to be looked at' }]);
    expect((await run('echo hi')).stdout).toBe('hi\n');
  },
);

withSandbox('refuses to run beside more secrets than it can hide in time', async () => {
  const { run } = makeScene();
  await run('seq -f .env.%g 5001 | xargs touch');
  await expect(run('echo hi')).rejects.toMatchObject({ code: 'command_blocked' });
});

withSandbox('keeps caches that hold programs and start-up files from being written', async () => {
  const home = makeHome();
  const places = [
    '.local/share/pnpm',
    '.deno/bin',
    '.gradle/init.d',
    '.pub-cache/bin',
    '.yarn/bin',
    '.npm/_npx',
    '.cache/pre-commit',
    '.cache',
  ];
  makeTree(home, Object.fromEntries(places.map((place) => [`${place}/program`, 'as it was'])));
  const { run } = makeScene({ policy: { home } });
  await run(places.map((place) => `echo evil > ${home}/${place}/program; echo evil > ${home}/${place}/new`).join('; '));
  const texts = execFileSync('grep', ['-rhs', '.', ...places.map((place) => `${home}/${place}`)], { encoding: 'utf8' });
  expect(texts).not.toContain('evil');
});

withSandbox('writes nothing into the files of other projects through the stores of package managers', async () => {
  const home = makeHome();
  const stores = [
    '.local/share/pnpm/store',
    '.pnpm-store',
    '.cache/uv/archive-v0',
    '.cache/deno/npm',
    '.bun/install/cache',
  ];
  makeTree(home, Object.fromEntries(stores.map((store) => [`${store}/file`, 'as it was'])));
  for (const [i, store] of stores.entries()) fs.linkSync(`${home}/${store}/file`, `${home}/linked-${i}`);
  const { run } = makeScene({ policy: { home } });
  const paths = stores.map((store) => `${home}/${store}`);
  const write = paths.map((store) => `mkdir -p ${store} && echo evil > ${store}/file`).join(' && ');
  expect((await run(write)).exitCode).toBe(0);
  for (const [i] of stores.entries()) expect(fs.readFileSync(`${home}/linked-${i}`, 'utf8')).toBe('as it was');
  expect((await run(`cat ${paths.map((store) => `${store}/file`).join(' ')}`)).stdout).toBe(
    'evil\n'.repeat(stores.length),
  );
});
