import path from 'node:path';
import { type Environment, ToolError } from '@jinn/core';
import { runProgram } from './run-program.ts';

const LIMIT_MS = 60_000;
const MAX_OUTPUT = 64 * 1024 * 1024;
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
  '--literal-pathspecs',
];
const DIFF = ['diff', '--no-ext-diff', '--no-textconv', '--no-color', '--no-renames', '--ignore-submodules=dirty'];
const FILTER = /^filter\..*\.(?:clean|smudge|process|required)$/is;

/** What changed in a repository since a commit, in the working tree; untracked files too. Paths are absolute. */
export interface GitChanges {
  /** What is there now. */
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  /** The unified diff of some paths; of a file that is gone only that it is. */
  diffOf(paths: readonly string[]): Promise<string>;
}

/**
 * Asks git what changed below a directory since `ref`; since the beginning, for HEAD of a repository without commits.
 * No program that the repository's settings name is run, and nothing is fetched. `variables` are those of the process.
 * Throws ToolError when git cannot tell.
 */
export async function findChanges(directory: string, ref: string, variables: Environment): Promise<GitChanges> {
  const repository = await Repository.open(directory, variables);
  const commit = await repository.resolve(ref);
  const changed = await repository.list([...DIFF, '--name-only', '--diff-filter=d', '-z', commit, '--']);
  const removed = await repository.list([...DIFF, '--name-only', '--diff-filter=D', '-z', commit, '--']);
  const untracked = await repository.list(['ls-files', '-z', '--others', '--exclude-standard']);
  return {
    changed: [...changed, ...untracked],
    removed,
    diffOf: async (paths) => {
      const parts: string[] = [];
      for (let i = 0; i < paths.length; i += PATHS_AT_ONCE) {
        const some = paths.slice(i, i + PATHS_AT_ONCE);
        parts.push(await repository.git([...DIFF, '--irreversible-delete', commit, '--', ...some]));
      }
      return parts.join('');
    },
  };
}

class Repository {
  readonly #top: string;
  readonly #settings: readonly string[];
  readonly #variables: Environment;

  constructor(top: string, settings: readonly string[], variables: Environment) {
    this.#top = top;
    this.#settings = settings;
    this.#variables = variables;
  }

  static async open(directory: string, variables: Environment): Promise<Repository> {
    // Security: a partial clone may name programs that are to fetch what it lacks.
    const offline = { ...variables, GIT_ALLOW_PROTOCOL: 'none' };
    const top = (await git(directory, ['rev-parse', '--show-toplevel'], offline)).replace(/\n$/, '');
    const settings = await git(top, ['config', '--list', '--show-scope', '--name-only', '-z'], offline);
    return new Repository(top, withoutFilters(settings), offline);
  }

  /** A name that begins with a dash would be an option. */
  async resolve(ref: string): Promise<string> {
    const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`];
    try {
      return (await this.git(args)).trim();
    } catch (cause) {
      if (ref === 'HEAD') return (await this.git(['hash-object', '-t', 'tree', '/dev/null'])).trim();
      throw new ToolError('not_found', `no commit is called ${ref} here`, {
        suggestion: 'use a branch, a tag or a hash that git log shows',
        cause,
      });
    }
  }

  /** Absolute paths. */
  async list(args: readonly string[]): Promise<string[]> {
    const names = (await this.git(args)).split('\0').filter(Boolean);
    return names.map((name) => path.join(this.#top, name));
  }

  git(args: readonly string[]): Promise<string> {
    return git(this.#top, [...this.#settings, ...args], this.#variables);
  }
}

/**
 * Security: to compare a file, git runs the filter that an attribute names. Those of the user are theirs; those in the
 * repository's own settings are taken away. `settings` is the list of `git config`, each name after its scope.
 */
function withoutFilters(settings: string): string[] {
  const parts = settings.split('\0');
  const flags: string[] = [];
  for (let i = 0; i + 1 < parts.length; i += 2) {
    const [scope = '', name = ''] = parts.slice(i, i + 2);
    if (scope === 'global' || scope === 'system' || !FILTER.test(name)) continue;
    if (name.includes('=')) throw hiddenProgram(name);
    flags.push('-c', name.toLowerCase().endsWith('.required') ? `${name}=false` : `${name}=`);
  }
  return flags;
}

/** What is set for one command ends its name at the first such sign. */
function hiddenProgram(name: string): ToolError {
  return new ToolError(
    'not_found',
    `git would run a program of this repository's settings, by ${JSON.stringify(name)}`,
    {
      suggestion: 'take it out of .git/config, if you do not know it',
    },
  );
}

async function git(directory: string, args: readonly string[], env: Environment): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  const run = runProgram({
    command: 'git',
    args: [...SAFE, ...args],
    cwd: directory,
    env,
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
  throw toFailure(stderr.trim() || `ended with status ${status}`);
}

function toFailure(reason: string): ToolError {
  if (reason.includes('not a git repository')) {
    return new ToolError('not_found', 'there is no git repository here, so nothing is known of changes');
  }
  if (!/transport '.*' not allowed/.test(reason)) return new ToolError('not_found', `git: ${reason}`);
  return new ToolError('not_found', 'the repository is a partial clone and lacks what the comparison needs', {
    suggestion: 'let git fetch it first: run git diff with the same commit',
  });
}

function tooMuch(): ToolError {
  return new ToolError('resource_limit', 'git gave more than 64 MiB of changes', {
    suggestion: 'compare with a nearer commit, or leave large files out',
  });
}
