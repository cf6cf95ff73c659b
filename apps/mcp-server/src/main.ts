import './plain-parsing.ts';
import fs from 'node:fs';
import { ToolError } from '@jinn/errors';
import { findDirectories } from '@jinn/guard';
import { openMachine } from '@jinn/machine';
import { beginWork, createRegistry, writeFully } from '@jinn/tool';
import { chooseServed, reportChanges } from '@jinn/toolsets';
import packageJson from '../package.json' with { type: 'json' };
import { createAudit } from './audit/audit.ts';
import { createServerFactory, type Door } from './create-server.ts';
import { type Address, isEverywhere, isLoopback } from './http/http-address.ts';
import { createLog, type Log } from './log.ts';
import { type InstallFlags, type Invocation, parseOptions, type ServeOptions } from './options.ts';
import { describePeople, parseTokens, type Token } from './people/bearer-tokens.ts';
import { createResults } from './results/results.ts';
import { openRoots } from './roots.ts';
import { serveStdio } from './stdio/serve-stdio.ts';
import { untilStopped } from './until-stopped.ts';

const VERSION = packageJson.version;
const TOKEN = 'JINN_MCP_TOKEN';
const APPROVAL_KEY = 'JINN_MCP_APPROVAL_KEY';
/** A log that grows larger is renamed to FILE.1, over an older one. */
const MAX_LOG_BYTES = 10 * 1024 * 1024;

/** The command line is wrong; the message is for the user. */
class UsageError extends Error {}

async function main(): Promise<void> {
  if (process.platform === 'win32') {
    throw new UsageError('jinn-mcp runs on Linux and macOS; on Windows, run it inside WSL');
  }
  const invocation = readCommandLine();
  if (invocation.do === 'print') {
    write(invocation.text);
    return;
  }
  if (invocation.do === 'install' || invocation.do === 'uninstall') {
    await register(invocation.do, invocation.install);
    if (invocation.do === 'install') await warnWithoutSqlite();
    return;
  }
  if (invocation.do === 'status') {
    const { status } = await import('./install/status.ts');
    write(await status(findPlaces(invocation.root), process.env));
    await warnWithoutSqlite();
    return;
  }
  if (invocation.do === 'grants') {
    const { runGrants } = await import('./run-grants.ts');
    process.exitCode = await runGrants(invocation.argv, {
      ...findState(),
      root: findRoot(invocation.root),
      person: invocation.person,
      environment: process.env,
      version: VERSION,
      write,
    });
    return;
  }
  if (invocation.do === 'hook') {
    const { answerHook } = await import('./answer-hook.ts');
    write(answerHook(fs.readFileSync(0, 'utf8')));
    return;
  }
  const { options } = invocation;
  const log = openLog(options.logFile);
  process.on('uncaughtException', log.failure);
  process.on('unhandledRejection', log.failure);
  const door = await openDoor(options, log);
  beginWork();
  if (options.http === undefined) {
    await serveStdio(door, log, { input: process.stdin, write: claimStandardOutput() });
  } else {
    await serveWeb(door, log, options.http, options);
  }
}

/** Returns where jinn keeps its state. */
function findState() {
  const home = process.env['HOME'] || process.getBuiltinModule('node:os').homedir();
  return { home, directories: findDirectories(process.env, home) };
}

function readCommandLine(): Invocation {
  try {
    return parseOptions(process.argv.slice(2), VERSION);
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\ntry jinn-mcp --help`);
  }
}

async function register(what: 'install' | 'uninstall', flags: InstallFlags): Promise<void> {
  const { install, uninstall } = await import('./install/install.ts');
  const { host, mode, root, http: url, more } = flags;
  const [, program = 'jinn-mcp'] = process.argv;
  const places = findPlaces(root);
  const hasToken = process.env[TOKEN] !== undefined;
  try {
    const file = fs.realpathSync(program);
    const launch = { command: process.execPath, args: [file] };
    const byName = isOnPath('jinn-mcp', file) && { byName: { command: 'jinn-mcp', args: [] } };
    const installed = () => install({ host, mode, program: launch, ...byName, more, url, hasToken, places });
    write(what === 'install' ? installed() : uninstall({ host, mode, places }));
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** Says on standard error what is missing without SQLite, before the first call finds out. */
async function warnWithoutSqlite(): Promise<void> {
  const { explainNoSqlite } = await import('@jinn/store');
  const missing = await explainNoSqlite();
  if (missing !== undefined) process.stderr.write(`jinn-mcp: ${missing}\n`);
}

/** Returns where hosts keep their files. */
function findPlaces(root: string) {
  const { HOME: home = process.getBuiltinModule('node:os').homedir(), XDG_CONFIG_HOME } = process.env;
  const config = XDG_CONFIG_HOME || `${home}/.config`;
  const desktop = process.platform === 'darwin' ? `${home}/Library/Application Support` : config;
  return { home, config, desktop, root: findRoot(root) };
}

/** Reports whether the PATH leads from this name to this file. */
function isOnPath(name: string, file: string): boolean {
  const found = (process.env['PATH'] ?? '').split(':').find((directory) => fs.existsSync(`${directory}/${name}`));
  return found !== undefined && fs.realpathSync(`${found}/${name}`) === file;
}

async function serveWeb(door: Door, log: Log, address: Address, options: ServeOptions): Promise<void> {
  const { serveHttp } = await import('./http/serve-http.ts');
  const tokens = findTokens(options.tokenFile);
  if (tokens.length === 0 && !isLoopback(address.host)) {
    throw new UsageError(`to listen beyond this machine, a bearer token is needed: set ${TOKEN}, or give --token-file`);
  }
  const { allowHost, allowOrigin } = options;
  const { reached: stop, again: stopNow } = untilStopped({ signals: ['SIGTERM', 'SIGINT'], withParent: false });
  const onListen = (url: string) => {
    process.stderr.write(`jinn-mcp listens on ${url}\njinn-mcp: ${describePeople(tokens)}\n`);
    if (!isEverywhere(address.host) || allowHost.length > 0) return;
    process.stderr.write('clients are refused until --allow-host has the names by which they ask for this machine\n');
  };
  try {
    const given = { address, tokens, audit: door.audit, allowHost, allowOrigin, stop, stopNow, onListen };
    await serveHttp(createServerFactory(door), log, given);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw code?.startsWith('E') ? new UsageError(`--http: ${message}`) : error;
  }
}

/** Returns the bearer tokens from the file or the environment. */
function findTokens(file: string | undefined): readonly Token[] {
  const text = file === undefined ? process.env[TOKEN] : readSecret(file, '--token-file');
  if (text === undefined) return [];
  try {
    return parseTokens(text);
  } catch (error) {
    throw new UsageError(`${file === undefined ? TOKEN : '--token-file'}: ${(error as Error).message}`);
  }
}

/** Returns the key that seals approvals, from the file or the environment; undefined if there is none. */
function findApprovalKey(file: string | undefined): string | undefined {
  const key = file === undefined ? process.env[APPROVAL_KEY] : readSecret(file, '--approval-key-file');
  if (key === undefined || /^[\w.~+/=-]{16,}$/.test(key)) return key;
  throw new UsageError(
    `${file === undefined ? APPROVAL_KEY : '--approval-key-file'}: what it holds has 16 or more letters, digits and ._~+/=-`,
  );
}

function readSecret(file: string, flag: string): string {
  try {
    return fs.readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new UsageError(`${flag}: ${(error as Error).message}`);
  }
}

async function openDoor(options: ServeOptions, log: Log): Promise<Door> {
  const { [TOKEN]: _, [APPROVAL_KEY]: __, ...environment } = process.env;
  const { home, directories } = findState();
  const sandbox = { mode: options.sandbox, fallback: 'auto' } as const;
  const door = options.http === undefined ? 'jinn-mcp' : 'jinn-mcp --http';
  const allowed = [...new Set(options.root.map(findRoot))];
  const roots = openRoots({
    allowed,
    worktrees: options.worktrees,
    realDirectory,
    open: (root) =>
      openMachine({ root, outputsOf: allowed[0], home, directories, door, environment, sandbox, log: log.line }),
  });
  const registry = await createRegistry({
    ...(await chooseServed({ ...options, toolsets: options.toolset }, roots.machine)),
    version: VERSION,
    hides: ['overrides', 'forPrograms'],
    reportChanges,
    onInternalError: log.failure,
  });
  return {
    name: options.toolset.join() === 'jinni' ? 'jinni' : 'jinn',
    version: VERSION,
    registry,
    results: createResults(roots.machine.spill),
    audit: createAudit(log, options.logArgs, options.dangerous),
    roots,
    dangerous: options.dangerous,
    maxResult: options.maxResult && options.maxResult * 1024,
    remembers: options.http === undefined,
    approvalKey: findApprovalKey(options.approvalKeyFile),
    showsVisualizations: options.visualize,
    client: process.env['JINN_CLIENT'],
  };
}

function findRoot(directory: string): string {
  const root = realDirectory(directory);
  if (root === undefined) throw new UsageError(`--root: ${directory} is not a directory`);
  return root;
}

/** Returns the real path of a directory; undefined if it is none, or cannot be reached. */
function realDirectory(path: string): string | undefined {
  try {
    const real = fs.realpathSync(path);
    return fs.statSync(real).isDirectory() ? real : undefined;
  } catch {
    return undefined;
  }
}

/** Reserves standard output for the protocol: whatever else is printed goes to standard error. */
function claimStandardOutput(): (text: string) => boolean {
  Object.defineProperty(process, 'stdout', { get: () => process.stderr });
  return write;
}

/** Writes to standard output. Returns false if the reader has gone away. */
function write(text: string): boolean {
  try {
    writeFully(1, Buffer.from(text));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EPIPE') return false;
    throw error;
  }
}

function openLog(file: string | undefined): Log {
  if (file === undefined) return createLog((text) => void process.stderr.write(text), { isFile: false });
  const open = () => {
    const opened = fs.openSync(file, 'a', 0o600);
    if (fs.fstatSync(opened).isFile()) fs.fchmodSync(opened, 0o600);
    return opened;
  };
  let fd = openFirst(open);
  let size = fs.fstatSync(fd).size;
  const append = (text: string) => {
    if (size > MAX_LOG_BYTES) {
      fs.renameSync(file, `${file}.1`);
      fs.closeSync(fd);
      fd = open();
      size = 0;
    }
    size += fs.writeSync(fd, text);
  };
  return createLog(append, { isFile: true });
}

/** Opens the log for the first time: a directory that is missing is a fault of the command line. */
function openFirst(open: () => number): number {
  try {
    return open();
  } catch (error) {
    throw new UsageError(`--log-file: ${(error as Error).message}`);
  }
}

main().then(
  () => process.exit(),
  (error: unknown) => {
    const isKnown = error instanceof UsageError || error instanceof ToolError;
    const suggestion = error instanceof ToolError && error.suggestion ? `; ${error.suggestion}` : '';
    process.stderr.write(isKnown ? `jinn-mcp: ${error.message}${suggestion}\n` : `${(error as Error).stack}\n`);
    process.exit(isKnown ? 2 : 1);
  },
);
