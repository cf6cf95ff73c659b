import { fileURLToPath } from 'node:url';
import type { Registry, Session } from '@jinn/core';
import type { Asker, PersonScope } from '@jinn/team/people/asker';
import {
  type AuthInfo,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  type ServerContext as RequestContext,
  type Server,
} from '@modelcontextprotocol/server';

/** A client that does not answer must not hold up calls. */
const ROOTS_MS = 2_000;
/** Further roots do not count: each takes a look at the disk in each call. */
const MAX_ROOTS = 200;
/** The scope for what concerns other users. */
export const ADMIN = 'jinn:admin' satisfies PersonScope;
const TOOL_SCOPES: readonly PersonScope[] = ['jinn:read', 'jinn:write', 'jinn:execute'];
const LOCAL: Asker = { person: '', scopes: [...TOOL_SCOPES, ADMIN] };

/** Converts an asker to what the SDK passes on to the handler of a request. The token itself goes no further. */
export function toAuthInfo(asker: Asker): AuthInfo {
  return { token: '', clientId: asker.person, scopes: [...asker.scopes], extra: { asker } };
}

/** Converts it back. */
export function toAsker(authInfo: AuthInfo | undefined): Asker {
  return (authInfo?.extra?.['asker'] as Asker | undefined) ?? LOCAL;
}

/** Returns who sent a request. */
export function askerOf({ http }: RequestContext): Asker {
  return toAsker(http?.authInfo);
}

/** Returns the scope that a tool of this effect needs. */
export function scopeOf(effect: 'read' | 'write' | 'execute'): PersonScope {
  return `jinn:${effect}`;
}

/** Returns the scopes that a message, or a batch of them, needs beyond these. */
export async function missingScopes(
  registry: Registry,
  body: unknown,
  has: readonly PersonScope[],
): Promise<PersonScope[]> {
  if (TOOL_SCOPES.every((scope) => has.includes(scope))) return [];
  const neededScope = async (message: { method?: unknown; params?: { name?: unknown } } | null) => {
    if (message?.method === 'resources/read') return scopeOf('read');
    const name = message?.params?.name;
    if (message?.method !== 'tools/call' || typeof name !== 'string') return undefined;
    const tool = await registry.find(name);
    return tool && scopeOf(tool.effect);
  };
  const needed = await Promise.all((Array.isArray(body) ? body : [body]).map(neededScope));
  return [...new Set(needed.filter((scope) => scope !== undefined))].filter((scope) => !has.includes(scope));
}

/** The part of a request of the stateless revision that describes the client. Others said it in their handshake. */
interface Declaration {
  readonly [CLIENT_INFO_META_KEY]?: { readonly name?: string };
  readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities;
}

/** Returns the name by which the client calls itself, or undefined if it gives none. */
export function clientOf(server: Server, { mcpReq: { envelope } }: RequestContext): string | undefined {
  return (envelope as Declaration | undefined)?.[CLIENT_INFO_META_KEY]?.name ?? server.getClientVersion()?.name;
}

/** Returns what the client says that it can do. */
export function capabilitiesOf(server: Server, { mcpReq: { envelope } }: RequestContext): ClientCapabilities {
  const declared = envelope as Declaration | undefined;
  return (declared ? declared[CLIENT_CAPABILITIES_META_KEY] : server.getClientCapabilities()) ?? {};
}

/** The directories that a client has open, asked for at its first call, and again when it says that they have changed. */
export interface ClientRoots {
  get(ctx: RequestContext): Promise<readonly string[] | undefined>;
}

/** Asks a client which directories it has open. Only one that shook hands can be asked. */
export function askClientRoots(server: Server): ClientRoots {
  let known: Promise<readonly string[] | undefined> | undefined;
  server.setNotificationHandler('notifications/roots/list_changed', () => {
    known = undefined;
  });
  return {
    get: async (ctx) => {
      if (ctx.mcpReq.envelope !== undefined || server.getClientCapabilities()?.roots === undefined) return undefined;
      // The question goes the way of the call, since over HTTP a client need not listen in another way.
      const asked = () => ctx.mcpReq.send({ method: 'roots/list' }, { timeout: ROOTS_MS });
      known ??= asked().then(toDirectories, () => undefined);
      return known;
    },
  };
}

function toDirectories({ roots }: { roots: readonly { uri: string }[] }): string[] {
  return roots.slice(0, MAX_ROOTS).flatMap(({ uri }) => {
    try {
      return [fileURLToPath(uri)];
    } catch {
      return []; // It is not the address of a file.
    }
  });
}

const labels = new WeakMap<Session, string>();

/** Returns a name of the session for the operator. It is not the id, by which the session could be used. */
export function labelOf(session: Session): string {
  const label = labels.get(session) ?? crypto.randomUUID().slice(0, 8);
  labels.set(session, label);
  return label;
}
