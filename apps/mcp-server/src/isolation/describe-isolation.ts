import type { Isolation } from '@jinn/toolsets/machine/isolation';

/** Describes, for monitoring, what confines commands. */
export function describeIsolation({ confines, runs, text }: Isolation): string {
  if (confines) return text;
  return runs ? 'none: commands have the rights of the server' : 'none: no command runs';
}

/** Explains to the operator what follows if commands are not in a sandbox; undefined if there is nothing to say. */
export function describeLack({ confines, runs, text }: Isolation, isForSeveral: boolean): string | undefined {
  if (confines || (runs && !isForSeveral)) return undefined;
  return runs
    ? `sandbox: ${text}: whoever may execute has the rights of this server, and can read and change what it keeps of everybody`
    : `sandbox: ${text}: no command runs. jinn --doctor says what is missing; --sandbox off runs them with the rights of this server`;
}
