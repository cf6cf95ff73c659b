import { isUtf8 } from 'node:buffer';
import path from 'node:path';
import type { Environment } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { runProgram } from '@jinn/process';
import { refuseBlockingFiles } from './blocking-files.ts';

const LIMIT_MS = 60_000;
const MAX_OUTPUT = 64 * 1024 * 1024;
/**
 * Security: a repository's own settings and hooks are programs. These options switch off all that these commands know.
 * A diff would write the index again, even without locks. If it may not, it reports files of which only the time is
 * new. So changes are asked of the status.
 */
const SAFE = [
  ...['core.fsmonitor=false', 'core.hooksPath=/dev/null', 'core.pager=cat', 'core.quotePath=false'],
  ...['diff.autoRefreshIndex=false', 'diff.orderFile=/dev/null'],
].flatMap((setting) => ['-c', setting]);
const FLAGS = ['--no-optional-locks', '--literal-pathspecs'];
/** Security: git would run itself in a submodule, with the submodule's own settings. */
export const DIFF = [
  ...['diff', '--no-ext-diff', '--no-textconv', '--no-color'],
  ...['--ignore-submodules=dirty', '--submodule=short'],
];
const FILTER = /^filter\..*\.(?:clean|smudge|process|required)$/is;

/** Runs git in a repository, without any program that the repository names. */
export class Repository {
  readonly top: string;
  readonly #settings: readonly string[];
  readonly #with: Surroundings;

  private constructor(top: string, settings: readonly string[], surroundings: Surroundings) {
    this.top = top;
    this.#settings = settings;
    this.#with = surroundings;
  }

  /** Throws ToolError, also if git would wait for ever in it. */
  static async open(directory: string, variables: Environment, signal?: AbortSignal): Promise<Repository> {
    refuseBlockingFiles(directory);
    // Security: a partial clone may name programs that are to fetch what it lacks.
    const offline = { env: { ...variables, GIT_ALLOW_PROTOCOL: 'none' }, signal };
    const top = (await git(directory, ['rev-parse', '--show-toplevel'], offline)).replace(/\n$/, '');
    const settings = await git(top, ['config', '--list', '--show-scope', '--name-only', '-z'], offline);
    return new Repository(top, withoutFilters(settings), offline);
  }

  async resolve(ref: string): Promise<string> {
    const commit = await this.tryToResolve(ref);
    if (commit !== undefined) return commit;
    if (ref === 'HEAD') return this.emptyTree();
    throw new ToolError('not_found', `no commit is called ${ref} here`, {
      suggestion: 'use a branch, a tag or a hash that git log shows',
    });
  }

  async emptyTree(): Promise<string> {
    return (await this.git(['hash-object', '-t', 'tree', '/dev/null'])).trim();
  }

  /** Returns the commit that a name stands for. A name that starts with a dash is not taken for an option. */
  async tryToResolve(ref: string): Promise<string | undefined> {
    const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`];
    try {
      return (await this.git(args)).trim();
    } catch {
      return undefined;
    }
  }

  async list(args: readonly string[]): Promise<string[]> {
    const names = (await this.git(args)).split('\0').filter(Boolean);
    return names.map((name) => path.join(this.top, name));
  }

  /** Lines that are not UTF-8 are read as Latin-1, as in the files themselves. */
  async text(args: readonly string[]): Promise<string> {
    const bytes = await run(this.top, [...this.#settings, ...args], this.#with);
    return isUtf8(bytes) ? bytes.toString() : decodeLines(bytes);
  }

  /** Returns the former absolute paths of files renamed since a commit or between two, by their present ones. */
  async renames(ends: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const args = [...DIFF, '--find-renames', '--diff-filter=R', '--name-status', '-z', ...ends, '--'];
    const parts = (await this.git(args)).split('\0');
    const origins = new Map<string, string>();
    for (let i = 0; i + 2 < parts.length; i += 3) {
      const [from = '', to = ''] = parts.slice(i + 1, i + 3);
      origins.set(path.join(this.top, to), path.join(this.top, from));
    }
    return origins;
  }

  async status(): Promise<{ modified: Set<string>; deleted: Set<string>; untracked: Set<string> }> {
    const found = { modified: new Set<string>(), deleted: new Set<string>(), untracked: new Set<string>() };
    for (const [name, states] of await this.#states()) {
      const state = states.charAt(1);
      if (state === ' ') continue;
      const { modified, deleted, untracked } = found;
      const names = state === '?' ? untracked : state === 'D' ? deleted : modified;
      names.add(name);
    }
    return found;
  }

  /** Returns the absolute paths of files with changes in the index or working tree, and of untracked files. */
  async uncommitted(): Promise<string[]> {
    return (await this.#states()).map(([name]) => name);
  }

  /** Each path has two letters: of the index, then of the working tree. */
  async #states(): Promise<(readonly [name: string, states: string])[]> {
    const args = ['status', '--porcelain', '-z', '--untracked-files=all', '--no-renames', '--ignore-submodules=dirty'];
    const lines = (await this.git(args)).split('\0').filter(Boolean);
    return lines.map((line) => [path.join(this.top, line.slice(3)), line.slice(0, 2)] as const);
  }

  async git(args: readonly string[]): Promise<string> {
    return (await run(this.top, [...this.#settings, ...args], this.#with)).toString();
  }

  async stream(
    args: readonly string[],
    { input, variables = {}, onData }: { input: Buffer; variables?: Environment; onData: (chunk: Buffer) => void },
  ): Promise<void> {
    const { env, signal } = this.#with;
    const program = { args: [...this.#settings, ...args], cwd: this.top, env: { ...env, ...variables } };
    await runGit({ ...program, signal, input, onData });
  }
}

/**
 * Security: to compare a file, git runs the filter that an attribute names. The filters in the user's settings stay.
 * `settings` is the output of the command `git config`, each name after its scope.
 */
function withoutFilters(settings: string): string[] {
  const parts = settings.split('\0');
  const flags: string[] = [];
  for (let i = 0; i + 1 < parts.length; i += 2) {
    const [scope = '', name = ''] = parts.slice(i, i + 2);
    if (scope === 'global' || scope === 'system' || !FILTER.test(name)) continue;
    if (name.includes('=')) {
      // `git -c` ends the name of a setting at the first `=`, so that this filter cannot be disabled.
      const message = `git would run a program of this repository's settings, by ${JSON.stringify(name)}`;
      throw new ToolError('not_found', message, { suggestion: 'take it out of .git/config, if you do not know it' });
    }
    flags.push('-c', name.toLowerCase().endsWith('.required') ? `${name}=false` : `${name}=`);
  }
  return flags;
}

async function git(directory: string, args: readonly string[], surroundings: Surroundings): Promise<string> {
  return (await run(directory, args, surroundings)).toString();
}

interface Surroundings {
  readonly env: Environment;
  readonly signal: AbortSignal | undefined;
}

async function run(directory: string, args: readonly string[], surroundings: Surroundings): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  const onData = (chunk: Buffer) => {
    size += chunk.length;
    if (size > MAX_OUTPUT) {
      throw new ToolError('resource_limit', 'git gave more than 64 MiB of changes', {
        suggestion: 'compare with a nearer commit, or leave large files out',
      });
    }
    chunks.push(chunk);
  };
  await runGit({ args, cwd: directory, ...surroundings, onData });
  return Buffer.concat(chunks);
}

async function runGit(program: Omit<Parameters<typeof runProgram>[0], 'command' | 'limitMs'>): Promise<void> {
  const args = [...SAFE, ...FLAGS, ...program.args];
  const running = runProgram({ ...program, command: 'git', args, limitMs: LIMIT_MS, refusesFifos: true });
  const { status, stderr } = await running.catch((cause) => {
    if (!(cause instanceof ToolError)) throw withoutGit(cause);
    if (cause.code === 'not_a_file') throw waitedAtFifo(cause);
    if (cause.code === 'internal') throw toFailure(cause.message); // A file of more than 2 GB ends some of its versions.
    throw cause.code === 'timeout' ? tooSlow(cause) : cause;
  });
  if (status !== 0) throw toFailure(stderr.trim() || `ended with status ${status}`);
}

export function withoutGit(cause: unknown): ToolError {
  return new ToolError('not_found', 'git could not be started', {
    suggestion: 'install git, or do without what only git knows: ranges, changes, remote repositories',
    cause,
  });
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

function decodeLines(bytes: Buffer): string {
  const lines: string[] = [];
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf('\n', start);
    const end = newline < 0 ? bytes.length : newline + 1;
    const line = bytes.subarray(start, end);
    lines.push(line.toString(isUtf8(line) ? 'utf8' : 'latin1'));
    start = end;
  }
  return lines.join('');
}

function waitedAtFifo(cause: unknown): ToolError {
  return new ToolError('not_a_file', 'git would wait forever: a FIFO replaces a file that it reads', {
    suggestion: 'remove the FIFO. It may be named .gitignore or .gitattributes, or be in a nested repository',
    cause,
  });
}

function tooSlow(cause: unknown): ToolError {
  return new ToolError('timeout', `git gave no answer within ${LIMIT_MS / 1000} seconds`, {
    suggestion: 'see whether git diff works here',
    cause,
  });
}
