#!/usr/bin/env node
import './plain-parsing.ts';
import fs from 'node:fs';
import { createRegistry, findDirectories, ToolError, writeFully } from '@jinn/core';
import { openMachine } from '@jinn/machine';
import { chooseToolsets, reportChanges } from '@jinn/toolsets';
import packageJson from '../package.json' with { type: 'json' };
import { chooseTools } from './choose-tools.ts';
import { createServerFactory, type Door } from './create-server.ts';
import { type Address, isLoopback } from './http-address.ts';
import { createLog, type Log } from './log.ts';
import { type InstallFlags, type Invocation, parseOptions, type ServeOptions } from './options.ts';
import { createResults } from './results.ts';
import { serveStdio } from './serve-stdio.ts';
import { untilStopped } from './until-stopped.ts';

const VERSION = packageJson.version;
const TOKEN = 'JINN_MCP_TOKEN';
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
  if (invocation.do === 'install') {
    await register(invocation.install);
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
  if (options.http === undefined) {
    await serveStdio(door, log, { input: process.stdin, write: claimStandardOutput() });
  } else {
    await serveWeb(door, log, options.http, options);
  }
}

function readCommandLine(): Invocation {
  try {
    return parseOptions(process.argv.slice(2), VERSION);
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\ntry jinn-mcp --help`);
  }
}

async function register({ host, mode, root, more }: InstallFlags): Promise<void> {
  const { install } = await import('./install.ts');
  const { HOME: home = process.getBuiltinModule('node:os').homedir(), XDG_CONFIG_HOME } = process.env;
  const config = XDG_CONFIG_HOME || `${home}/.config`;
  const desktop = process.platform === 'darwin' ? `${home}/Library/Application Support` : config;
  const [, program = 'jinn-mcp'] = process.argv;
  try {
    const file = fs.realpathSync(program);
    const launch = { command: process.execPath, args: [file, ...more] };
    const byName = isOnPath('jinn-mcp', file) && { byName: { command: 'jinn-mcp', args: more } };
    write(install({ host, mode, program: launch, ...byName, places: { home, config, desktop, root: findRoot(root) } }));
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** Reports whether the PATH leads from this name to this file. */
function isOnPath(name: string, file: string): boolean {
  const found = (process.env['PATH'] ?? '').split(':').find((directory) => fs.existsSync(`${directory}/${name}`));
  return found !== undefined && fs.realpathSync(`${found}/${name}`) === file;
}

async function serveWeb(door: Door, log: Log, address: Address, options: ServeOptions): Promise<void> {
  const { serveHttp } = await import('./serve-http.ts');
  const token = findToken(options.tokenFile);
  if (token === undefined && !isLoopback(address.host)) {
    throw new UsageError(`to listen beyond this machine, a bearer token is needed: set ${TOKEN}, or give --token-file`);
  }
  const { allowHost, allowOrigin } = options;
  const { reached: stop, again: stopNow } = untilStopped({ signals: ['SIGTERM', 'SIGINT'], withParent: false });
  const onListen = (url: string) => process.stderr.write(`jinn-mcp listens on ${url}\n`);
  try {
    const given = { address, token, allowHost, allowOrigin, stop, stopNow, onListen };
    await serveHttp(createServerFactory(door), log, given);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw code?.startsWith('E') ? new UsageError(`--http: ${message}`) : error;
  }
}

/** Returns the token from the file or the environment; undefined if there is none. */
function findToken(file: string | undefined): string | undefined {
  const token = file === undefined ? process.env[TOKEN] : readToken(file);
  if (token === undefined || /^[\w.~+/=-]{16,}$/.test(token)) return token;
  throw new UsageError('a bearer token has 16 or more letters, digits and ._~+/=-');
}

function readToken(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new UsageError(`--token-file: ${(error as Error).message}`);
  }
}

async function openDoor(options: ServeOptions, log: Log): Promise<Door> {
  const registry = await createRegistry({
    toolsets: await chooseTools(chooseToolsets(options.toolset), options),
    version: VERSION,
    ...(options.readOnly && { serves: ({ effect }) => effect === 'read' }),
    // The operator decides what becomes of dangerous commands, and no call overrides that.
    hidesOverrides: true,
    reportChanges,
    onInternalError: log.failure,
  });
  const { [TOKEN]: _, ...environment } = process.env;
  const home = process.env['HOME'] || process.getBuiltinModule('node:os').homedir();
  const directories = findDirectories(process.env, home);
  const machine = openMachine({
    root: findRoot(options.root),
    home,
    directories,
    environment,
    sandbox: { mode: options.sandbox, fallback: 'auto' },
    log: log.line,
  });
  return {
    name: options.toolset.join() === 'jinni' ? 'jinni' : 'jinn',
    version: VERSION,
    registry,
    results: createResults(machine.spill, directories.cache, options.maxResult * 1024),
    onCall: log.call,
    machine,
    dangerous: options.dangerous,
    client: process.env['JINN_CLIENT'],
  };
}

function findRoot(directory: string): string {
  try {
    const root = fs.realpathSync(directory);
    if (fs.statSync(root).isDirectory()) return root;
  } catch {
    // It cannot be reached, so it is not a directory for us.
  }
  throw new UsageError(`--root: ${directory} is not a directory`);
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
  const open = () => fs.openSync(file, 'a', 0o600);
  let fd = open();
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

main().then(
  () => process.exit(0),
  (error: unknown) => {
    const isKnown = error instanceof UsageError || error instanceof ToolError;
    const suggestion = error instanceof ToolError && error.suggestion ? `; ${error.suggestion}` : '';
    process.stderr.write(isKnown ? `jinn-mcp: ${error.message}${suggestion}\n` : `${(error as Error).stack}\n`);
    process.exit(isKnown ? 2 : 1);
  },
);
