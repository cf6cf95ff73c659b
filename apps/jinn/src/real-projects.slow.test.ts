import { execFileSync, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, onTestFinished, test } from 'vitest';

const JINN = path.resolve(import.meta.dirname, '../dist/jinn.cjs');
const MINUTE = 60_000;

interface Answer {
  readonly result: string;
  readonly meta: { readonly sandbox?: string; readonly exit_code: number; readonly job?: string };
}

/** Makes a project and a home outside of /tmp, which is another directory in the sandbox. */
function makeProject(files: Parameters<typeof makeTree>[1], sandbox: object = {}) {
  const place = fs.realpathSync(fs.mkdtempSync('/var/tmp/jinn-project-'));
  onTestFinished(() => fs.rmSync(place, { recursive: true, force: true }));
  makeTree(place, { 'home/.keep': '', 'work/.keep': '' });
  makeTree(`${place}/work`, files);
  const state = makeTempDirectory();
  makeTree(state, { 'jinn/config.json': JSON.stringify({ sandbox }) });
  const env = { PATH: process.env['PATH'], HOME: `${place}/home`, JINN_CONFIG_DIR: state, XDG_CACHE_HOME: state };
  const at = { cwd: `${place}/work`, env };
  const run = (command: string): Answer => {
    const input = JSON.stringify({ tool: 'run_shell', args: { command, timeout: 120, force: true } });
    const { stdout } = spawnSync(process.execPath, [JINN, '--meta'], { ...at, input, encoding: 'utf8' });
    return JSON.parse(stdout);
  };
  const outside = (command: string) => spawnSync('bash', ['-c', command], { ...at, encoding: 'utf8' });
  return { ...at, place, run, outside };
}

const hasSandbox = makeTrial();
const confined = test.skipIf(!hasSandbox);

function makeTrial(): boolean {
  const doctor = spawnSync(process.execPath, [JINN, '--doctor'], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] },
  });
  return doctor.stdout.includes('confined by bubblewrap');
}

function fine(answer: Answer): string {
  expect(answer).toMatchObject({ meta: { exit_code: 0, sandbox: 'bubblewrap' } });
  return answer.result;
}

const SERVER = `require('http').createServer((_, r) => r.end('ok')).listen(0, () => console.log('listening', process.env.PORT));`;
const PACKAGE = JSON.stringify({
  name: 'p',
  version: '1.0.0',
  scripts: { test: 'node --test', dev: 'node --env-file=.env server.js', start: 'node start.js' },
});
const START = `try { require('fs').readFileSync('.env'); } catch (error) { console.log(error.message); }\n${SERVER}`;
const FILES = { 'package.json': PACKAGE, '.env': 'PORT=4567\n', 'server.js': SERVER, 'start.js': START };
const SHOWN =
  '/work/.env: it is a secret, which is hidden and cannot be changed; to allow it: "sandbox": {"shown": […]}';

confined('npm test', { timeout: MINUTE }, () => {
  const { run } = makeProject({ ...FILES, 'a.test.js': "require('node:test').test('adds', () => {});" });
  expect(fine(run('npm test'))).toContain('# pass 1');
});

confined('a server for development that needs a .env says which setting shows it', { timeout: MINUTE }, () => {
  const { run } = makeProject(FILES);
  const { result } = run('npm run dev');
  expect(result).toContain('.env: not found');
  expect(result).toContain(SHOWN);
});

confined('a server that runs on without its .env says so too', { timeout: MINUTE }, async () => {
  const { cwd, env } = makeProject(FILES);
  const child = spawn(process.execPath, [JINN], { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = readline.createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const args = { command: 'npm start', background: true, wait_for: 'listening' };
  child.stdin.write(`${JSON.stringify({ tool: 'run_shell', args })}\n`);
  const { result } = JSON.parse((await lines.next()).value as string) as Answer;
  expect(result).toContain('running');
  expect(result).toContain(SHOWN);
});

confined('the setting shows the .env', { timeout: MINUTE }, () => {
  const { cwd, env, run } = makeProject(FILES);
  const config = { sandbox: { shown: [`${cwd}/.env`] } };
  fs.writeFileSync(`${env.JINN_CONFIG_DIR}/jinn/config.json`, JSON.stringify(config));
  const stopping = SERVER.replace('process.env.PORT)', 'process.env.PORT) || process.exit()');
  fs.writeFileSync(`${cwd}/server.js`, stopping);
  expect(fine(run('npm run dev'))).toContain('listening 4567');
});

confined('cargo build', { timeout: 3 * MINUTE }, ({ skip }) => {
  const cargo = execFileSync('bash', ['-c', 'rustup which cargo 2>/dev/null || command -v cargo || true'], {
    encoding: 'utf8',
  }).trim();
  skip(cargo === '', 'cargo is not installed');
  const manifest = '[package]\nname = "c"\nversion = "0.1.0"\nedition = "2021"\n';
  const { run } = makeProject({ 'Cargo.toml': manifest, 'src/main.rs': 'fn main() { println!("hi"); }\n' });
  const bin = path.dirname(cargo);
  expect(fine(run(`PATH=${bin}:$PATH cargo build --offline 2>&1 && target/debug/c`))).toContain('hi');
});

const GO = {
  'go.mod': 'module x\n\ngo 1.18\n',
  'a_test.go': 'package x\n\nimport "testing"\n\nfunc TestA(t *testing.T) {}\n',
};

confined('go test', { timeout: 3 * MINUTE }, ({ skip }) => {
  const { env, run, outside } = makeProject(GO);
  skip(outside('go version').status !== 0, 'go is not installed');
  expect(run('go test ./...').result).toMatch(
    /go-build: a cache is writable once it exists; to allow it: mkdir -p \/.*\/home\/\.cache\/go-build, outside/,
  );
  fs.mkdirSync(`${env.HOME}/.cache/go-build`, { recursive: true });
  expect(fine(run('go test ./...'))).toMatch(/^ok\s/m);
});

confined('pip install into a new environment', { timeout: 4 * MINUTE }, ({ skip }) => {
  const install = 'rm -rf venv && python3 -m venv venv && venv/bin/pip install -q --retries 0 --timeout 10 six';
  const { run, outside } = makeProject({});
  skip(outside(install).status !== 0, 'no registry can be reached');
  expect(fine(run(`${install} && venv/bin/python -c 'import six; print("imported")'`))).toContain('imported');
});

confined('git push to a repository outside names the setting, which allows it', { timeout: MINUTE }, () => {
  const { place, env, run, outside } = makeProject({ a: 'a\n' });
  outside(
    'git init -q --bare ../bare.git && git init -q && git add a && git -c user.name=a -c user.email=a@b commit -qm a',
  );
  const push = 'git push ../bare.git HEAD:main';
  expect(run(push).result).toContain(
    `[sandbox: ${place}/bare.git: it is outside of the places where commands may write; to allow it: "sandbox": {"writable": […]}`,
  );
  const config = { sandbox: { writable: [`${place}/bare.git`] } };
  fs.writeFileSync(`${env.JINN_CONFIG_DIR}/jinn/config.json`, JSON.stringify(config));
  fine(run(push));
});

confined('docker names its socket, if the machine has it', { timeout: MINUTE }, async ({ skip }) => {
  const { run, outside, place } = makeProject({});
  skip(outside('docker --version').status !== 0, 'docker is not installed');
  const socket = `${place}/docker.sock`;
  expect(run(`docker -H unix://${socket} ps`).result).not.toContain('[sandbox:');
  const service = spawn('python3', [
    '-c',
    `import socket, time\ns = socket.socket(socket.AF_UNIX); s.bind('${socket}'); s.listen(); time.sleep(60)`,
  ]);
  onTestFinished(() => void service.kill());
  await expect.poll(() => fs.existsSync(socket)).toBe(true);
  expect(run(`docker -H unix://${socket} ps`).result).toContain(
    `[sandbox: ${socket}: sockets outside the workspace are not reachable; to allow it: "sandbox": {"sockets": […]}`,
  );
});

confined('Chromium says where its profile may be', { timeout: 2 * MINUTE }, ({ skip }) => {
  const { run, outside } = makeProject({});
  skip(outside('chromium --version').status !== 0, 'chromium is not installed');
  const command = 'chromium --headless --no-sandbox --disable-gpu --dump-dom data:text/html,hi';
  expect(run(command).result).toContain('to allow it: --user-data-dir=/tmp/profile in the command]');
  expect(run(`${command} --user-data-dir=/tmp/profile 2> log; cat log | tail -3`).result).toContain('<body>hi</body>');
});
