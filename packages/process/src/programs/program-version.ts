import path from 'node:path';
import type { Environment } from '@jinn/core';
import { realPath } from '../real-path.ts';
import { runProgram } from '../run-program.ts';
import { packageOf, packageVersion } from './npm-package.ts';

const LIMIT_MS = 5_000;
const MAX_OUTPUT = 4_096;

/**
 * Returns the version of a program as three numbers with dots. A program of an npm package is not started: the package
 * has its version. Returns undefined if neither the package nor `--version` says it.
 */
export async function programVersion(file: string, packageName: string, env: Environment): Promise<string | undefined> {
  return installedVersion(file, packageName) ?? askVersion(file, env);
}

/** Returns the version of a program by its npm package, which has this name; nothing is started. */
export function installedVersion(file: string, packageName: string): string | undefined {
  const directory = packageOf(file) ?? path.join(path.dirname(realPath(file) ?? file), '..');
  return packageVersion(directory, packageName);
}

async function askVersion(command: string, env: Environment): Promise<string | undefined> {
  let output = '';
  const asked = runProgram({
    command,
    args: ['--version'],
    cwd: '/',
    env,
    limitMs: LIMIT_MS,
    onData: (chunk) => {
      output = (output + chunk.toString('latin1')).slice(0, MAX_OUTPUT);
    },
  });
  const status = await asked.then((ended) => ended.status).catch(() => 1);
  return status === 0 ? /\d+\.\d+\.\d+/.exec(output)?.[0] : undefined;
}
