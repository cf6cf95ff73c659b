/** What a person may do, as the scopes of OAuth say it. The first three are the effects of tools. */
export const SCOPES = ['jinn:read', 'jinn:write', 'jinn:execute', 'jinn:admin'] as const;
export type PersonScope = (typeof SCOPES)[number];
/** The scopes that calls of tools need. */
export const TOOL_SCOPES: readonly PersonScope[] = ['jinn:read', 'jinn:write', 'jinn:execute'];

/** Returns the scope of this name, with or without `jinn:`; undefined if there is none. */
export function findScope(name: string): PersonScope | undefined {
  return SCOPES.find((known) => known === name || known === `jinn:${name}`);
}

/** Reads names of scopes, each once. Throws an Error for the operator. */
export function parseScopes(names: readonly string[]): readonly PersonScope[] {
  const found = names.map((name) => {
    const scope = findScope(name);
    if (scope) return scope;
    throw new Error(`there is no scope ${JSON.stringify(name)}; the scopes are ${SCOPES.join(', ')}`);
  });
  return [...new Set(found)];
}
