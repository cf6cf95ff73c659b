import type { SandboxPolicy } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import type { ConfinedCommandLine, Confinement, Sandbox } from './confinement.ts';

export type SandboxChoice =
  | { readonly way: 'confined'; readonly sandbox: Extract<Sandbox, { works: true }> }
  | { readonly way: 'free'; readonly why: string }
  /** `fault` is a sentence, and with `otherMode` it would run. */
  | { readonly way: 'refused'; readonly why: string; readonly fault: string; readonly otherMode: 'auto' | 'off' };

/** Chooses what becomes of a command under a policy (docs/shell.md, "Sandbox"), with the network or without. */
export async function chooseSandbox({ mode, keep }: SandboxPolicy, network: boolean): Promise<SandboxChoice> {
  if (mode === 'off') {
    if (network) return { way: 'free', why: 'off' };
    const fault = 'running without the network needs the sandbox, which is off';
    return { way: 'refused', why: 'off', fault, otherMode: 'auto' };
  }
  // The code of the sandbox takes 3 ms to load, which a command without it does not pay.
  const { findSandbox } = await import('./find-sandbox.ts');
  const sandbox = await findSandbox({ network, keep });
  if (sandbox.works) return { way: 'confined', sandbox };
  const { why } = sandbox;
  if (mode === 'auto' && network) return { way: 'free', why };
  const fault =
    mode === 'require'
      ? `no sandbox works here: ${why}`
      : `running without the network needs a sandbox, and none works here: ${why}`;
  return { way: 'refused', why, fault, otherMode: 'off' };
}

/**
 * Puts the sandbox of the system in front of a command, as the policy says. Throws `command_blocked` if a sandbox is
 * required, or needed to block the network, and none works.
 */
export async function confine(argv: readonly string[], confinement: Confinement): Promise<ConfinedCommandLine> {
  const { policy, network } = confinement;
  const choice = await chooseSandbox(policy, network);
  if (choice.way === 'free') {
    const { why } = choice;
    const warning =
      policy.mode === 'off' ? undefined : `no sandbox confines commands: ${why}; jinn --doctor says how to get it`;
    return { sandbox: 'none', why, argv, view: [], protectedPlaces: [], watched: [], warning, check: async () => [] };
  }
  if (choice.way === 'refused') {
    throw new ToolError('command_blocked', choice.fault, {
      suggestion: `ask the user: jinn --doctor says what is missing; with --sandbox=${choice.otherMode} it runs otherwise`,
    });
  }
  const { putInFront } = await import('./find-sandbox.ts');
  return putInFront(choice.sandbox, argv, confinement);
}
