import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Environment, Workspace } from '@jinn/core';
import { runProgram } from './run-program.ts';

/** Older ones read line ends in another way. */
const OLDEST = '14.0.0';
const VERSION_LIMIT_MS = 5_000;
const PACKAGED = `@vscode/ripgrep-${process.platform}-${process.arch}/bin/rg`;

export interface Ripgrep {
  readonly command: string;
  readonly version: string;
}

/** What a file was when its version was asked for; null for one that is no ripgrep that can be used. */
interface Identified {
  readonly size: number;
  readonly mtimeMs: number;
  readonly version: string | null;
}

const known = new Map<string, Promise<Ripgrep | undefined>>();

/**
 * Finds ripgrep: the one that came with jinn, or that on PATH when it is newer. `JINN_RIPGREP` names another, by its
 * absolute path, or is `off`. Undefined where there is none that can be used.
 *
 * Security: on PATH, only absolute directories outside the workspace are looked into; a program in the workspace is
 * what somebody put there.
 */
export async function findRipgrep(
  environment: Environment,
  { root, cacheDirectory }: Pick<Workspace, 'root' | 'cacheDirectory'>,
): Promise<Ripgrep | undefined> {
  const chosen = environment['JINN_RIPGREP'];
  if (chosen === 'off') return undefined;
  if (chosen !== undefined && path.isAbsolute(chosen)) return identify(chosen, cacheDirectory);
  const candidates = [packaged(), findOnPath('rg', environment['PATH'] ?? '', root)];
  const found = await Promise.all(
    candidates.map((command) => (command === undefined ? undefined : identify(command, cacheDirectory))),
  );
  return found.reduce(
    (best, next) => (next && (!best || isOlder(best.version, next.version)) ? next : best),
    undefined,
  );
}

function packaged(): string | undefined {
  try {
    const require = createRequire(import.meta.url);
    return createRequire(require.resolve('@vscode/ripgrep')).resolve(PACKAGED);
  } catch {
    return undefined;
  }
}

function findOnPath(name: string, searchPath: string, workspaceRoot: string): string | undefined {
  for (const directory of searchPath.split(':')) {
    if (!path.isAbsolute(directory)) continue;
    try {
      const real = fs.realpathSync(path.join(directory, name));
      fs.accessSync(real, fs.constants.X_OK);
      if (path.relative(workspaceRoot, real).startsWith('..')) return real;
    } catch {
      // Not there, or not ours to run.
    }
  }
  return undefined;
}

/** Asks a program for its version, once; in the cache directory the answer outlives the process. */
function identify(command: string, cacheDirectory: string | undefined): Promise<Ripgrep | undefined> {
  let asked = known.get(command);
  if (!asked) {
    asked = identifyAnew(command, cacheDirectory).catch(() => undefined);
    known.set(command, asked);
  }
  return asked;
}

async function identifyAnew(command: string, cacheDirectory: string | undefined): Promise<Ripgrep | undefined> {
  const { size, mtimeMs } = fs.statSync(command);
  const file = cacheDirectory && `${cacheDirectory}/ripgrep.json`;
  const before = file === undefined ? {} : readIdentified(file);
  const last = before[command];
  if (last?.size === size && last.mtimeMs === mtimeMs) return toRipgrep(command, last.version);
  const version = await askVersion(command);
  if (file !== undefined) writeIdentified(file, { ...before, [command]: { size, mtimeMs, version } });
  return toRipgrep(command, version);
}

function toRipgrep(command: string, version: string | null): Ripgrep | undefined {
  return typeof version === 'string' ? { command, version } : undefined;
}

function readIdentified(file: string): Readonly<Record<string, Identified | undefined>> {
  try {
    const found: unknown = JSON.parse(fs.readFileSync(file, 'utf8'));
    return typeof found === 'object' && found !== null ? (found as Record<string, Identified>) : {};
  } catch {
    return {};
  }
}

function writeIdentified(file: string, identified: object): void {
  try {
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    fs.writeFileSync(`${file}.${process.pid}`, JSON.stringify(identified), { mode: 0o600 });
    fs.renameSync(`${file}.${process.pid}`, file);
  } catch {
    // The next process asks again.
  }
}

async function askVersion(command: string): Promise<string | null> {
  let output = '';
  const { status } = await runProgram({
    command,
    args: ['--version'],
    cwd: '/',
    env: {},
    limitMs: VERSION_LIMIT_MS,
    onData: (chunk) => {
      output += chunk.toString('latin1');
    },
  });
  const version = /^ripgrep (\d+\.\d+\.\d+)/.exec(output)?.[1];
  return status === 0 && version !== undefined && !isOlder(version, OLDEST) ? version : null;
}

function isOlder(a: string, b: string): boolean {
  return a.localeCompare(b, 'en', { numeric: true }) < 0;
}
