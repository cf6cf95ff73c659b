import type { Environment, ToolContext } from '@jinn/core';
import { readVariables } from '../folders/index.ts';

/** The variables of jinn that every tool gets. */
const SAFE = [
  'PATH',
  'HOME',
  'USER',
  'SHELL',
  'TMPDIR',
  'TEMP',
  'TMP',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'TERM',
  'NODE_ENV',
] as const;

/**
 * Makes the environment of a tool: the safe variables of jinn, and the variables of `.env` that the tool declares. The
 * file is read at each call. A declared name is never looked up in the environment of jinn, which may hold the keys of
 * a host.
 */
export function toolEnvironment(
  declared: readonly string[],
  { environment, user }: ToolContext,
): Record<string, string> {
  const variables = declared.length === 0 ? undefined : readVariables(user.state.directory);
  return { ...pick(SAFE, (name) => environment[name]), ...pick(declared, (name) => variables?.get(name)) };
}

function pick(names: readonly string[], find: (name: string) => Environment[string]): Record<string, string> {
  const found = names.map((name) => [name, find(name)] as const);
  return Object.fromEntries(found.filter((entry): entry is [string, string] => entry[1] !== undefined));
}
