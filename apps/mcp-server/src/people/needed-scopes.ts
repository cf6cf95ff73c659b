import type { Registry } from '@jinn/core';
import { type Scope, scopeOf, TOOL_SCOPES } from './scopes.ts';

interface Message {
  readonly method?: unknown;
  readonly params?: { readonly name?: unknown };
}

/** Returns the scopes that a message, or a batch of them, needs and that are not among these. */
export async function missingScopes(registry: Registry, body: unknown, has: readonly Scope[]): Promise<Scope[]> {
  if (TOOL_SCOPES.every((scope) => has.includes(scope))) return [];
  const messages: readonly (Message | null)[] = Array.isArray(body) ? body : [body];
  const needed = await Promise.all(messages.map((message) => neededScope(registry, message)));
  return [...new Set(needed.filter((scope) => scope !== undefined))].filter((scope) => !has.includes(scope));
}

async function neededScope(registry: Registry, message: Message | null): Promise<Scope | undefined> {
  if (message?.method === 'resources/read') return 'jinn:read';
  const name = message?.params?.name;
  if (message?.method !== 'tools/call' || typeof name !== 'string') return undefined;
  const tool = await registry.find(name);
  return tool && scopeOf(tool.effect);
}
