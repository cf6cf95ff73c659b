import { isUtf8 } from 'node:buffer';
import fs from 'node:fs';
import path from 'node:path';
import { ToolError } from '@jinn/errors';
import { runProgram } from '@jinn/process';
import { hasSensitiveSegment } from '@jinn/secrets/names';
import type { Environment } from '@jinn/tool';
import { refuseBlockingFiles } from './blocking-files.ts';

const LIMIT_MS = 60_000;
const MAX_OUTPUT = 64 * 1024 * 1024;
const PATHS_AT_ONCE = 500;
/**
 * Security: a repository's own settings and hooks are programs; none of those that these commands know is to run. A diff
 * would write the index anew, whatever is said of locks; without that, it gives files for changed whose time alone is
 * new, so that what changed is asked of the status.
 */
const SAFE = [
  ...['core.fsmonitor=false', 'core.hooksPath=/dev/null', 'core.pager=cat', 'core.quotePath=false'],
  ...['diff.autoRefreshIndex=false', 'diff.orderFile=/dev/null'],
].flatMap((setting) => ['-c', setting]);
const FLAGS = ['--no-optional-locks', '--literal-pathspecs'];
/** Security: git would run itself in a submodule, whose settings are its own, to look at it or to show what changed. */
const DIFF = [
  ...['diff', '--no-ext-diff', '--no-textconv', '--no-color'],
  ...['--ignore-submodules=dirty', '--submodule=short'],
];
const FILTER = /^filter\..*\.(?:clean|smudge|process|required)$/is;

/** What changed in a repository since a commit, in the working tree; untracked files too. Paths are absolute. */
export interface GitChanges {
  /** What is there now. */
  readonly changed: readonly string[];
  /** What is not there any more. */
  readonly removed: readonly string[];
  /** The directory of the repository. */
  readonly top: string;
  /**
   * Returns the unified diff of some paths, as seen from a directory; of a file that is gone it says only that. A file that
   * is not tracked has no diff. A renamed file is shown as such even if its former path is not asked for; then
   * all paths are given from the top of the repository if the former one lies outside of the directory.
   */
  diffOf(paths: readonly string[], from?: string): Promise<string>;
  /** Whether a name means a commit. */
  isCommit(name: string): Promise<boolean>;
}

/**
 * Asks git what changed below a directory since HEAD left `ref`, which is what a pull request into `ref` would show;
 * since the beginning, for HEAD of a repository without commits. `a...b` means the merge base of the two, and `a..b`
 * means `a` itself. No program that the repository's settings name is run, and nothing is fetched. `variables` are those of the process.
 * Throws ToolError when git cannot tell.
 */
export async function findChanges(
  directory: string,
  ref: string,
  variables: Environment,
  signal?: AbortSignal,
): Promise<GitChanges> {
  const repository = await Repository.open(directory, variables, signal);
  const commit = await repository.resolveBase(ref);
  const cached = [...DIFF, '--no-renames', '--cached', '--name-only', '-z'];
  const staged = await repository.list([...cached, '--diff-filter=d', commit, '--']);
  const dropped = await repository.list([...cached, '--diff-filter=D', commit, '--']);
  const { modified, deleted, untracked } = await repository.status();
  const removed = new Set([...dropped, ...deleted]);
  const changed = new Set([...staged, ...modified, ...untracked]);
  return {
    changed: [...changed].filter((name) => !deleted.has(name)),
    removed: [...removed].filter((name) => !fs.lstatSync(name, { throwIfNoEntry: false })),
    top: repository.top,
    diffOf: async (paths, from = repository.top) => {
      const tracked = paths.filter((name) => !untracked.has(name));
      const groups = tracked.length > 0 ? withOrigins(tracked, await repository.renames(commit)) : [];
      const naming = namingFrom(from, repository.top, groups.flat());
      const parts: string[] = [];
      for (let i = 0; i < groups.length; i += PATHS_AT_ONCE) {
        const some = groups.slice(i, i + PATHS_AT_ONCE).flat();
        parts.push(
          await repository.text([...DIFF, ...naming, '--find-renames', '--irreversible-delete', commit, '--', ...some]),
        );
      }
      return parts.join('');
    },
    isCommit: async (name) => (await repository.tryToResolve(name)) !== undefined,
  };
}

/** Puts each renamed file into a group with its former path, unless that is secret, and every other file into one of its own. */
function withOrigins(paths: readonly string[], origins: ReadonlyMap<string, string>): string[][] {
  const groups = paths.map((name) => {
    const origin = origins.get(name);
    return origin === undefined || hasSensitiveSegment(origin) ? [name] : [origin, name];
  });
  const former = new Set(
    groups.flatMap(([first, second]) => (first !== undefined && second !== undefined ? [first] : [])),
  );
  return groups.filter(([first = '', second]) => second !== undefined || !former.has(first));
}

/**
 * Returns the options that make the diff name paths as they are seen from a directory above or below the repository,
 * whatever the settings say.
 */
function namingFrom(from: string, top: string, paths: readonly string[]): string[] {
  const above = path.relative(from, top);
  const isAbove = above !== '' && above !== '..' && !above.startsWith('../');
  const prefixes = ['a', 'b'].map((side) => (isAbove ? `${side}/${above}/` : `${side}/`));
  const isBelow = from !== top && paths.every((name) => name.startsWith(`${from}/`));
  const relative = isBelow && !isAbove ? [`--relative=${path.relative(top, from)}/`] : [];
  return [`--src-prefix=${prefixes[0]}`, `--dst-prefix=${prefixes[1]}`, ...relative];
}

/** Runs git in a repository, without any program that the repository names. */
export class Repository {
  /** A real path. */
  readonly top: string;
  readonly #settings: readonly string[];
  readonly #with: Surroundings;

  private constructor(top: string, settings: readonly string[], surroundings: Surroundings) {
    this.top = top;
    this.#settings = settings;
    this.#with = surroundings;
  }

  /** Throws ToolError, also for a repository in which git would wait for ever. */
  static async open(directory: string, variables: Environment, signal?: AbortSignal): Promise<Repository> {
    refuseBlockingFiles(directory);
    // Security: a partial clone may name programs that are to fetch what it lacks.
    const offline = { env: { ...variables, GIT_ALLOW_PROTOCOL: 'none' }, signal };
    const top = (await git(directory, ['rev-parse', '--show-toplevel'], offline)).replace(/\n$/, '');
    const settings = await git(top, ['config', '--list', '--show-scope', '--name-only', '-z'], offline);
    return new Repository(top, withoutFilters(settings), offline);
  }

  /** Returns the commit to compare with: the one where HEAD and `ref` parted. */
  async resolveBase(ref: string): Promise<string> {
    const [, first = '', dots = '', second = ''] = /^(.*?)(\.{2,3})(.*)$/s.exec(ref) ?? [undefined, ref];
    const commit = await this.resolve(first === '' && dots !== '' ? 'HEAD' : first);
    if (dots === '..' || ref === 'HEAD') return commit;
    return this.mergeBase(commit, second === '' ? 'HEAD' : second);
  }

  /**
   * Returns the commit where the histories of `commit` and `other` parted; `commit` itself if they have no history in
   * common, or if not all of it is here.
   */
  async mergeBase(commit: string, other: string): Promise<string> {
    const head = await this.tryToResolve(other);
    if (head === undefined && other !== 'HEAD') return this.resolve(other);
    if (head === undefined || head === commit) return commit;
    try {
      return (await this.git(['merge-base', '--end-of-options', commit, head])).trim();
    } catch {
      return commit;
    }
  }

  async resolve(ref: string): Promise<string> {
    const commit = await this.tryToResolve(ref);
    if (commit !== undefined) return commit;
    if (ref === 'HEAD') return (await this.git(['hash-object', '-t', 'tree', '/dev/null'])).trim();
    throw new ToolError('not_found', `no commit is called ${ref} here`, {
      suggestion: 'use a branch, a tag or a hash that git log shows',
    });
  }

  /**
   * Returns the commit that a name stands for; undefined if there is none. A name that begins with a dash is not taken
   * for an option.
   */
  async tryToResolve(ref: string): Promise<string | undefined> {
    const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`];
    try {
      return (await this.git(args)).trim();
    } catch {
      return undefined;
    }
  }

  /** Returns the paths that a git command lists, as absolute paths. */
  async list(args: readonly string[]): Promise<string[]> {
    const names = (await this.git(args)).split('\0').filter(Boolean);
    return names.map((name) => path.join(this.top, name));
  }

  /** Lines that are no UTF-8 are taken for Latin-1, as in the files themselves. */
  async text(args: readonly string[]): Promise<string> {
    const bytes = await run(this.top, [...this.#settings, ...args], this.#with);
    return isUtf8(bytes) ? bytes.toString() : decodeLines(bytes);
  }

  /** Returns the former paths of files that were renamed since a commit, by their present paths. All are absolute. */
  async renames(commit: string): Promise<ReadonlyMap<string, string>> {
    const args = [...DIFF, '--find-renames', '--diff-filter=R', '--name-status', '-z', commit, '--'];
    const parts = (await this.git(args)).split('\0');
    const origins = new Map<string, string>();
    for (let i = 0; i + 2 < parts.length; i += 3) {
      const [from = '', to = ''] = parts.slice(i + 1, i + 3);
      origins.set(path.join(this.top, to), path.join(this.top, from));
    }
    return origins;
  }

  /** Returns what differs between the index and the working tree. */
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

  /** Returns the absolute paths of what is not committed: changes in the index and working tree, untracked files. */
  async uncommitted(): Promise<string[]> {
    return (await this.#states()).map(([name]) => name);
  }

  /** Returns each path that `git status` names, with its two letters: of the index, then of the working tree. */
  async #states(): Promise<(readonly [name: string, states: string])[]> {
    const args = ['status', '--porcelain', '-z', '--untracked-files=all', '--no-renames', '--ignore-submodules=dirty'];
    const lines = (await this.git(args)).split('\0').filter(Boolean);
    return lines.map((line) => [path.join(this.top, line.slice(3)), line.slice(0, 2)] as const);
  }

  git(args: readonly string[]): Promise<string> {
    return git(this.top, [...this.#settings, ...args], this.#with);
  }
}

/**
 * Returns the options that take away the filters in the repository's own settings. Security: to compare a file, git
 * runs the filter that an attribute names. The filters in the user's settings stay. `settings` is the output of the
 * command `git config`, each name after its scope.
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

/** Returns the error for a filter that cannot be taken away: `git -c` ends the name of a setting at the first `=`. */
function hiddenProgram(name: string): ToolError {
  return new ToolError(
    'not_found',
    `git would run a program of this repository's settings, by ${JSON.stringify(name)}`,
    {
      suggestion: 'take it out of .git/config, if you do not know it',
    },
  );
}

/** Runs git and returns what it prints. `SAFE` and `FLAGS` come before the arguments. */
async function git(directory: string, args: readonly string[], surroundings: Surroundings): Promise<string> {
  return (await run(directory, args, surroundings)).toString();
}

/** What a run of git gets. */
interface Surroundings {
  readonly env: Environment;
  readonly signal: AbortSignal | undefined;
}

async function run(directory: string, args: readonly string[], { env, signal }: Surroundings): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  const running = runProgram({
    command: 'git',
    args: [...SAFE, ...FLAGS, ...args],
    cwd: directory,
    env,
    limitMs: LIMIT_MS,
    signal,
    onData: (chunk) => {
      size += chunk.length;
      if (size > MAX_OUTPUT) throw tooMuch();
      chunks.push(chunk);
    },
  });
  const { status, stderr } = await running.catch((cause) => {
    if (!(cause instanceof ToolError)) throw new ToolError('not_found', 'git could not be started', { cause });
    throw cause.code === 'timeout' ? tooSlow(cause) : cause;
  });
  if (status === 0) return Buffer.concat(chunks);
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

function tooSlow(cause: unknown): ToolError {
  return new ToolError('timeout', `git gave no answer within ${LIMIT_MS / 1000} seconds`, {
    suggestion: 'see whether git diff works here',
    cause,
  });
}

function tooMuch(): ToolError {
  return new ToolError('resource_limit', 'git gave more than 64 MiB of changes', {
    suggestion: 'compare with a nearer commit, or leave large files out',
  });
}
