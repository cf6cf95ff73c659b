import fs from 'node:fs';
import { findDirectories } from '@jinn/workspace';
import { UsageError } from './usage-error.ts';

/** Returns where jinn keeps its state. */
export function findState() {
  const home = process.env['HOME'] || process.getBuiltinModule('node:os').homedir();
  return { home, directories: findDirectories(process.env, home) };
}

/** Returns the file of the tokens that `jinn-mcp tokens` makes; undefined without a home directory. */
export function ownTokenFile(): string | undefined {
  const { state } = findState().directories;
  return state && `${state}/mcp-tokens`;
}

/** Returns where the locks of files are; undefined without a home directory. */
export function lockDirectory(): string | undefined {
  const { state } = findState().directories;
  return state && `${state}/locks`;
}

export function findRoot(directory: string): string {
  const root = realDirectory(directory);
  if (root === undefined) throw new UsageError(`--root: ${directory} is not a directory`);
  return root;
}

/** Returns the real path of a directory; undefined if it is not a directory, or cannot be reached. */
export function realDirectory(path: string): string | undefined {
  try {
    const real = fs.realpathSync(path);
    return fs.statSync(real).isDirectory() ? real : undefined;
  } catch {
    return undefined;
  }
}
