import type { Machine } from '@jinn/tool';

/** The confinement of commands to the workspace. */
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
  if (policy.mode === 'off') return { confines: false, runs: policy.network, text: 'off' };
  const { findSandbox } = await import('@jinn/sandbox');
  const sandbox = await findSandbox(policy);
  if (sandbox.works) return { confines: true, runs: true, text: sandbox.name };
  return { confines: false, runs: policy.mode === 'auto' && policy.network, text: `none works here: ${sandbox.why}` };
}
