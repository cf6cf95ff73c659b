import { ToolError } from '@jinn/core/errors';
import { ProtocolError, type Server } from '@modelcontextprotocol/server';
import { askerOf, ownerOf } from '../people/asker.ts';
import { wrapHandlers } from '../telemetry/request-observer.ts';
import type { PersonLimits } from './person-limits.ts';

const REFUSED = -32_000;

/**
 * Lets lists, prompts and resources count like calls of tools, which count by themselves. It must be called before the
 * handlers are set.
 */
export function limitRequests(server: Server, limits: PersonLimits): void {
  wrapHandlers(server, (method, handler) => {
    if (method === 'tools/call') return handler;
    return async (request, ctx) => {
      const owner = ownerOf(askerOf(ctx));
      begin(limits, owner);
      const result = await handler(request, ctx);
      limits.spend(owner, () => Buffer.byteLength(JSON.stringify(result)));
      return result;
    };
  });
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
