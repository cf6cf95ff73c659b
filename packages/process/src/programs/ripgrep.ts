import fs from 'node:fs';
import path from 'node:path';
import type { Environment } from '@jinn/core';
import { createStateFiles, type StateFiles, type Workspace } from '@jinn/workspace';
import { runProgram } from '../run-program.ts';
import { findPrograms, realPath } from '../system-files.ts';

/** Older versions treat line ends differently. */
const OLDEST = '14.0.0';
const VERSION_LIMIT_MS = 5_000;
const IDENTIFIED = 'ripgrep.json';
const PACKAGED = `@vscode/ripgrep-${process.platform}-${process.arch}/bin/rg`;

export interface Ripgrep {
  readonly command: string;
  readonly version: string;
}

/** A program when it last printed its version, or null for a program that cannot be used. */
interface IdentifiedProgram {
  readonly command: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly version: string | null;
}

const known = new Map<string, Promise<Ripgrep | undefined>>();

/**
 * Finds ripgrep: the one that came with jinn, or the one on PATH if that is newer. `JINN_RIPGREP` may name another by
 * its absolute path, or be `off`. Security: only absolute directories of PATH outside of the workspace count.
 */
export async function findRipgrep(
  environment: Environment,
  { root, cacheDirectory }: Pick<Workspace, 'root' | 'cacheDirectory'>,
): Promise<Ripgrep | undefined> {
  const chosen = environment['JINN_RIPGREP'];
  if (chosen === 'off') return undefined;
  if (chosen !== undefined && path.isAbsolute(chosen)) return identify(chosen, () => chosen, cacheDirectory);
  const programs = findPrograms('rg', environment['PATH'] ?? '').map(realPath);
  const outside = programs.find((file) => file !== undefined && path.relative(root, file).startsWith('..'));
  const found = await Promise.all([
    identify(import.meta.url, packaged, cacheDirectory),
    outside === undefined ? undefined : identify(outside, () => outside, cacheDirectory),
  ]);
  return found.reduce(
    (best, next) => (next && (!best || isOlder(best.version, next.version)) ? next : best),
    undefined,
  );
}

/** Resolves the path of the packaged ripgrep. That takes longer than searching a small tree, so the result is kept. */
function packaged(): string | undefined {
  try {
    const { createRequire } = process.getBuiltinModule('node:module');
    const require = createRequire(import.meta.url);
    return createRequire(require.resolve('@vscode/ripgrep')).resolve(PACKAGED);
  } catch {
    return undefined;
  }
}

/** A program is asked for its version once. The cache directory keeps the answer for the next process, under `name`. */
function identify(
  name: string,
  locate: () => string | undefined,
  cacheDirectory: string | undefined,
): Promise<Ripgrep | undefined> {
  const asked = known.get(name) ?? identifyNow(name, locate, cacheDirectory).catch(() => undefined);
  known.set(name, asked);
  return asked;
}

async function identifyNow(
  name: string,
  locate: () => string | undefined,
  cacheDirectory: string | undefined,
): Promise<Ripgrep | undefined> {
  const files = createStateFiles(cacheDirectory);
  const before = readIdentified(files);
  const last = before[name];
  const now = typeof last?.command === 'string' ? fs.statSync(last.command, { throwIfNoEntry: false }) : undefined;
  if (last && now?.size === last.size && now.mtimeMs === last.mtimeMs) return toRipgrep(last.command, last.version);
  const command = locate();
  if (command === undefined) return undefined;
  const { size, mtimeMs } = fs.statSync(command);
  const version = await readVersion(command);
  try {
    files.write(IDENTIFIED, JSON.stringify({ ...before, [name]: { command, size, mtimeMs, version } }));
  } catch {
    // The next process asks again.
  }
  return toRipgrep(command, version);
}

function toRipgrep(command: string, version: string | null): Ripgrep | undefined {
  return typeof version === 'string' ? { command, version } : undefined;
}

function readIdentified(files: StateFiles): Readonly<Record<string, IdentifiedProgram | undefined>> {
  try {
    const found: unknown = JSON.parse(files.read(IDENTIFIED)?.toString() ?? '{}');
    return typeof found === 'object' && found !== null ? (found as Record<string, IdentifiedProgram>) : {};
  } catch {
    return {};
  }
}

async function readVersion(command: string): Promise<string | null> {
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
  const [left, right] = [a, b].map((version) => version.split('.').map(Number)) as [number[], number[]];
  const at = left.findIndex((number, i) => number !== right[i]);
  return at >= 0 && (left[at] as number) < (right[at] ?? 0);
}
