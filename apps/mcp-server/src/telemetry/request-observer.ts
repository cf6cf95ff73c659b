import { ProtocolError, type Server, type ServerContext } from '@modelcontextprotocol/server';

/** A request that begins to be handled. */
export interface ObservedRequest {
  /** The method of MCP. */
  readonly method: string;
  /** The tool that is called; undefined for an unknown one, since whoever asks may send any name. */
  readonly tool: string | undefined;
  readonly id: unknown;
  /** The revision of the protocol, where it is known. */
  readonly revision: string | undefined;
  /** A label of the session, not its id. */
  readonly session: string;
  readonly person: string;
  /** The `_meta` of the request, which may say what trace it belongs to. */
  readonly meta: unknown;
}

/** Sees what the server does. It never changes the outcome of a request. */
export interface Observer {
  /** Hears that a request begins, and returns what hears its end, with the kind of its error. */
  begin(request: ObservedRequest): (error?: string) => void;
  /** Hears that a session of HTTP begins, and returns what hears its end. */
  beginSession(): () => void;
  /** Hears that a request of HTTP was refused. */
  refused(status: number): void;
}

/** Makes one observer of several. */
export function joinObservers(observers: readonly Observer[]): Observer {
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

/** The known facts about the connection of a request. */
export interface ConnectionFacts {
  readonly session: string;
  personOf(ctx: ServerContext): string;
  isTool(name: string): Promise<boolean>;
}

type Handler = (request: { params?: { name?: unknown } }, ctx: ServerContext) => unknown;

/** Wraps the handlers that a server gets from now on. */
export function wrapHandlers(server: Server, wrap: (method: string, handler: Handler) => Handler): void {
  const set = server.setRequestHandler.bind(server) as (method: string, handler: Handler) => void;
  server.setRequestHandler = ((method: string, handler: Handler) => set(method, wrap(method, handler))) as never;
}

/** Lets an observer see the requests that a server handles. It must be called before the handlers are set. */
export function observeRequests(server: Server, observer: Observer, facts: ConnectionFacts): void {
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
