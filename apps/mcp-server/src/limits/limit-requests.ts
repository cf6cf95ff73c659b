import { ToolError } from '@jinn/errors';
import { ProtocolError, type Server, type ServerContext } from '@modelcontextprotocol/server';
import { askerOf, ownerOf } from '../people/asker.ts';
import type { PersonLimits } from './person-limits.ts';

const REFUSED = -32_000;

type Handler = (request: object, ctx: ServerContext) => unknown;

/**
 * Lets lists, prompts and resources count like calls of tools, which count by themselves. To be called before the handlers are
 * set.
 */
export function limitRequests(server: Server, limits: PersonLimits): void {
  const set = server.setRequestHandler.bind(server) as (method: string, handler: Handler) => void;
  const limited = (handler: Handler): Handler => {
    return async (request, ctx) => {
      const owner = ownerOf(askerOf(ctx));
      begin(limits, owner);
      const result = await handler(request, ctx);
      limits.spend(owner, Buffer.byteLength(JSON.stringify(result)));
      return result;
    };
  };
  server.setRequestHandler = ((method: string, handler: Handler) =>
    set(method, method === 'tools/call' ? handler : limited(handler))) as never;
}

/** Counts a request. Throws what the client reads if it is one too many. */
function begin(limits: PersonLimits, owner: string): void {
  try {
    limits.beginCall(owner, 'read');
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    throw new ProtocolError(REFUSED, `${error.code}: ${error.message}; ${error.suggestion}`);
  }
}
