import './plain-parsing.ts';
import fs from 'node:fs';
import { ToolError } from '@jinn/errors';
import { findDirectories } from '@jinn/guard';
import { openMachine } from '@jinn/machine';
import { findIsolation } from '@jinn/machine/isolation';
import type { SharedDatabase } from '@jinn/store/postgres';
import { beginWork, type SandboxMode, writeFully } from '@jinn/tool';
import { openRegistry } from '@jinn/toolsets';
import packageJson from '../package.json' with { type: 'json' };
import { type Audit, createAudit } from './audit/audit.ts';
import { openAuditLog } from './audit/open-audit-log.ts';
import { openLog } from './audit/open-log.ts';
import { createServerFactory, type Door } from './create-server.ts';
import { type Address, isEverywhere, isLoopback } from './http/http-address.ts';
import { describeLack } from './isolation/describe-isolation.ts';
import { ownFilesOf } from './isolation/own-files.ts';
import type { Log } from './log.ts';
import { warningOf, whyNotTaken } from './named-file.ts';
import { type InstallFlags, type Invocation, parseOptions, type ServeOptions } from './options.ts';
import { askerOf } from './people/asker.ts';
import type { Identity } from './people/identity.ts';
import { openShared } from './people/open-shared.ts';
import type { TeamSettings } from './people/team-settings.ts';
import { createResults } from './results/results.ts';
import { openRoots } from './roots.ts';
import { serveStdio } from './stdio/serve-stdio.ts';
import { untilStopped } from './until-stopped.ts';

const VERSION = packageJson.version;
const TOKEN = 'JINN_MCP_TOKEN';
const APPROVAL_KEY = 'JINN_MCP_APPROVAL_KEY';

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
  if (invocation.do === 'completion') {
    write(await completionFor(invocation.shell));
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
    const { argv, person, team, root } = invocation;
    process.exitCode = await runGrants(argv, {
      ...findState(),
      settings: await readTeamSettings(team),
      root: findRoot(root),
      person,
      environment: process.env,
      version: VERSION,
      write,
    });
    return;
  }
  if (invocation.do === 'tokens') {
    const { runTokenCommand } = await import('./people/run-tokens.ts');
    const { command, team, file = ownTokenFile() } = invocation;
    const settings = team === undefined ? undefined : await readTeamSettings(team);
    write(await blame('tokens', () => runTokenCommand(command, { settings, file, locks: lockDirectory() })));
    return;
  }
  if (invocation.do === 'hook') {
    const { answerHook } = await import('./install/answer-hook.ts');
    write(answerHook(fs.readFileSync(0, 'utf8')));
    return;
  }
  const { options } = invocation;
  const log = await blame('--log-file', () => openLog(options.logFile));
  process.on('uncaughtException', log.failure);
  process.on('unhandledRejection', log.failure);
  const settings = await readTeamSettings(options.team);
  const shared = await openShared(settings);
  const auditLog = await openAuditLog(log, settings, { shared, root: findRoot(options.root[0] ?? '.') });
  const audit = createAudit(auditLog, options.logArgs, options.dangerous);
  shared?.tokens.list().catch((error: Error) => log.line(`${error.message}${reasonOf(error)}`));
  const { http: address } = options;
  const identity = address && (await openPeople(options, { settings, shared, audit }, log));
  if (identity) log.keepWhile(identity.hasNames, identity.hadNames);
  else log.rotate();
  const door = await openDoor(options, { settings, shared, audit, identity }, log);
  beginWork();
  if (address && identity) await serveWeb(door, log, { ...options, address, identity, settings, shared });
  else await serveStdio(door, log, { input: process.stdin, write: claimStandardOutput() });
  await audit.close();
  log.flush();
}

/** Returns the reason that the database itself gives, if it gives one; it has no password in it. */
function reasonOf({ cause }: Error): string {
  return cause instanceof Error ? `: ${cause.message}` : '';
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

async function completionFor(shell: string): Promise<string> {
  const [{ completionScript }, { SPEC }] = await Promise.all([
    import('@jinn/command-line/completion'),
    import('./mcp-spec.ts'),
  ]);
  try {
    return completionScript(shell, 'jinn-mcp', SPEC);
  } catch (error) {
    throw new UsageError((error as Error).message);
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

/** Warns on standard error of what is missing without SQLite, before the first call. */
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

/** Warns the operator at the start. */
function warn(line: string): void {
  process.stderr.write(`jinn-mcp: ${line}\n`);
}

/** What a team shares, and the description of it. */
interface Team {
  readonly settings: TeamSettings;
  readonly shared: SharedDatabase | undefined;
  readonly audit: Audit;
}

async function openPeople({ tokenFile }: ServeOptions, { audit, ...team }: Team, log: Log): Promise<Identity> {
  const { openIdentity } = await import('./people/open-identity.ts');
  const tokens = process.env[TOKEN];
  const given = { tokenFile, tokens, ownTokenFile: ownTokenFile() };
  return blame('', () => openIdentity({ ...team, ...given, onFailure: log.failure, onToken: audit.token, warn }));
}

type WebOptions = Pick<ServeOptions, 'allowHost' | 'allowOrigin'> & {
  readonly address: Address;
  readonly identity: Identity;
  readonly settings: TeamSettings;
  readonly shared: SharedDatabase | undefined;
};

async function serveWeb(door: Door, log: Log, options: WebOptions): Promise<void> {
  const { address, identity, settings, shared } = options;
  const { serveHttp } = await import('./http/serve-http.ts');
  const limits = settings.limits && (await (await import('./limits/open-limits.ts')).openLimits(settings.limits, warn));
  if (!identity.isNeeded && !isLoopback(address.host)) {
    throw new UsageError(
      `to listen beyond this machine, a bearer token is needed: jinn-mcp tokens create makes one, or set ${TOKEN}, or give --token-file`,
    );
  }
  const { allowOrigin } = options;
  const allowHost = [...options.allowHost, ...(settings.openid ? [new URL(settings.openid.resource).hostname] : [])];
  const { reached: stop, again: stopNow } = untilStopped({ signals: ['SIGTERM', 'SIGINT'], withParent: false });
  const isolation = () => findIsolation(door.roots.machine);
  const warnOfLack = async () => {
    const lack = describeLack(await isolation(), identity.hasNames());
    if (lack !== undefined) warn(lack);
  };
  const onListen = (url: string) => {
    process.stderr.write(`jinn-mcp listens on ${url}\njinn-mcp: ${identity.describe()}\n`);
    void warnOfLack();
    if (!isEverywhere(address.host) || allowHost.length > 0) return;
    process.stderr.write('clients are refused until --allow-host has the names by which they ask for this machine\n');
  };
  try {
    const { audit } = door;
    const { openObservers } = await import('./telemetry/open-observers.ts');
    const { observer, metrics, close } = await openObservers(process.env, VERSION);
    const readiness = { isolation, hasDatabase: shared?.answers };
    const seen = { audit, log, observer, metrics, sessionsEach: limits?.sessions ?? Infinity };
    const { Turns } = await import('./limits/turns.ts');
    const given = { ...seen, address, identity, readiness, allowHost, allowOrigin, stop, stopNow, onListen };
    await serveHttp(createServerFactory({ ...door, limits, observer, turns: new Turns() }), given);
    await close();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw code?.startsWith('E') ? new UsageError(`--http: ${message}`) : error;
  }
}

async function readTeamSettings(file: string | undefined): Promise<TeamSettings> {
  if (file === undefined) return {};
  const { parseTeamSettings } = await import('./people/team-settings.ts');
  return blame('--team', () => parseTeamSettings(fs.readFileSync(file, 'utf8')));
}

/** Returns the file of the tokens that `jinn-mcp tokens` makes; undefined without a home directory. */
function ownTokenFile(): string | undefined {
  const { state } = findState().directories;
  return state && `${state}/mcp-tokens`;
}

/** Returns where the locks of files are; undefined without a home directory. */
function lockDirectory(): string | undefined {
  const { state } = findState().directories;
  return state && `${state}/locks`;
}

/** Runs work whose errors are a fault of this part of the command line. */
async function blame<T>(part: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new UsageError(
      `${part && `${part}: `}${(error as Error).message}${error instanceof ToolError ? reasonOf(error) : ''}`,
    );
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

/** Reads a file with a secret, and warns if it is open to other users. */
function readSecret(file: string, flag: string): string {
  try {
    const text = fs.readFileSync(file, 'utf8').trim();
    const warning = warningOf(file);
    if (warning) process.stderr.write(`jinn-mcp: ${flag}: ${warning}\n`);
    return text;
  } catch (error) {
    throw new UsageError(`${flag}: ${whyNotTaken(file, error)}`);
  }
}

async function openDoor(
  options: ServeOptions,
  { settings, shared, audit, identity }: Team & { readonly identity: Identity | undefined },
  log: Log,
): Promise<Door> {
  const { [TOKEN]: _, [APPROVAL_KEY]: __, ...environment } = process.env;
  const { home, directories } = findState();
  const sandbox = {
    mode: options.sandbox,
    // A file of tokens may get names while the server runs.
    get fallback(): SandboxMode {
      return identity?.hasNames() ? 'require' : 'auto';
    },
  };
  const door = options.http === undefined ? 'jinn-mcp' : 'jinn-mcp --http';
  const allowed = [...new Set(options.root.map(findRoot))];
  const kept = { ...options, database: settings.database, passwordFile: process.env['PGPASSFILE'] };
  const ownFiles = await blame('', () => ownFilesOf(kept, { roots: allowed, home }));
  const roots = openRoots({
    allowed,
    worktrees: options.worktrees,
    realDirectory,
    open: (root) =>
      openMachine({
        root,
        outputsOf: allowed[0],
        home,
        directories,
        ownFiles,
        door,
        servesSeveral: options.http !== undefined,
        environment,
        sandbox,
        log: log.line,
        sharedState: shared?.stateOf,
      }),
  });
  const registry = await openRegistry({ ...options, toolsets: options.toolset }, roots.machine, {
    version: VERSION,
    hides: ['overrides', 'forPrograms'],
    onInternalError: log.failure,
  });
  const approvalKey = findApprovalKey(options.approvalKeyFile);
  const isOneOfSeveral = shared !== undefined || approvalKey !== undefined;
  return {
    name: options.toolset.join() === 'jinni' ? 'jinni' : 'jinn',
    version: VERSION,
    registry,
    results: createResults((ctx) => roots.machineOf(undefined, askerOf(ctx).person).spill),
    server:
      options.http && isOneOfSeveral
        ? `${process.getBuiltinModule('node:os').hostname()}:${options.http.port}`
        : undefined,
    audit,
    limits: undefined,
    turns: undefined,
    observer: undefined,
    roots,
    dangerous: options.dangerous,
    maxResult: options.maxResult && options.maxResult * 1024,
    remembers: options.http === undefined,
    approvalKey,
    showsVisualizations: options.visualize,
    servesViews: options.views,
    client: process.env['JINN_CLIENT'],
  };
}

function findRoot(directory: string): string {
  const root = realDirectory(directory);
  if (root === undefined) throw new UsageError(`--root: ${directory} is not a directory`);
  return root;
}

/** Returns the real path of a directory; undefined if it is not a directory, or cannot be reached. */
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

main().then(
  () => process.exit(),
  (error: unknown) => {
    const isKnown = error instanceof UsageError || error instanceof ToolError;
    const suggestion = error instanceof ToolError && error.suggestion ? `; ${error.suggestion}` : '';
    process.stderr.write(isKnown ? `jinn-mcp: ${error.message}${suggestion}\n` : `${(error as Error).stack}\n`);
    process.exit(isKnown ? 2 : 1);
  },
);
