import { ToolError } from '@jinn/core/errors';
import type { Repository } from './git-repository.ts';

export interface RangeEnds {
  /** A commit, or the empty tree. */
  readonly from: string;
  /** A commit, or undefined for the working tree. */
  readonly to: string | undefined;
}

const RANGE = /^(.*?)(\.{2,3})(.*)$/s;
const ONE_COMMIT = '^!';

/** Reports whether a text names two commits, and not the working tree. */
export function isRange(ref: string): boolean {
  return RANGE.test(ref) || ref.endsWith(ONE_COMMIT);
}

/**
 * Returns the ends of a range as `git diff` reads it: for `a..b` the two commits, for `a...b` the commit where they
 * parted and `b`, for `c^!` the first parent of `c` and `c`. A missing name means HEAD. A single name `a` means the
 * commit where HEAD left it, from which a pull request into `a` would start, and the working tree. HEAD of a repository
 * without commits is the empty tree. Throws ToolError for an unknown name.
 */
export async function resolveEnds(repository: Repository, ref: string): Promise<RangeEnds> {
  if (ref.endsWith(ONE_COMMIT)) return endsOfCommit(repository, ref.slice(0, -ONE_COMMIT.length));
  const [, first = '', dots = '', second = ''] = RANGE.exec(ref) ?? [];
  if (dots === '') return { from: await whereHeadLeft(repository, ref), to: undefined };
  const from = await repository.resolve(first || 'HEAD');
  const to = await repository.resolve(second || 'HEAD');
  if (dots === '..') return { from, to };
  const parted = await mergeBase(repository, from, to);
  if (parted !== undefined) return { from: parted, to };
  throw new ToolError('not_found', `the two ends of ${ref} have no history in common here`, {
    suggestion: `compare the commits themselves: ${first}..${second}`,
  });
}

async function endsOfCommit(repository: Repository, name: string): Promise<RangeEnds> {
  const to = await repository.resolve(name);
  return { from: (await repository.tryToResolve(`${to}^1`)) ?? (await repository.emptyTree()), to };
}

/** Returns the commit itself if they have no common history, or not all of that is here. */
async function whereHeadLeft(repository: Repository, ref: string): Promise<string> {
  const commit = await repository.resolve(ref);
  const head = ref === 'HEAD' ? undefined : await repository.tryToResolve('HEAD');
  return head === undefined ? commit : ((await mergeBase(repository, commit, head)) ?? commit);
}

async function mergeBase(repository: Repository, one: string, other: string): Promise<string | undefined> {
  if (one === other) return one;
  try {
    return (await repository.git(['merge-base', '--end-of-options', one, other])).trim();
  } catch {
    return undefined;
  }
}
