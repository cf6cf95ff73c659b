import type { Machine } from '@jinn/core';

export interface Isolation {
  readonly confines: boolean;
  /** False if no command runs, since none can be confined. */
  readonly runs: boolean;
  /** Describes the sandbox, or why there is none, in a few words. */
  readonly text: string;
  /** The mode and what sets it, as in `auto, by default`. */
  readonly mode: string;
}

/** Finds out how commands of a machine are confined now. */
export async function findIsolation({ sandboxPolicy }: Pick<Machine, 'sandboxPolicy'>): Promise<Isolation> {
  const policy = await sandboxPolicy().catch(() => undefined);
  if (policy === undefined)
    return { confines: false, runs: false, text: 'the settings are invalid', mode: 'config.json' };
  const { chooseSandbox } = await import('@jinn/process/sandbox/confine');
  const choice = await chooseSandbox(policy, policy.network);
  const mode = `${policy.mode}, by ${policy.source}`;
  if (choice.way === 'confined') return { confines: true, runs: true, text: choice.sandbox.name, mode };
  return { confines: false, runs: choice.way === 'free', text: choice.why, mode };
}

/** Describes in one line, for a user, which mode of the sandbox applies, why, and what follows. */
export function describeMode({ confines, runs, text, mode }: Isolation): string {
  if (confines) return `confined by ${text} (${mode})`;
  const why = text === 'off' ? '' : `: ${text}`;
  return `${runs ? 'not confined' : 'do not run'}${why} (${mode})`;
}
