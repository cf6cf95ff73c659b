import path from 'node:path';
import { ToolError } from '@jinn/core';
import { runProgram } from './run-program.ts';

const LIMIT_MS = 60_000;
const MAX_OUTPUT = 256 * 1024 * 1024;
const PATHS_AT_ONCE = 500;
/** Security: a repository's own settings may name programs; none of those that these commands know is to run. */
const SAFE = [
  '-c',
  'core.fsmonitor=false',
  '-c',
  'core.pager=cat',
  '-c',
  'core.quotePath=false',
  '--no-optional-locks',
];
const SAFE_DIFF = ['--no-ext-diff', '--no-textconv', '--no-color'];

/** What changed in a repository since a commit, in the working tree; untracked files too. */
export interface GitChanges {
  /** Absolute paths; those that are gone too. */
  readonly changed: readonly string[];
  /** Those of them that are gone. */
  readonly removed: readonly string[];
}

/** Asks git what changed below a directory since `ref`. Throws ToolError when it cannot tell. */
export async function findChanges(directory: string, ref: string): Promise<GitChanges> {
  const commit = await resolveCommit(directory, ref);
  const top = (await git(directory, ['rev-parse', '--show-toplevel'])).replace(/\n$/, '');
  const list = async (args: string[]) => (await git(top, args)).split('\0').filter(Boolean);
  const all = await list(['diff', ...SAFE_DIFF, '--name-only', '-z', '--no-renames', commit, '--']);
  const removed = await list([
    'diff',
    ...SAFE_DIFF,
    '--name-only',
    '-z',
    '--no-renames',
    '--diff-filter=D',
    commit,
    '--',
  ]);
  const untracked = await list(['ls-files', '-z', '--others', '--exclude-standard']);
  const absolute = (name: string) => path.join(top, name);
  return { changed: [...all, ...untracked].map(absolute), removed: removed.map(absolute) };
}

/** The unified diff of these paths, absolute, since `ref`. */
export async function diffSince(directory: string, ref: string, paths: readonly string[]): Promise<string> {
  const commit = await resolveCommit(directory, ref);
  const parts: string[] = [];
  for (let i = 0; i < paths.length; i += PATHS_AT_ONCE) {
    const some = paths.slice(i, i + PATHS_AT_ONCE);
    parts.push(
      await git(directory, ['--literal-pathspecs', 'diff', ...SAFE_DIFF, '--no-renames', commit, '--', ...some]),
    );
  }
  return parts.join('');
}

/** A name that begins with a dash would be an option. */
async function resolveCommit(directory: string, ref: string): Promise<string> {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`];
  const asked = git(directory, args, `no commit is called ${ref} here`);
  const commit = await asked.catch(async (error) => {
    await git(directory, ['rev-parse', '--git-dir'], 'there is no git repository here, so nothing is known of changes');
    throw error;
  });
  return commit.trim();
}

async function git(directory: string, args: readonly string[], failure?: string): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  const run = runProgram({
    command: 'git',
    args: [...SAFE, ...args],
    cwd: directory,
    limitMs: LIMIT_MS,
    onData: (chunk) => {
      size += chunk.length;
      if (size > MAX_OUTPUT) throw tooMuch();
      chunks.push(chunk);
    },
  });
  const { status, stderr } = await run.catch((cause) => {
    throw cause instanceof ToolError ? cause : new ToolError('not_found', 'git could not be started', { cause });
  });
  if (status === 0) return Buffer.concat(chunks).toString();
  throw new ToolError('not_found', failure ?? `git: ${stderr.trim() || `ended with status ${status}`}`);
}

function tooMuch(): ToolError {
  return new ToolError('resource_limit', 'git gave more than 256 MiB of changes', {
    suggestion: 'compare with a nearer commit, or leave large files out',
  });
}
