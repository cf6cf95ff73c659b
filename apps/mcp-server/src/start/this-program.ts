import { once } from 'node:events';
import fs from 'node:fs';
import { writeFully } from '@jinn/core';
import { ToolError, UsageError } from '@jinn/core/errors';
import { toVisibleLines } from '@jinn/core/text';
import type { OperatorLog } from '@jinn/team/audit/operator-log';
import { findDirectories } from '@jinn/workspace';
import packageJson from '../../package.json' with { type: 'json' };

export const VERSION = packageJson.version;
/** The variable with the tokens of users. */
export const TOKEN = 'JINN_MCP_TOKEN';

/** Runs work whose errors are caused by this part of the command line. */
export async function asUsageError<T>(part: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const reason = error instanceof ToolError ? databaseReasonOf(error) : '';
    throw new UsageError(`${part && `${part}: `}${(error as Error).message}${reason}`);
  }
}

/** Returns the reason that the database itself gives, if it gives one. It has no password in it. */
export function databaseReasonOf({ cause }: Error): string {
  return cause instanceof Error ? `: ${cause.message}` : '';
}

/** Returns where jinn keeps its state. */
export function findState() {
  const home = process.env['HOME'] || process.getBuiltinModule('node:os').homedir();
  return { home, directories: findDirectories(process.env, home) };
}

/** Returns the file of the tokens that `jinn-mcp tokens` makes, or undefined without a home directory. */
export function ownTokenFile(): string | undefined {
  const { state } = findState().directories;
  return state && `${state}/mcp-tokens`;
}

/** Returns the real path of a root. Throws UsageError if it is not a directory. */
export function findRoot(directory: string): string {
  const root = realDirectory(directory);
  if (root === undefined) throw new UsageError(`--root: ${directory} is not a directory`);
  return root;
}

const PERSON = '/{person}';

/** Returns the real paths of `--root`. With `{person}` at its end, the directory of all workspaces is `apart`. Throws UsageError. */
export function findRoots(roots: readonly string[]): { readonly allowed: readonly string[]; readonly apart?: string } {
  if (!roots.some((root) => root.includes('{person}'))) return { allowed: [...new Set(roots.map(findRoot))] };
  const [root = '', ...others] = roots;
  const base = root.slice(0, -PERSON.length);
  if (others.length > 0 || !root.endsWith(PERSON) || base.includes('{'))
    throw new UsageError('--root: {person} is the last part of the only root, as in /srv/people/{person}');
  const apart = findRoot(base);
  return { allowed: [apart], apart };
}

/** Returns the real path of a directory, or undefined if it is not a directory, or cannot be reached. */
export function realDirectory(path: string): string | undefined {
  try {
    const real = fs.realpathSync(path);
    return fs.statSync(real).isDirectory() ? real : undefined;
  } catch {
    return undefined;
  }
}

/** Writes to standard output. Returns false if the reader has gone away. */
export function write(text: string): boolean {
  try {
    writeFully(1, Buffer.from(text));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EPIPE') return false;
    throw error;
  }
}

/** Reserves standard output for the protocol: anything else that is printed goes to standard error. */
export function claimStandardOutput(): (text: string) => boolean {
  Object.defineProperty(process, 'stdout', { get: () => process.stderr });
  return write;
}

/** Warns the operator at the start. */
export function warn(line: string): void {
  process.stderr.write(`jinn-mcp: ${line}\n`);
}

/** Describes an error with its stack and causes. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? `${error.stack}` : `${error.stack}\ncaused by ${describeError(error.cause)}`;
}

/** Opens the log on standard error. */
export function logToStandardError(): OperatorLog {
  const writeLine = (text: string) => {
    // If no one reads it any more, the error is dropped: it would be the next line of this log.
    if (process.stderr.listenerCount('error') === 0) process.stderr.on('error', () => undefined);
    process.stderr.write(`${text}\n`);
  };
  return { line: (text) => writeLine(toVisibleLines(text)), failure: (error) => writeLine(describeError(error)) };
}

const PARENT_CHECK_MS = 1_000;

export interface StopOptions {
  readonly signals: readonly NodeJS.Signals[];
  readonly withParent: boolean;
}

/** Watches for what stops the process. `reached` resolves at the first signal, or with another parent. `again` at the next signal. */
export function untilStopped({ signals, withParent }: StopOptions) {
  const parent = process.ppid;
  const [first, second] = [new AbortController(), new AbortController()];
  const [reached, again] = [once(first.signal, 'abort'), once(second.signal, 'abort')];
  for (const signal of signals) process.on(signal, () => (first.signal.aborted ? second : first).abort());
  const timer = setInterval(() => {
    if (withParent && process.ppid !== parent) first.abort();
  }, PARENT_CHECK_MS);
  return { reached, again, forget: () => clearInterval(timer) };
}
