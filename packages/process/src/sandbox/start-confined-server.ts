import { type ServerCommand, type ServerProcess, startServer } from '../index.ts';
import type { ServerConfinement } from './confinement.ts';
import type { HiddenPlace } from './hidden-place.ts';

/** Returns the directory where a confined server may keep files for the next, or undefined if it would not be confined. */
export async function temporaryInside({ policy, network }: ServerConfinement): Promise<string | undefined> {
  if (policy.mode === 'off') return undefined;
  const { findSandbox } = await import('./find-sandbox.ts');
  const { name } = await findSandbox({ network, keep: policy.keep });
  return { bubblewrap: '/tmp', 'sandbox-exec': process.getBuiltinModule('node:os').tmpdir(), none: undefined }[name];
}

export async function findHidden(where: ServerConfinement): Promise<(path: string) => HiddenPlace | undefined> {
  const { findHiddenPlace } = await import('./hidden-place.ts');
  return (path) => findHiddenPlace(path, where);
}

/** Starts a server in the sandbox that the policy requires. Throws `command_blocked` if that cannot confine it. */
export async function startConfinedServer(command: ServerCommand, where: ServerConfinement): Promise<ServerProcess> {
  if (where.policy.mode === 'off' && where.network) return startServer(command); // Loads nothing of the sandbox.
  const { startInSandbox } = await import('./server-in-sandbox.ts');
  return startInSandbox(command, { ...where, cwd: command.cwd, lasting: true });
}
