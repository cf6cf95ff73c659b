/** What a person may do, as the scopes of OAuth say it. The first three are the effects of tools. */
export const SCOPES = ['jinn:read', 'jinn:write', 'jinn:execute', 'jinn:admin'] as const;
export type Scope = (typeof SCOPES)[number];
/** The scope for what concerns other people. */
export const ADMIN = 'jinn:admin' satisfies Scope;
/** The scopes that calls of tools need. */
export const TOOL_SCOPES: readonly Scope[] = ['jinn:read', 'jinn:write', 'jinn:execute'];

/** Returns the scope that a tool of this effect needs. */
export function scopeOf(effect: 'read' | 'write' | 'execute'): Scope {
  return `jinn:${effect}`;
}

/** Reads names of scopes, with or without `jinn:`. Throws an Error that is for the operator. */
export function parseScopes(names: readonly string[]): readonly Scope[] {
  return [...new Set(names.map(parseScope))];
}

/** Returns the scope of this name; undefined if there is none. */
export function findScope(name: string): Scope | undefined {
  return SCOPES.find((known) => known === name || known === `jinn:${name}`);
}

function parseScope(name: string): Scope {
  const scope = findScope(name);
  if (scope) return scope;
  throw new Error(`there is no scope ${JSON.stringify(name)}; the scopes are ${SCOPES.join(', ')}`);
}

/** Returns those of the names that are scopes of jinn. A provider may give a token others too. */
export function scopesAmong(names: readonly string[]): readonly Scope[] {
  return SCOPES.filter((scope) => names.includes(scope));
}
