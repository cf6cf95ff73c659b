import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Environment } from '@jinn/core';
import { runProgram } from './run-program.ts';

/** Older ones read line ends in another way. */
const OLDEST = '14.0.0';
const VERSION_LIMIT_MS = 5_000;
const PACKAGED = `@vscode/ripgrep-${process.platform}-${process.arch}/bin/rg`;

export interface Ripgrep {
  readonly command: string;
  readonly version: string;
}

const known = new Map<string, Promise<Ripgrep | undefined>>();

/**
 * Finds ripgrep: the one that came with jinn, or that on PATH when it is newer. `JINN_RIPGREP` names another, by its
 * absolute path, or is `off`. Undefined where there is none that can be used.
 *
 * Security: on PATH, only absolute directories outside the workspace are looked into; a program in the workspace is
 * what somebody put there.
 */
export async function findRipgrep(environment: Environment, workspaceRoot: string): Promise<Ripgrep | undefined> {
  const chosen = environment['JINN_RIPGREP'];
  if (chosen === 'off') return undefined;
  if (chosen !== undefined && path.isAbsolute(chosen)) return identify(chosen);
  const candidates = [packaged(), findOnPath('rg', environment['PATH'] ?? '', workspaceRoot)];
  const found = await Promise.all(candidates.map((command) => (command === undefined ? undefined : identify(command))));
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

/** Asks a program for its version, once. */
function identify(command: string): Promise<Ripgrep | undefined> {
  let asked = known.get(command);
  if (!asked) {
    asked = askVersion(command).catch(() => undefined);
    known.set(command, asked);
  }
  return asked;
}

async function askVersion(command: string): Promise<Ripgrep | undefined> {
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
  return status === 0 && version !== undefined && !isOlder(version, OLDEST) ? { command, version } : undefined;
}

function isOlder(a: string, b: string): boolean {
  return a.localeCompare(b, 'en', { numeric: true }) < 0;
}
