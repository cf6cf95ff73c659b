import type { Machine } from '@jinn/tool';

/** How far commands are confined to the workspace. */
export interface Isolation {
  /** True if commands run in the sandbox of the system. */
  readonly confines: boolean;
  /** False if no command runs, since none can be confined. */
  readonly runs: boolean;
  /** Describes the sandbox, or why there is none, in a few words. */
  readonly text: string;
}

/** Finds out how commands of a machine are confined now. */
export async function findIsolation({ sandboxPolicy }: Pick<Machine, 'sandboxPolicy'>): Promise<Isolation> {
  const policy = await sandboxPolicy().catch(() => undefined);
  if (policy === undefined) return { confines: false, runs: false, text: 'the settings are at fault' };
  const { chooseSandbox } = await import('@jinn/sandbox/choose-sandbox');
  const choice = await chooseSandbox(policy, policy.network);
  if (choice.way === 'confined') return { confines: true, runs: true, text: choice.sandbox.name };
  return { confines: false, runs: choice.way === 'free', text: choice.why };
}
