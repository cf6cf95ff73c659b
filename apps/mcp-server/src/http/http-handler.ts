import { createSession, type Session } from '@jinn/core';
import type { Audit } from '@jinn/team/audit/audit';
import type { OperatorLog } from '@jinn/team/audit/operator-log';
import type { PersonLimits } from '@jinn/team/limits/person-limits';
import { type Asker, ownerOf } from '@jinn/team/people/asker';
import {
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  type JSONRPCMessage,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { announceChanges, type ServerFactory } from '../create-server.ts';
import { labelOf, toAsker, toAuthInfo } from '../request-facts.ts';
import type { RequestObserver } from '../telemetry/request-observer.ts';
import { HttpSessions, type Seat } from './http-sessions.ts';

/** The most sessions: as many as connections with requests, so that one is always idle. */
const MAX_SESSIONS = 512;
const IDLE_MS = 30 * 60 * 1000;
const KEY_HEADER = 'jinn-session';
const KEY = /^[\x21-\x7e]{16,128}$/;
const NOT_FOUND = -32_001;
const RETRY_SECONDS = '10';

export interface HttpHandler {
  /** Answers a request whose body is parsed. Its signal must abort when the response is closed. */
  handle(request: Request, body: unknown, asker: Asker): Promise<Response>;
  tokens(): readonly string[];
  /** Ends the sessions that were used with a token last, and their background jobs. */
  end(token: string): void;
  close(): Promise<void>;
}

interface HttpSession {
  readonly session: Session;
  readonly person: string;
  token: string | undefined;
  readonly transport?: WebStandardStreamableHTTPServerTransport;
  /** The calls with a stream of their own: those that did not come in a batch. */
  readonly alone?: Set<string | number>;
  close(): Promise<void>;
}

type Sessions = HttpSessions<HttpSession>;

export interface HandlerOptions {
  readonly log: OperatorLog;
  readonly audit: Audit | undefined;
  readonly limits: PersonLimits;
  readonly observer: RequestObserver;
}

/** Makes the handler of both kinds of revisions: those with a handshake, and the stateless one. */
export function createHttpHandler(
  factory: ServerFactory,
  { log, audit, limits, observer }: HandlerOptions,
): HttpHandler {
  const sessions: Sessions = new HttpSessions({
    max: MAX_SESSIONS,
    idleMs: IDLE_MS,
    onBegin: ({ session, person }, owner) => {
      const ends = [observer.beginSession(), audit?.beginSession(labelOf(session), person), limits.beginSession(owner)];
      return () => {
        for (const end of ends) end?.();
      };
    },
  });
  const stateless = createMcpHandler(
    ({ requestInfo, authInfo }) => {
      const key = requestInfo?.headers.get(KEY_HEADER);
      if (requestInfo && key) {
        const asker = toAsker(authInfo);
        return factory.make(openNamed(sessions, { key, ...asker, seat: seatOf(asker) }, requestInfo.signal));
      }
      const session = createSession({ endsWithCall: true });
      const server = factory.make(session);
      server.onclose = () => void session.close();
      return server;
    },
    { legacy: 'reject', onerror: log.failure },
  );
  const seatOf = (asker: Asker) => ({ owner: ownerOf(asker), most: limits.sessionsOf(asker) });
  const unwatch = factory.watch(() => stateless.notify.toolsChanged());
  const handle: HttpHandler['handle'] = async (request, body, asker) => {
    const key = request.headers.get(KEY_HEADER);
    if (key !== null && !KEY.test(key))
      return errorResponse(400, -32_000, `${KEY_HEADER} has 16 to 128 visible characters`);
    if (!(await isLegacyRequest(request, body))) {
      const isNew = key !== null && sessions.get(toKey({ key, person: asker.person })) === undefined;
      if (isNew && !sessions.hasRoom(seatOf(asker))) return noRoom();
      return stateless.fetch(request, { parsedBody: body, authInfo: toAuthInfo(asker) });
    }
    if (request.method === 'DELETE' && key !== null) {
      const named = toKey({ key, person: asker.person });
      if (sessions.get(named) === undefined) return errorResponse(404, NOT_FOUND, 'Session not found');
      await sessions.end(named);
      return new Response(null, { status: 204 });
    }
    return handleByHandshake({ sessions, factory, asker, seat: seatOf(asker) }, request, body);
  };
  return {
    handle: async (request, body, asker) =>
      answerLost(request) ?? markStream(await handle(request, body, asker), request, body),
    tokens: () => sessions.all().flatMap(([, { token }]) => token ?? []),
    end: (token) => {
      for (const [key, kept] of sessions.all()) if (kept.token === token) void sessions.end(key);
    },
    close: async () => {
      unwatch();
      await Promise.allSettled([stateless.close(), sessions.close()]);
    },
  };
}

function noRoom(): Response {
  const response = errorResponse(503, -32_000, 'there are too many sessions: send it again in a moment');
  response.headers.set('retry-after', RETRY_SECONDS);
  return response;
}

function openNamed(sessions: Sessions, named: SessionName, signal: AbortSignal): Session {
  const key = toKey(named);
  const { person, token } = named;
  const known = sessions.get(key);
  const session = known?.session ?? createSession();
  if (known) known.token = token;
  else sessions.add(key, { session, person, token, close: () => session.close() }, named.seat);
  sessions.hold(key, signal);
  return session;
}

interface SessionName extends Pick<Asker, 'person' | 'token'> {
  readonly key: string;
  readonly seat: Seat;
}

function toKey({ key, person }: Pick<SessionName, 'key' | 'person'>): string {
  return `name ${person} ${key}`;
}

interface Serving {
  readonly seat: Seat;
  readonly sessions: Sessions;
  readonly factory: ServerFactory;
  readonly asker: Asker;
}

async function handleByHandshake(serving: Serving, request: Request, body: unknown) {
  const { sessions, asker } = serving;
  const id = request.headers.get('mcp-session-id');
  if (id === null) {
    if (isInitializeRequest(body)) return begin(serving, request, body);
    return errorResponse(400, -32_000, 'the Mcp-Session-Id header is missing: initialize gives it');
  }
  const kept = sessions.get(`id ${id}`);
  if (kept?.transport === undefined || kept.person !== asker.person)
    return errorResponse(404, NOT_FOUND, 'Session not found');
  const { transport, alone } = kept;
  kept.token = asker.token;
  sessions.hold(`id ${id}`, request.signal);
  if (isCall(body)) {
    alone?.add(body.id);
    request.signal.addEventListener('abort', () => alone?.delete(body.id), { once: true });
  }
  cancelWithClient(transport, request, body);
  const response = await transport.handleRequest(request, { parsedBody: body, authInfo: toAuthInfo(asker) });
  // A canceled call is not answered, so that its stream would stay open.
  if (isCancellation(body) && alone?.has(body.params.requestId)) transport.closeSSEStream(body.params.requestId);
  return response;
}

async function begin({ sessions, factory, asker, seat }: Serving, request: Request, body: unknown): Promise<Response> {
  if (!sessions.hasRoom(seat)) return noRoom();
  const session = createSession();
  const server = factory.make(session);
  const close = async () => {
    await server.close();
    await session.close();
  };
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => crypto.randomUUID(),
    onsessioninitialized: (id) => {
      const { person, token } = asker;
      const kept = { session, person, token, transport, alone: new Set<string | number>(), close };
      sessions.add(`id ${id}`, kept, seat);
      sessions.hold(`id ${id}`, request.signal);
    },
    onsessionclosed: (id) => sessions.end(`id ${id}`),
  });
  await server.connect(transport as never);
  session.use(() => announceChanges(factory, server));
  const response = await transport.handleRequest(request, { parsedBody: body, authInfo: toAuthInfo(asker) });
  if (transport.sessionId === undefined) await close();
  return response;
}

// No one can fetch the answer of a call whose client has gone away. A call that is answered is not affected.
function cancelWithClient(transport: WebStandardStreamableHTTPServerTransport, request: Request, body: unknown): void {
  const ids = (Array.isArray(body) ? body : [body]).map((message) => (isCall(message) ? message.id : undefined));
  for (const requestId of ids.filter((id) => id !== undefined)) {
    const message: JSONRPCMessage = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } };
    request.signal.addEventListener('abort', () => transport.onmessage?.(message), { once: true });
  }
}

function isCall(message: unknown): message is { id: string | number } {
  if (typeof message !== 'object' || message === null || !('method' in message) || !('id' in message)) return false;
  return typeof message.id === 'string' || typeof message.id === 'number';
}

function isCancellation(body: unknown): body is { params: { requestId: string | number } } {
  const { method, params } = (body ?? {}) as { method?: unknown; params?: { requestId?: unknown } };
  return method === 'notifications/cancelled' && params?.requestId !== undefined;
}

function errorResponse(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status });
}

const FIRST_WITH_PRIMING = '2025-11-25';
const MARK = 'answer-';
/** A request whose id is longer gets no mark, since the mark comes back in a header. */
const MAX_ID = 200;
const TYPE = 'text/event-stream';

/** Begins a stream with the id of its request. A client whose connection is lost asks by it, instead of waiting until it gives up. */
export function markStream(response: Response, request: Request, body: unknown): Response {
  const id = idOf(body);
  if (id === undefined || response.body === null || !response.headers.get('content-type')?.startsWith(TYPE)) {
    return response;
  }
  const version = request.headers.get('mcp-protocol-version') ?? '';
  // In the stateless revision a stream starts with an event that has data, and the mark belongs to that.
  const ownEvent = version === FIRST_WITH_PRIMING ? 'data: \n\n' : '';
  const mark = Buffer.from(`id: ${MARK}${Buffer.from(JSON.stringify(id)).toString('base64url')}\n${ownEvent}`);
  const marked = new TransformStream<Uint8Array, Uint8Array>({ start: (controller) => controller.enqueue(mark) });
  return new Response(response.body.pipeThrough(marked), response);
}

/** Answers a client that asks for the events after a mark: the call was stopped. Returns undefined for any other request. */
export function answerLost(request: Request): Response | undefined {
  const last = request.method === 'GET' ? request.headers.get('last-event-id') : null;
  if (!last?.startsWith(MARK)) return undefined;
  const id = readId(last.slice(MARK.length));
  if (id === undefined) return undefined;
  const message =
    'the connection was lost before this call was answered: see what it has done by then, and send it again';
  const answer = JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_000, message } });
  return new Response(`event: message\ndata: ${answer}\n\n`, {
    headers: { 'content-type': TYPE, 'cache-control': 'no-store' },
  });
}

function idOf(body: unknown): string | number | undefined {
  const { method, id } = (body ?? {}) as { method?: unknown; id?: unknown };
  return typeof method === 'string' ? asId(id) : undefined;
}

function asId(id: unknown): string | number | undefined {
  const isId = typeof id === 'number' || (typeof id === 'string' && id.length <= MAX_ID);
  return isId ? id : undefined;
}

function readId(text: string): string | number | undefined {
  try {
    return asId(JSON.parse(Buffer.from(text, 'base64url').toString()));
  } catch {
    return undefined;
  }
}
