// This file and what it imports must load on Node 12, so that an old Node gets a clear line and not a syntax error.
import { execFile, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
export const COLOURS = process.stdout.isTTY && !process.env.NO_COLOR;

const PNPM = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).packageManager;
const STAMP = join(ROOT, 'node_modules', '.jinn-setup');
/** What was installed when a build of SQLite was last tried: one that fails is not tried again and again. */
const SQLITE_STAMP = join(ROOT, 'node_modules', '.jinn-sqlite');
const SHOW_PROGRESS = join(ROOT, 'scripts', 'show-progress.mjs');
const TOOLS = {
  attw: '@arethetypeswrong/cli/dist/index.js',
  biome: '@biomejs/biome/bin/biome',
  knip: 'knip/bin/knip.js',
  publint: 'publint/src/cli.js',
  tsc: 'typescript/bin/tsc',
  turbo: 'turbo/bin/turbo',
  vitest: 'vitest/vitest.mjs',
};
const TAIL_LINES = 20;
const MAX_OUTPUT = 64 * 1024 * 1024;

const FULL_DISK = [/ENOSPC|no space left on device/i, 'the disk is full; free some space and run the command again'];
/** Explains a failed install by what the child printed: the first match counts. */
const INSTALL_FAULTS = [
  [/spawn(?:Sync)? npx ENOENT/, 'npm is not on the PATH; it comes with Node (https://nodejs.org)'],
  FULL_DISK,
  [
    /SELF_SIGNED_CERT|UNABLE_TO_(?:GET_ISSUER|VERIFY)|DEPTH_ZERO|CERT_(?:UNTRUSTED|HAS_EXPIRED|NOT_YET)|ERR_TLS_CERT/,
    'the certificate of the package registry is not trusted here; if a proxy signs it, set NODE_EXTRA_CA_CERTS to the file of its certificate and run the command again',
  ],
  [/EACCES|EPERM|EROFS/, 'a file or folder is not writable; see the last lines of the install'],
  [
    /ERR_PNPM_(OUTDATED_LOCKFILE|NO_LOCKFILE)/,
    `pnpm-lock.yaml does not match a package.json; \`npx ${PNPM} install\` brings it up to date`,
  ],
  [
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|_TIMEOUT|ERR_PNPM_(META_)?FETCH|code E5/,
    'npm could not reach the package registry; check the network and run the command again',
  ],
];

/** Installs what is missing and builds. If that fails, it ends the process with a clear line. */
export function setUp() {
  installAndBuild();
  buildSqlite();
}

/** Does the same without SQLite, which can take minutes. */
export function installAndBuild() {
  install();
  build('jinn, jinn-mcp, jinni and the library', []);
}

/** Installs the dependencies, without compiling any. Returns at once if nothing has changed since the last install. */
export function install() {
  requireNode();
  if (isStamped(STAMP, installKey())) return;
  forgetInstall();
  const { ok, output } = step('installing dependencies', () =>
    pnpm(['install', '--frozen-lockfile', '--prod=false', '--ignore-scripts', '--config.confirmModulesPurge=false']),
  );
  if (!ok) stop(explain(output, 'the dependencies could not be installed', INSTALL_FAULTS), tailOf(output));
  writeStamp(STAMP, installKey());
}

/** Builds these packages; turbo skips what has not changed. If that fails, it ends the process with a clear line. */
export function build(what, filters) {
  const { ok, output } = step(`building ${what}`, () =>
    runTool('turbo', ['run', 'build', '--output-logs=errors-only', '--ui=stream'].concat(filters)),
  );
  if (!ok) stop(explain(output, 'the build failed', [FULL_DISK]), output);
}

/** Compiles SQLite where neither Node nor an installed package has one. Only undo and memory need it. */
export function buildSqlite() {
  const key = installKey();
  if (isStamped(SQLITE_STAMP, key) || hasSqlite()) return;
  const { output } = step('compiling SQLite for undo and memory, a minute or two', () =>
    pnpm(['--recursive', 'rebuild', 'better-sqlite3']),
  );
  writeStamp(SQLITE_STAMP, key);
  if (hasSqlite()) return;
  console.warn(
    `${tailOf(output)}\nSQLite could not be compiled: that needs python3, make and a C++ compiler. Without it, files change without undo,\n` +
      `memory is refused, and tests of both fail. Install them and run \`npx ${PNPM} --recursive rebuild better-sqlite3\`, or use Node 22.13 or newer.`,
  );
}

/** Says whether the build of better-sqlite3 for this Node, or Node's own SQLite, can be opened. */
function hasSqlite() {
  const open = `new (require(Number(process.versions.napi) >= 10 ? 'better-sqlite3' : 'better-sqlite3-node20'))(':memory:')`;
  const code = `try { ${open} } catch { new (require('node:sqlite').DatabaseSync)(':memory:') }`;
  return run(process.execPath, ['-e', code], { cwd: join(ROOT, 'packages', 'store') }).ok;
}

/** Does a step, and tells on standard error what it is and how long it took: `npm pack` has its answer on standard output. */
function step(what, action) {
  const started = Date.now();
  process.stderr.write(`${what}…`);
  const result = action();
  process.stderr.write(` ${((Date.now() - started) / 1000).toFixed(1)} s\n`);
  return result;
}

/** Runs a program of the root's devDependencies in this Node, without a shell or a shim. */
export function runTool(name, args, options) {
  return run(process.execPath, [toolPath(name)].concat(args), options);
}

/** Returns the script of a program of the root's devDependencies. */
export function toolPath(name) {
  return join(ROOT, 'node_modules', TOOLS[name]);
}

/** Runs a script in this Node to its end, as `run` does, while others run. */
export function runBeside(script, args) {
  const options = { cwd: ROOT, env: childEnv(), maxBuffer: MAX_OUTPUT };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [script].concat(args), options, (error, stdout, stderr) => {
      const failure = error && typeof error.code !== 'number' ? `${error.message}\n` : '';
      resolve({ ok: !error, output: `${stdout}${stderr}${failure}` });
    });
    child.stdin.end();
  });
}

/** Runs a script in this Node, which shows its output itself, while others run. Tells whether it ended well. */
export function runShownBeside(script, args) {
  const options = { cwd: ROOT, env: childEnv(), stdio: ['ignore', 'inherit', 'inherit'] };
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [script].concat(args), options);
    child.on('error', () => resolve(false));
    child.on('close', (status) => resolve(status === 0));
  });
}

/** Runs a child to its end and captures its output; `stdio` in the options shows it instead. */
export function run(command, args, options) {
  const result = spawnSync(command, args, {
    cwd: ROOT,
    env: childEnv(),
    encoding: 'utf8',
    maxBuffer: MAX_OUTPUT,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options,
  });
  const failure = result.error ? `${result.error.message}\n` : '';
  return { ok: result.status === 0, output: `${result.stdout || ''}${result.stderr || ''}${failure}` };
}

/** Prints what is wrong, and below it the output of a child, and ends the process. */
export function stop(line, details) {
  console.error(details ? `${line}\n\n${details.trimEnd()}` : line);
  process.exit(1);
}

function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const advice = `this is ${process.version}. Install a newer Node (https://nodejs.org) and run the command again.`;
  if (major < 20 || (major === 20 && minor < 19)) stop(`jinn needs Node 20.19 or newer; ${advice}`);
  // rolldown and vite leave these out.
  if (major === 21 || (major === 22 && minor < 12))
    stop(`building jinn needs Node 20.19, or 22.12 or newer; ${advice}`);
}

function pnpm(args) {
  const shown = args.concat('--loglevel=info', '--reporter=append-only');
  const caller = callingPnpm();
  if (caller) return runShown(caller.concat(shown));
  const windows = process.platform === 'win32';
  const npxArgs = ['--yes', '--loglevel=error', PNPM, '--dir', windows ? `"${ROOT}"` : ROOT].concat(shown);
  // It starts elsewhere, since npx would take the pnpm in our node_modules, which cannot replace the files that it runs from.
  const env = { ...childEnv(), npm_config_local_prefix: undefined };
  if (windows) return run('npx', npxArgs, { cwd: tmpdir(), env, shell: true });
  return runShown(['npx'].concat(npxArgs), { cwd: tmpdir(), env });
}

/** Runs a command, and shows its progress if it takes long. */
function runShown(command, options) {
  const stdio = ['ignore', 'pipe', 'inherit'];
  return run(process.execPath, [SHOW_PROGRESS].concat(command), { ...options, stdio });
}

/** Finds the pnpm that runs this script, if the user's does: two versions would undo each other's node_modules. */
function callingPnpm() {
  const { npm_config_user_agent: agent = '', npm_execpath: path } = process.env;
  if (!path || !agent.startsWith('pnpm/') || path.startsWith(join(ROOT, 'node_modules'))) return undefined;
  return /\.[cm]?js$/.test(path) ? [process.execPath, path] : [path];
}

function childEnv() {
  const path = Object.keys(process.env).find((name) => name.toUpperCase() === 'PATH') || 'PATH';
  return {
    npm_config_fetch_retry_mintimeout: '1000',
    npm_config_fetch_retry_maxtimeout: '5000',
    npm_config_fetch_timeout: '60000',
    ...nodeHeaders(),
    ...process.env,
    // turbo looks for a `pnpm` on the PATH, and ours is there.
    [path]: join(ROOT, 'node_modules', '.bin') + delimiter + process.env[path],
    npm_config_update_notifier: 'false',
    TURBO_NO_UPDATE_NOTIFIER: '1',
    TURBO_TELEMETRY_DISABLED: '1',
    DO_NOT_TRACK: '1',
  };
}

/** Builds native modules with the headers that came with this Node, instead of downloading them. */
function nodeHeaders() {
  const prefix = dirname(dirname(realpathSync(process.execPath)));
  return existsSync(join(prefix, 'include', 'node', 'node.h')) ? { npm_config_nodedir: prefix } : {};
}

function isStamped(stamp, key) {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === key;
}

function forgetInstall() {
  if (existsSync(STAMP)) writeStamp(STAMP, '');
}

function writeStamp(stamp, key) {
  try {
    writeFileSync(stamp, key);
  } catch (error) {
    stop(explain(error.message, error.message, [FULL_DISK]));
  }
}

/** Returns a key that changes if an install would do something: the manifests, what pnpm installed, and the Node. */
function installKey() {
  const manifests = ['packages', 'apps'].reduce((found, folder) => found.concat(manifestsIn(folder)), ['package.json']);
  const files = ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'node_modules/.pnpm/lock.yaml'].concat(manifests);
  const hash = createHash('sha256').update(process.versions.node.split('.')[0]);
  for (const file of files) hash.update(`\n${file}\n`).update(contentOf(file));
  for (const file of manifests) hash.update(`\n${existsSync(join(ROOT, dirname(file), 'node_modules'))}`);
  return hash.digest('hex');
}

function manifestsIn(folder) {
  const names = existsSync(join(ROOT, folder)) ? readdirSync(join(ROOT, folder)).sort() : [];
  return names.map((name) => `${folder}/${name}/package.json`).filter((file) => existsSync(join(ROOT, file)));
}

function contentOf(file) {
  return existsSync(join(ROOT, file)) ? readFileSync(join(ROOT, file)) : '';
}

function explain(output, otherwise, faults) {
  const fault = faults.find(([pattern]) => pattern.test(output));
  return fault ? fault[1] : otherwise;
}

/** Returns the last lines of a child's output, without host names, which a pasted log should not hold. */
function tailOf(output) {
  const hosts = new Set([...output.matchAll(/https?:\/\/(?:[^/\s@]*@)?([^/\s:]+)/g)].map(([, host]) => host));
  const tail = output.trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
  return [...hosts].reduce((text, host) => text.split(host).join('<registry>'), tail);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) setUp();
