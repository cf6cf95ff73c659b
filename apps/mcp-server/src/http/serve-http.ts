import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { isJSONRPCRequest, isJsonContentType } from '@modelcontextprotocol/server';
import type { Audit } from '../audit/audit.ts';
import type { ServerFactory } from '../create-server.ts';
import type { Log } from '../log.ts';
import type { Identity, Refusal } from '../people/identity.ts';
import type { Scope } from '../people/scopes.ts';
import { MAX_MESSAGE_BYTES, readMessage, textOf, toResponse } from '../stdio/messages.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Observer } from '../telemetry/request-observer.ts';
import { type BodyRefusal, BodyRoom } from './body-room.ts';
import { Connections } from './connections.ts';
import { endRevoked } from './end-revoked.ts';
import { type Access, type AccessOptions, createAccess } from './http-access.ts';
import type { Address } from './http-address.ts';
import { createHttpHandler, type HttpHandler } from './http-handler.ts';
import { answerMetrics, answerProbe, METRICS_PATH, type Readiness } from './probes.ts';
import { MAX_EACH, UnderWay } from './under-way.ts';

const PATH = '/mcp';
const METHODS = ['GET', 'POST', 'DELETE'];
const METHOD_NAMES = METHODS.join(', ');
/** The request of the stateless revision for a stream of notices. */
const LISTEN = 'subscriptions/listen';
const MB = 1024 * 1024;
const BODIES = { maxEach: MAX_MESSAGE_BYTES, maxPerson: MAX_MESSAGE_BYTES, maxAll: 128 * MB, own: MB, waitMs: 10_000 };
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_CONNECTIONS = 640;
/** How long the headers, and the whole request, may take to arrive. A stream of answers has no limit. */
const HEADERS_MS = 5_000;
const CHECK_MS = 1_000;
const REQUEST_MS = 60_000;
const IDLE_MS = 10_000;
/** How long calls may go on after the server is told to stop, and how long they may then take to stop. */
const DRAIN_MS = 8_000;
const STOP_MS = 700;
const DRAIN_CHECK_MS = 50;
/**
 * How long nobody must have asked before the port closes, and how long that is waited for. A balancer learns by the first 503 to ask
 * elsewhere; what it sends while the port closes would have no answer.
 */
const QUIET_MS = 300;
const QUIET_WITHIN_MS = 3_000;
/** How long what was ended has to be answered. */
const LAST_ANSWERS_MS = 700;
const BAD_REQUEST = 400;
/** The status for a second stream of notices, for which clients of the 1.x line ask after a call that was canceled. */
const CONFLICT = 409;

export interface HttpOptions extends Omit<AccessOptions, 'host'> {
  readonly audit: Audit;
  readonly log: Log;
  /** The most sessions that each person may have. */
  readonly sessionsEach: number;
  readonly observer: Observer;
  readonly metrics: Metrics;
  readonly address: Address;
  readonly identity: Identity;
  readonly readiness: Readiness;
  /** Resolves when the server must stop. */
  readonly stop: Promise<void>;
  /** Resolves when it must not wait for answers any longer. */
  readonly stopNow: Promise<void>;
  /** Hears the URL when the server listens. */
  onListen(url: string): void;
}

/**
 * Serves Streamable HTTP. Ends when it is told to and the requests that run have been answered; what takes longer is
 * aborted, with what it started. Throws when the address cannot be had.
 */
export async function serveHttp(factory: ServerFactory, options: HttpOptions): Promise<void> {
  const { host, port } = options.address;
  const { log } = options;
  const access = createAccess({ ...options, host });
  const handler = createHttpHandler(factory, options);
  const unanswered = new Set<ServerResponse>();
  const bodies = new BodyRoom(BODIES);
  const underWay = new UnderWay();
  const given = { ...options, access, factory, handler, bodies, underWay };
  let isDraining = false;
  let lastRequest = -Infinity;
  const server = createServer(
    { maxHeaderSize: MAX_HEADER_BYTES, connectionsCheckingInterval: CHECK_MS },
    (request, response) => {
      lastRequest = performance.now();
      unanswered.add(response);
      // An idle connection is not closed under a client that is about to use it; it is told not to use it again.
      if (isDraining) response.setHeader('connection', 'close');
      response.on('close', () => unanswered.delete(response));
      const onStream = () => void unanswered.delete(response);
      const { shouldKeepAlive } = response;
      // A stranger keeps no connection.
      response.shouldKeepAlive = false;
      let person: string | undefined;
      const onPerson = (name: string) => {
        // Where nobody must say who they are, all are strangers.
        person = options.identity.isNeeded ? name : undefined;
        response.shouldKeepAlive = shouldKeepAlive;
        connections.letIn(request.socket, name);
      };
      response.on('finish', () => recordRefusal(options, request, { status: response.statusCode, person }));
      answer(request, response, given, { isDraining, onStream, onPerson }).catch((error: unknown) => {
        if (!response.destroyed) log.failure(error);
        response.destroy();
      });
    },
  );
  server.headersTimeout = HEADERS_MS;
  server.requestTimeout = REQUEST_MS;
  server.keepAliveTimeout = IDLE_MS;
  server.maxConnections = MAX_CONNECTIONS;
  const connections = new Connections(server, MAX_EACH);
  const stopLooking = endRevoked(options.identity, [underWay, handler]);
  server.listen(port, host.replace(/^\[|\]$/g, ''));
  await once(server, 'listening');
  options.onListen(`http://${host}:${(server.address() as { port: number }).port}${PATH}`);

  await options.stop;
  isDraining = true;
  const noticed = performance.now() + QUIET_WITHIN_MS;
  const isQuiet = () => performance.now() > Math.min(lastRequest + QUIET_MS, noticed);
  await drain(() => unanswered.size === 0 && isQuiet(), { until: options.stopNow, ms: DRAIN_MS });
  factory.stop();
  await drain(() => unanswered.size === 0, { ms: LAST_ANSWERS_MS });
  server.close();
  stopLooking();
  await Promise.race([handler.close().then(factory.idle), sleep(STOP_MS)]);
  server.closeAllConnections();
}

interface Patience {
  readonly until?: Promise<void>;
  readonly ms: number;
}

/** Waits until it is done, but not for ever. */
async function drain(isDone: () => boolean, { until = new Promise(() => undefined), ms }: Patience): Promise<void> {
  const end = Date.now() + ms;
  let isOver = false;
  void until.then(() => {
    isOver = true;
  });
  while (!isDone() && !isOver && Date.now() < end) {
    await Promise.race([until, sleep(DRAIN_CHECK_MS)]);
  }
}

/** Writes who was refused, and with which status: without a token, with a wrong one, from a foreign page, for a session of others. */
function recordRefusal(
  { audit, observer, identity }: HttpOptions,
  request: IncomingMessage,
  facts: { status: number; person: string | undefined },
): void {
  if (facts.status < BAD_REQUEST || facts.status === CONFLICT) return;
  observer.refused(facts.status);
  audit.refusal({ address: identity.addressOf(request), method: request.method, ...facts });
}

interface AnswerContext {
  readonly access: Access;
  readonly identity: Identity;
  readonly metrics: Metrics;
  readonly factory: ServerFactory;
  readonly handler: HttpHandler;
  readonly bodies: BodyRoom;
  readonly underWay: UnderWay;
  readonly readiness: Readiness;
}

/** What goes with one request. */
interface Arrival {
  /** True if the server has been told to stop. */
  readonly isDraining: boolean;
  /** Hears that the response is a stream of notices, which has no end. */
  onStream(): void;
  /** Hears the name of the person who is let in. */
  onPerson(name: string): void;
}

/** Refuses a request before it reads the body: by its source, then by its token, then by its path. */
async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  given: AnswerContext,
  { isDraining, onStream, onPerson }: Arrival,
): Promise<void> {
  const { access, identity, factory, handler, bodies, readiness } = given;
  const { headers, method = 'GET' } = request;
  const path = request.url?.split('?')[0] ?? '/';
  const isRead = method === 'GET' || method === 'HEAD';
  if (isRead && (await answerProbe(path, response, { isDraining, ...readiness }))) return;
  if (isRead && path === METRICS_PATH && identity.isNeeded) return sendMetrics(request, response, given);
  const stranger = access.judgeSource(headers);
  if (stranger) return rejectRequest(response, stranger.status, stranger.message);
  if (isRead && path === METRICS_PATH) return sendMetrics(request, response, given);
  if (headers.origin !== undefined) allowPage(response, headers.origin);
  if (method === 'OPTIONS') return void response.writeHead(204, { allow: METHOD_NAMES }).end();
  const metadata = method === 'GET' ? identity.metadataAt(path) : undefined;
  if (metadata) return sendJson(response, metadata);
  const asker = await identity.identify(request);
  if ('status' in asker) return refuse(response, asker, identity);
  onPerson(asker.person);
  if (!given.underWay.enter(asker, response)) return rejectCrowd(response);
  if (path !== PATH) return rejectRequest(response, 404, `the server is at ${PATH}`);
  if (!METHODS.includes(method)) return rejectRequest(response, 405, `the methods are ${METHOD_NAMES}`);
  const handle = async (body: unknown) => {
    if (isDraining && beginsWork(method, body)) return rejectStopping(response, body);
    const missing = await factory.missingScopes(body, asker.scopes);
    if (missing.length > 0) return refuseScopes(response, { missing, has: asker.scopes, body }, identity);
    if (method === 'GET' || (body as { method?: unknown } | null)?.method === LISTEN) {
      onStream();
      given.underWay.listen(asker, response);
    }
    await send(await handler.handle(toRequest(request, response), body, asker), response);
  };
  if (method !== 'POST') return handle(undefined);
  if (!isJsonContentType(headers['content-type'] ?? null)) return rejectRequest(response, 415, 'the body must be JSON');
  await bodies.read(request, asker.person, async (body) => {
    if ('refused' in body) return rejectBody(response, body.refused);
    const read = readMessage(body.bytes);
    return 'refusal' in read ? end(response, BAD_REQUEST, toResponse(read.refusal)) : handle(read.value);
  });
}

/** Refuses a request by who sent it, and says how to be let in. */
function refuse(response: ServerResponse, refusal: Refusal, identity: Identity): void {
  setChallenge(response, refusal, identity);
  const seconds = refusal.retryAfter ?? (refusal.status === 503 ? 1 : undefined);
  if (seconds !== undefined) response.setHeader('retry-after', seconds);
  rejectRequest(response, refusal.status, refusal.message);
}

function setChallenge(response: ServerResponse, refusal: Refusal, identity: Identity): void {
  const challenge = identity.challenge(refusal);
  if (challenge !== undefined) response.setHeader('www-authenticate', challenge);
}

/** What a call needs beyond what its person may do. */
interface MissingScopes {
  readonly missing: readonly Scope[];
  readonly has: readonly Scope[];
  readonly body: unknown;
}

/** Refuses a call, and names the scopes to ask the provider for: those that the person has stay in the next token. */
function refuseScopes(response: ServerResponse, { missing, has, body }: MissingScopes, identity: Identity): void {
  const message = `this needs the scope ${missing.join(' and ')}, which you do not have`;
  setChallenge(response, { status: 403, message, error: 'insufficient_scope', scopes: [...has, ...missing] }, identity);
  end(response, 403, toResponse({ code: -32_000, message, id: textOf(body) }));
}

function sendJson(response: ServerResponse, value: object): void {
  response
    .writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' })
    .end(JSON.stringify(value));
}

/** Answers with the metrics, whatever the Host, if the person may see them. */
async function sendMetrics(request: IncomingMessage, response: ServerResponse, given: AnswerContext): Promise<void> {
  const refusal = await answerMetrics([request, response], given);
  if (refusal) refuse(response, refusal, given.identity);
}

/** Reports whether a request begins something. What belongs to a call that runs, such as an answer of its person, does not. */
function beginsWork(method: string, body: unknown): boolean {
  const messages: unknown[] = Array.isArray(body) ? body : [body];
  return method === 'GET' || messages.some((message) => isJSONRPCRequest(message));
}

function rejectStopping(response: ServerResponse, body: unknown): void {
  response.setHeader('retry-after', '1');
  const message = 'the server stops; send it again in a moment';
  end(response, 503, toResponse({ code: -32_000, message, id: textOf(body) }));
}

function rejectCrowd(response: ServerResponse): void {
  response.setHeader('retry-after', '1');
  // No other server is asked in the place of this one, as it would be after 503.
  rejectRequest(response, 429, 'you have too many requests at once, or streams that you have not closed');
}

const TOO_LARGE: Readonly<Record<BodyRefusal, string>> = {
  413: 'the request is too large',
  429: 'you have too many large requests at once; send it again in a moment',
  503: 'too many large requests at once; send it again in a moment',
};

function rejectBody(response: ServerResponse, status: BodyRefusal): void {
  if (status !== 413) response.setHeader('retry-after', '1');
  rejectRequest(response, status, TOO_LARGE[status]);
}

/** Sets the headers that let the script of a web page read the answer. */
function allowPage(response: ServerResponse, origin: string): void {
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('access-control-allow-methods', METHOD_NAMES);
  response.setHeader('access-control-expose-headers', 'mcp-session-id, www-authenticate');
  response.setHeader(
    'access-control-allow-headers',
    'accept, authorization, content-type, jinn-session, last-event-id, mcp-method, mcp-name, mcp-protocol-version, mcp-session-id',
  );
  response.setHeader('vary', 'origin');
}

/** Refuses a request that does not get so far as to be read. */
function rejectRequest(response: ServerResponse, status: number, message: string): void {
  end(response, status, toResponse({ code: -32_000, message, id: 'null' }));
}

/** Sends a refusal and closes the connection, since the rest of the request may be unread. */
function end(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' }).end(body);
}

/** Converts a request of Node whose body is read to a web Request, which aborts when the response is closed. */
function toRequest(request: IncomingMessage, response: ServerResponse): Request {
  const { headers, method = 'GET' } = request;
  const controller = new AbortController();
  if (response.closed) controller.abort();
  response.on('close', () => controller.abort());
  const pairs = Object.entries({ ...headers, accept: bothIfAny(headers.accept) }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  return new Request(new URL(request.url ?? '/', `http://${headers.host}`), {
    method,
    headers: pairs,
    signal: controller.signal,
  });
}

/** Returns what a client accepts. One that takes anything, as curl does, takes both kinds of answers, which the library wants named. */
function bothIfAny(accept = '*/*'): string {
  return /(^|[ ,])\*\/\*/.test(accept) ? 'application/json, text/event-stream' : accept;
}

async function send(from: Response, to: ServerResponse): Promise<void> {
  to.writeHead(from.status, Object.fromEntries(from.headers));
  // A stream may stay silent for long, and its client waits for the headers.
  if (from.headers.get('content-type') === 'text/event-stream') to.flushHeaders();
  const reader = from.body?.getReader();
  to.on('close', () => void reader?.cancel().catch(() => undefined));
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    if (to.destroyed) return;
    if (!to.write(part.value)) await Promise.race([once(to, 'drain'), once(to, 'close')]);
  }
  to.end();
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
