import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { NAMES } from '../../scripts/names.mjs';

const ROOT = path.join(import.meta.dirname, '../..');
const NOBODY = 'http://127.0.0.1:9/';
const HAS_MOUNTS = spawnSync('unshare', ['--map-root-user', '--mount', 'true']).status === 0;
const HAS_OPENSSL = spawnSync('openssl', ['version']).status === 0;

const made: string[] = [];
afterAll(() => {
  for (const directory of made) fs.rmSync(directory, { recursive: true, force: true });
});

function makeDirectory(): string {
  const directory = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'jinn-setup-'));
  made.push(directory);
  return directory;
}

const TRACKED = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\0')
  .filter((file) => file !== '' && fs.existsSync(path.join(ROOT, file)));

/** Copies what a clone has, into a directory with an empty home and npm's cache. */
function makeClone(): string {
  const clone = path.join(makeDirectory(), 'clone');
  for (const file of TRACKED) {
    fs.mkdirSync(path.dirname(path.join(clone, file)), { recursive: true });
    fs.copyFileSync(path.join(ROOT, file), path.join(clone, file));
  }
  return clone;
}

/** Runs a program in a clone, with an npm of its own that asks this registry. */
async function run(command: readonly string[], { clone, registry }: { clone: string; registry?: string }) {
  const home = path.dirname(clone);
  const inherited = Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_EXTRA)/i.test(name));
  const env = {
    ...Object.fromEntries(inherited),
    HOME: home,
    npm_config_cache: `${home}/cache`,
    ...(registry !== undefined && { npm_config_registry: registry }),
    npm_config_noproxy: '127.0.0.1',
  };
  const [program = '', ...args] = command;
  const child = spawn(program, args, { cwd: clone, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (chunk) => {
      output[name] += chunk;
    });
  const [status] = await once(child, 'close');
  return { status, ...output };
}

const START = [process.execPath, 'scripts/start.mjs'];

test.each(['16.20.2', '18.20.8'])('npm start says of Node %s that it is too old', { timeout: 120_000 }, (version) => {
  const directory = makeDirectory();
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: process.env['JINN_TEST_CA_CERTS'] };
  const npm = (...args: string[]) => execFileSync('npm', args, { cwd: directory, encoding: 'utf8', env });
  npm(
    'install',
    '--silent',
    '--ignore-scripts',
    '--prefix',
    directory,
    `node-${process.platform}-${process.arch}@${version}`,
  );
  const node = path.join(directory, `node_modules/node-${process.platform}-${process.arch}/bin/node`);
  const { status, stderr } = spawnSync(node, ['scripts/start.mjs'], { cwd: ROOT, encoding: 'utf8' });
  expect([status, stderr]).toEqual([
    1,
    `jinn needs Node 20.19 or newer; this is v${version}. Install a newer Node (https://nodejs.org) and run the command again.\n`,
  ]);
});

test('npm start says that there is no network', { timeout: 120_000 }, async () => {
  const { status, stderr } = await run(START, { clone: makeClone(), registry: NOBODY });
  expect(status).toBe(1);
  expect(stderr).toContain('\nnpm could not reach the package registry; check the network and run the command again\n');
});

test.skipIf(!HAS_OPENSSL)('npm start says that a certificate is not trusted', { timeout: 120_000 }, async () => {
  const clone = makeClone();
  const [key, cert] = ['key.pem', 'cert.pem'].map((name) => path.join(clone, '..', name)) as [string, string];
  const names = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const wanted = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key, '-out', cert];
  execFileSync('openssl', [...wanted, ...names], { stdio: 'ignore' });
  const { createServer } = await import('node:https');
  const server = createServer({ key: fs.readFileSync(key), cert: fs.readFileSync(cert) }, (_, answer) =>
    answer.end('{}'),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { port } = server.address() as { port: number };
    const { status, stderr } = await run(START, { clone, registry: `https://127.0.0.1:${port}/` });
    expect(status).toBe(1);
    expect(stderr).toContain('the certificate of the package registry is not trusted here');
    expect(stderr).toContain('NODE_EXTRA_CA_CERTS');
  } finally {
    server.close();
  }
});

test.skipIf(!HAS_MOUNTS)('npm start says that the disk is full', { timeout: 300_000 }, () => {
  const clone = makeClone();
  const script = `mount -t tmpfs -o size=40m tmpfs "$1" && cp -r "$0/." "$1" && cd "$1" && exec "$2" scripts/start.mjs`;
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: process.env['JINN_TEST_CA_CERTS'] };
  const { status, stderr } = spawnSync(
    'unshare',
    ['--map-root-user', '--mount', 'bash', '-c', script, clone, makeDirectory(), process.execPath],
    { encoding: 'utf8', env },
  );
  expect(status).toBe(1);
  expect(stderr).toContain('\nthe disk is full; free some space and run the command again\n');
});

test('npm pack fails in a clone that cannot be built', { timeout: 120_000 }, async () => {
  const clone = makeClone();
  const { status, stdout, stderr } = await run(['npm', 'pack', '--silent', './apps/jinn'], {
    clone,
    registry: NOBODY,
  });
  expect([status === 0, stdout]).toEqual([false, '']);
  expect(stderr).toContain('npm could not reach the package registry');
  expect(fs.readdirSync(clone).filter((name) => name.endsWith('.tgz'))).toEqual([]);
});

/** Gives a clone what was installed here, as if it had been installed there. */
function linkModules(clone: string): void {
  for (const folder of [
    '',
    ...['apps', 'packages'].flatMap((top) => fs.readdirSync(path.join(ROOT, top)).map((name) => `${top}/${name}`)),
  ]) {
    const modules = path.join(ROOT, folder, 'node_modules');
    if (fs.existsSync(modules)) fs.symlinkSync(modules, path.join(clone, folder, 'node_modules'));
  }
}

test('npm pack builds a program before it packs it', { timeout: 600_000 }, async () => {
  const clone = makeClone();
  linkModules(clone);
  const { status, stdout, stderr } = await run(['npm', 'pack', '--silent', './apps/jinni'], { clone });
  expect(status, stderr).toBe(0);
  const { stdout: list } = await run(['tar', 'tzf', stdout.trim()], { clone });
  expect(list).toContain('package/dist/jinni.cjs\n');
});

test('every package that is packed builds before', () => {
  for (const folder of Object.keys(NAMES)) {
    const { scripts } = JSON.parse(fs.readFileSync(path.join(ROOT, folder, 'package.json'), 'utf8'));
    expect(scripts.prepack, folder).toBe('node ../../scripts/prepack.mjs');
  }
});
