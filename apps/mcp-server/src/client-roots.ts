import { fileURLToPath } from 'node:url';
import type { Server, ServerContext } from '@modelcontextprotocol/server';

/** A client that does not answer must not hold up calls. */
const WAIT_MS = 2_000;
/** The roots beyond these do not count: each takes a look at the disk in each call. */
const MAX_ROOTS = 200;

/** The directories that a client has open, asked for at its first call, and again when it says that they have changed. */
export interface ClientRoots {
  /** Returns the directories; undefined if the client does not say. */
  get(ctx: ServerContext): Promise<readonly string[] | undefined>;
}

/**
 * Asks a client which directories it has open. Only a client that shook hands can be asked: a request of the stateless
 * revision cannot be answered by a question.
 */
export function askClientRoots(server: Server): ClientRoots {
  let known: Promise<readonly string[] | undefined> | undefined;
  server.setNotificationHandler('notifications/roots/list_changed', () => {
    known = undefined;
  });
  return {
    get: async (ctx) => {
      if (ctx.mcpReq.envelope !== undefined || server.getClientCapabilities()?.roots === undefined) return undefined;
      // The question goes the way of the call, since over HTTP a client need not listen in another way.
      known ??= ctx.mcpReq.send({ method: 'roots/list' }, { timeout: WAIT_MS }).then(toDirectories, () => undefined);
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
