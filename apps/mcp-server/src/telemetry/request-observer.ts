import { ToolError } from '@jinn/core/errors';
import type { PersonLimits } from '@jinn/team/limits/person-limits';
import { ProtocolError, type ServerContext as RequestContext, type Server } from '@modelcontextprotocol/server';
import { askerOf } from '../request-facts.ts';

const REFUSED = -32_000;

export interface ObservedRequest {
  readonly method: string;
  /** The tool that is called, or undefined for an unknown one, since a client may send any name. */
  readonly tool: string | undefined;
  readonly id: unknown;
  readonly revision: string | undefined;
  readonly session: string;
  readonly person: string;
  /** The `_meta` of the request, which may say what trace it belongs to. */
  readonly meta: unknown;
}

/** Observes what the server does. It never changes the outcome of a request. */
export interface RequestObserver {
  /** Gets a request that starts, and returns a function for its end, with the kind of its error. */
  begin(request: ObservedRequest): (error?: string) => void;
  /** Gets that a session of HTTP starts, and returns a function for its end. */
  beginSession(): () => void;
  refused(status: number): void;
}

/** Makes one observer of several. */
export function joinObservers(observers: readonly RequestObserver[]): RequestObserver {
  const begun = (ends: readonly ((error?: string) => void)[]) => (error?: string) => {
    for (const end of ends) end(error);
  };
  return {
    begin: (request) => begun(observers.map((observer) => observer.begin(request))),
    beginSession: () => begun(observers.map((observer) => observer.beginSession())),
    refused: (status) => {
      for (const observer of observers) observer.refused(status);
    },
  };
}

export interface ConnectionFacts {
  readonly session: string;
  personOf(ctx: RequestContext): string;
  isTool(name: string): Promise<boolean>;
}

type Handler = (request: { params?: { name?: unknown } }, ctx: RequestContext) => unknown;

function wrapHandlers(server: Server, wrap: (method: string, handler: Handler) => Handler): void {
  const set = server.setRequestHandler.bind(server) as (method: string, handler: Handler) => void;
  server.setRequestHandler = ((method: string, handler: Handler) => set(method, wrap(method, handler))) as never;
}

/** Lets an observer see the requests that a server handles. It must be called before the handlers are set. */
export function observeRequests(server: Server, observer: RequestObserver, facts: ConnectionFacts): void {
  wrapHandlers(server, (method, handler) => async (request, ctx) => {
    const { name } = request.params ?? {};
    const isTool = method === 'tools/call' && typeof name === 'string' && (await facts.isTool(name));
    const end = observer.begin({
      method,
      tool: isTool ? name : undefined,
      id: ctx.mcpReq.id,
      revision:
        server.getNegotiatedProtocolVersion() ?? ctx.http?.req?.headers.get('mcp-protocol-version') ?? undefined,
      session: facts.session,
      person: facts.personOf(ctx),
      meta: ctx.mcpReq._meta,
    });
    try {
      const result = await handler(request, ctx);
      end((result as { isError?: boolean }).isError ? 'tool_error' : undefined);
      return result;
    } catch (error) {
      end(error instanceof ProtocolError ? String(error.code) : (error as Error).name);
      throw error;
    }
  });
}

/** Counts lists, prompts and resources like calls of tools, which count by themselves. It must be called before the handlers are set. */
export function limitRequests(server: Server, limits: PersonLimits): void {
  wrapHandlers(server, (method, handler) => {
    if (method === 'tools/call') return handler;
    return async (request, ctx) => {
      const asker = askerOf(ctx);
      try {
        limits.beginCall(asker, 'read');
      } catch (error) {
        if (!(error instanceof ToolError)) throw error;
        throw new ProtocolError(REFUSED, `${error.code}: ${error.message}; ${error.suggestion}`);
      }
      const result = await handler(request, ctx);
      limits.spend(asker, () => Buffer.byteLength(JSON.stringify(result)));
      return result;
    };
  });
}

/** The bounds of durations, in seconds: those of the conventions of OpenTelemetry for requests of MCP. */
export const DURATION_BUCKETS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];
export const SESSION_BUCKETS = [1, 10, 60, 300, 900, 1_800, 3_600, 14_400, 86_400];
