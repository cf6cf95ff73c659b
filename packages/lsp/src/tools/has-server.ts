import type { Machine } from '@jinn/core';
import { listLanguages } from '../index.ts';

/** Reports whether a language of the workspace has a server that may be started, or that only lacks the user's trust. */
export async function hasServer(machine: Machine): Promise<boolean> {
  const { languages } = await listLanguages(machine);
  return languages.some(({ servers }) => servers.some(({ program, untrusted }) => program ?? untrusted));
}
