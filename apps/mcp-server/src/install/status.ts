import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { createInterface } from 'node:readline';
import { type ConfigFile, getEntry, readConfigFile } from './config-file.ts';
import {
  type ConfigMembers,
  HOSTS,
  type HostDirectories,
  type HostKind,
  launchOf,
  TOKEN_VARIABLE,
  urlOf,
} from './hosts.ts';

const WAIT_MS = 10_000;
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'jinn-mcp status', version: '1' } },
};

/** Reports for each host whether jinn is registered with it, and whether the registered program starts: a line each. */
export async function status(places: HostDirectories, environment: NodeJS.ProcessEnv): Promise<string> {
  const lines = await Promise.all(
    Object.entries(HOSTS).map(
      async ([name, host]) => `${name.padEnd(15)} ${await statusOf(host, places, environment)}\n`,
    ),
  );
  return lines.join('');
}

async function statusOf(host: HostKind, places: HostDirectories, environment: NodeJS.ProcessEnv): Promise<string> {
  let config: ConfigFile | undefined;
  let entry: ConfigMembers | undefined;
  try {
    config = readConfigFile(host.files(places), places.root);
    entry = getEntry(config.text ?? '', host);
  } catch (error) {
    return `unknown: ${config ? `${config.path}: ` : ''}${(error as Error).message}`;
  }
  const { path, isOfProject } = config;
  if (entry === undefined) return 'not registered';
  if (entry['disabled'] === true || entry['enabled'] === false) return `registered, and switched off: ${path}`;
  const tried = isOfProject ? asThisProgram(entry) : entry;
  if (tried === undefined)
    return `registered, but not started, since the project names another program or server: ${path}`;
  try {
    return `registered, and starts as version ${await start(tried, places, environment)}: ${path}`;
  } catch (error) {
    return `registered, but does not start: ${(error as Error).message}: ${path}`;
  }
}

/**
 * Returns an entry that starts this program without flags, if the given one names this program. Security: a project may
 * come from anyone. Its programs, variables and flags do not run, and its servers get no token.
 */
function asThisProgram(entry: ConfigMembers): ConfigMembers | undefined {
  const { command, args } = launchOf(entry) ?? {};
  const [own, named] = [process.argv[1], args?.[0]].map((file) => realFile(file ?? ''));
  const isOwn = own !== undefined && (command === 'jinn-mcp' || named === own);
  return isOwn ? { command: process.execPath, args: [own] } : undefined;
}

function realFile(file: string): string | undefined {
  return fs.existsSync(file) ? fs.realpathSync(file) : undefined;
}

async function start(entry: ConfigMembers, places: HostDirectories, environment: NodeJS.ProcessEnv): Promise<string> {
  const url = urlOf(entry);
  const answer = url === undefined ? await askProgram(entry, places, environment) : await askServer(url, environment);
  const { version } = (answer as { result?: { serverInfo?: { version?: unknown } } }).result?.serverInfo ?? {};
  if (typeof version === 'string') return version;
  throw new Error('it does not answer as a server of MCP does');
}

async function askProgram(
  entry: ConfigMembers,
  { root }: HostDirectories,
  environment: NodeJS.ProcessEnv,
): Promise<unknown> {
  const launch = launchOf(entry);
  if (launch === undefined) throw new Error('the entry names no command');
  const args = launch.args.map((argument) => argument.replace(/^\$\{workspaceFolder\}$/, root));
  const env = { ...environment, ...(entry['env'] as object), ...(entry['envs'] as object) };
  const child = spawn(launch.command, args, { cwd: root, env, stdio: ['pipe', 'pipe', 'ignore'] });
  const failed = once(child, 'error').then(([error]) => Promise.reject(error as Error));
  const timer = setTimeout(() => child.kill('SIGKILL'), WAIT_MS);
  try {
    child.stdin.on('error', () => undefined);
    child.stdin.write(`${JSON.stringify(INITIALIZE)}\n`);
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const { value, done } = await Promise.race([lines.next(), failed]);
    if (done) throw new Error(`${launch.command} ended without an answer`);
    return JSON.parse(value);
  } finally {
    failed.catch(() => undefined);
    if (child.kill()) await once(child, 'exit'); // It may still write to its home.
    clearTimeout(timer);
  }
}

async function askServer(url: string, { [TOKEN_VARIABLE]: token }: NodeJS.ProcessEnv): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(INITIALIZE),
    signal: AbortSignal.timeout(WAIT_MS),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answers ${response.status}`);
  return JSON.parse(/^data: (\{.*)$/m.exec(text)?.[1] ?? text);
}
