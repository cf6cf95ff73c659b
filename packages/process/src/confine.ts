import type { SandboxPolicy } from '@jinn/core';

export type SandboxName = 'none' | 'bubblewrap' | 'sandbox-exec';

export interface Wanted {
  /** The workspace, by its real path. */
  readonly root: string;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly policy: SandboxPolicy;
  readonly network: boolean;
}

export async function confine(argv: readonly string[], _wanted: Wanted): Promise<{ sandbox: SandboxName; argv: readonly string[] }> {
  return { sandbox: 'none', argv };
}
