import type { SandboxPolicy } from '@jinn/core';
import type { Sandbox } from './find-sandbox.ts';

/** What becomes of a command on this machine. */
export type SandboxChoice =
  | { readonly way: 'confined'; readonly sandbox: Extract<Sandbox, { works: true }> }
  /** `why` says in a few words why there is no sandbox. */
  | { readonly way: 'free'; readonly why: string }
  /** `fault` is a sentence, and with `otherMode` it would run. */
  | { readonly way: 'refused'; readonly why: string; readonly fault: string; readonly otherMode: 'auto' | 'off' };

/** Chooses what becomes of a command under a policy (docs/shell.md, "Sandbox"), with the network or without. */
export async function chooseSandbox({ mode }: SandboxPolicy, network: boolean): Promise<SandboxChoice> {
  if (mode === 'off') {
    if (network) return { way: 'free', why: 'off' };
    const fault = 'running without the network needs the sandbox, which is off';
    return { way: 'refused', why: 'off', fault, otherMode: 'auto' };
  }
  // What the sandbox needs takes 3 ms to load, which a command without it does not pay.
  const { findSandbox } = await import('./find-sandbox.ts');
  const sandbox = await findSandbox({ network });
  if (sandbox.works) return { way: 'confined', sandbox };
  const { why } = sandbox;
  if (mode === 'auto' && network) return { way: 'free', why };
  const fault =
    mode === 'require'
      ? `no sandbox works here: ${why}`
      : `running without the network needs a sandbox, and none works here: ${why}`;
  return { way: 'refused', why, fault, otherMode: 'off' };
}
