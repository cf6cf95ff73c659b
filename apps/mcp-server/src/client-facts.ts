import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';

/** What a request of the stateless revision says of the client; those by handshake said it once. */
interface Declaration {
  readonly [CLIENT_INFO_META_KEY]?: { readonly name?: string };
  readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities;
}

/** Returns the name by which the client calls itself; undefined if it gives none. */
export function clientOf(server: Server, { mcpReq: { envelope } }: ServerContext): string | undefined {
  return (envelope as Declaration | undefined)?.[CLIENT_INFO_META_KEY]?.name ?? server.getClientVersion()?.name;
}

/** Returns what the client says that it can do. */
export function capabilitiesOf(server: Server, { mcpReq: { envelope } }: ServerContext): ClientCapabilities {
  const declared = envelope as Declaration | undefined;
  return (declared ? declared[CLIENT_CAPABILITIES_META_KEY] : server.getClientCapabilities()) ?? {};
}
