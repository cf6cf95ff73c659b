import type { Question, ToolContext } from '@jinn/core';
import { hasSensitiveSegment } from '@jinn/workspace/secrets/names';
import type { CommandReading } from './risk/index.ts';

const THROWS_AWAY = /throws away changes|removes files and what changed/;
/** A command with one of these may mean another repository than that of its directory. */
const ELSEWHERE = /(^|[\s;&|(])(-C|--git-dir|--work-tree|GIT_(DIR|WORK_TREE))\b/;
/** How long git may look, so that a question does not wait for a large repository. */
const LOOK_MS = 3_000;
const MAX_PATCH = 262_144;

/**
 * Finds the changes that are not committed, if a command throws such changes away. Secrets, and what is outside of the
 * workspace, are omitted. Undefined if there are none, or if git cannot tell.
 */
export async function findLostChanges(
  { command, verdict: { dangers } }: { readonly command: string; readonly verdict: Pick<CommandReading, 'dangers'> },
  directory: string,
  { workspace, signal }: Pick<ToolContext, 'workspace' | 'signal'>,
): Promise<Question['patch']> {
  if (ELSEWHERE.test(command) || !dangers.some(({ reason }) => THROWS_AWAY.test(reason))) return undefined;
  try {
    const timeout = AbortSignal.timeout(LOOK_MS);
    const { findChanges } = await import('@jinn/git/git-changes');
    const { changed, removed, diffOf } = await findChanges(
      directory,
      'HEAD',
      workspace.variables,
      signal ? AbortSignal.any([signal, timeout]) : timeout,
    );
    const isShown = (path: string) => path.startsWith(`${workspace.root}/`) && !hasSensitiveSegment(path);
    const patch = await diffOf([...changed, ...removed].filter(isShown), directory);
    const about = 'Changes here that are not committed, and may be lost';
    if (patch.length > MAX_PATCH) return { about: `${about}: too many to be shown`, text: '' };
    return patch === '' ? undefined : { about, text: patch };
  } catch {
    return undefined;
  }
}
