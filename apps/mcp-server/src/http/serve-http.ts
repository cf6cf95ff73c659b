import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { UsageError } from '@jinn/core/errors';
import type { OperatorLog } from '@jinn/team/audit/operator-log';
import type { SharedDatabase } from '@jinn/team/database/shared-state';
import type { PersonScope, Refusal } from '@jinn/team/people/asker';
import type { Identity } from '@jinn/team/people/identity';
import { findIsolation, type Isolation } from '@jinn/toolsets/machine/isolation';
import { isJSONRPCRequest, isJsonContentType } from '@modelcontextprotocol/server';
import { createServerFactory, type ServerContext, type ServerFactory } from '../create-server.ts';
import type { McpServeOptions } from '../options.ts';
import { ADMIN } from '../request-facts.ts';
import type { Team } from '../start/team-of-options.ts';
import { TOKEN, untilStopped, warn } from '../start/this-program.ts';
import { idTextOf, MAX_MESSAGE_BYTES, parseMessage, toResponse } from '../stdio/messages.ts';
import type { Metrics, openObservers } from '../telemetry/metrics.ts';
import {
  type Access,
  type AccessOptions,
  type Address,
  createAccess,
  isEverywhere,
  isLoopback,
} from './http-access.ts';
import { createHttpHandler, type HandlerOptions, type HttpHandler } from './http-handler.ts';
import { endRevoked, OpenRequests } from './http-sessions.ts';

const PATH = '/mcp';
const METHODS = ['GET', 'POST', 'DELETE'];
const METHOD_NAMES = METHODS.join(', ');
const LISTEN = 'subscriptions/listen';
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_CONNECTIONS = 640;
/** How long the headers, and the whole request, may take to arrive. A stream of answers has no limit. */
const HEADERS_MS = 5_000;
const CHECK_MS = 1_000;
const REQUEST_MS = 60_000;
const IDLE_MS = 10_000;
/** How long calls may continue after the server is asked to stop, and then how long they may take to stop. */
const DRAIN_MS = 8_000;
const STOP_MS = 700;
const DRAIN_CHECK_MS = 50;
/** The port closes when no request came for so long. A balancer learns by the first 503 to ask elsewhere. */
const QUIET_MS = 300;
const QUIET_WITHIN_MS = 3_000;
const LAST_ANSWERS_MS = 700;
const BAD_REQUEST = 400;
/** The status for a second stream of notices, for which clients of the 1.x line ask after a call that was canceled. */
const CONFLICT = 409;
const HEALTH_PATH = '/healthz';
const READY_PATH = '/readyz';
const METRICS = 'jinn:metrics';
/** The scopes of which one is needed to read what concerns all. */
const REPORTS: Readonly<Record<string, readonly PersonScope[]>> = { '/metrics': [METRICS, ADMIN], '/people': [ADMIN] };

interface ServerReadiness {
  isolation(): Promise<Isolation>;
  /** Undefined without a database of the team. */
  readonly database: SharedDatabase['probe'] | undefined;
}

interface WebOptions extends Pick<McpServeOptions, 'allowHost' | 'allowOrigin'> {
  readonly address: Address;
  readonly log: OperatorLog;
  readonly observers: Awaited<ReturnType<typeof openObservers>>;
  readonly probe: ServerReadiness['database'];
  readonly people: NonNullable<Team['people']>;
}

/** Serves over HTTP until it is asked to stop. Throws UsageError if it cannot listen, or must not. */
export async function serveWeb(context: ServerContext, options: WebOptions): Promise<void> {
  const { address, allowHost, allowOrigin, log, probe } = options;
  const { identity, limits } = options.people;
  if (!identity.isNeeded && !isLoopback(address.host)) {
    throw new UsageError(
      `to listen beyond this machine, a bearer token is needed: jinn-mcp tokens create makes one, or set ${TOKEN}, or give --token-file`,
    );
  }
  const { reached: stop, again: stopNow } = untilStopped({ signals: ['SIGTERM', 'SIGINT'], withParent: false });
  const isolation = () => findIsolation(context.roots.machine);
  const onListen = (url: string) => {
    process.stderr.write(`jinn-mcp listens on ${url}\njinn-mcp: ${identity.describe()}\n`);
    void isolation().then((found) => {
      const lack = describeLack(found, identity.hasNamedPeople({ reload: true }));
      if (lack !== undefined) warn(lack);
    });
    if (!isEverywhere(address.host) || allowHost.length + identity.hosts.length > 0) return;
    process.stderr.write('clients are refused until --allow-host has the names by which they ask for this machine\n');
  };
  const { observer, metrics, close } = options.observers;
  try {
    await serveHttp(createServerFactory(context), {
      ...{ audit: context.audit, log, observer, metrics, limits },
      ...{ address, identity, allowHost, allowOrigin, stop, stopNow, onListen },
      readiness: { isolation, database: probe },
    });
    await close();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw code?.startsWith('E') ? new UsageError(`--http: ${message}`) : error;
  }
}

interface HttpOptions extends HandlerOptions, Omit<AccessOptions, 'host'> {
  readonly metrics: Metrics;
  readonly address: Address;
  readonly identity: Identity;
  readonly readiness: ServerReadiness;
  readonly stop: Promise<unknown>;
  /** Resolves when it must not wait for answers any longer. */
  readonly stopNow: Promise<unknown>;
  onListen(url: string): void;
}

/** Serves Streamable HTTP until it is asked to stop. Throws if it cannot listen at the address. */
export async function serveHttp(factory: ServerFactory, options: HttpOptions): Promise<void> {
  const { host, port } = options.address;
  const { log } = options;
  // The settings of a provider may change.
  const access = () => createAccess({ ...options, host, allowHost: [...options.allowHost, ...options.identity.hosts] });
  const handler = createHttpHandler(factory, options);
  const unanswered = new Set<ServerResponse>();
  const open = new OpenRequests();
  const given = { ...options, access, factory, handler, open };
  let isDraining = false;
  let lastRequest = -Infinity;
  const server = createServer(
    { maxHeaderSize: MAX_HEADER_BYTES, connectionsCheckingInterval: CHECK_MS },
    (request, response) => {
      lastRequest = performance.now();
      unanswered.add(response);
      // An idle connection is not closed under a client that is about to use it. It is asked not to use it again.
      if (isDraining) response.setHeader('connection', 'close');
      response.on('close', () => unanswered.delete(response));
      const onStream = () => void unanswered.delete(response);
      let person: string | undefined;
      const onPerson = (name: string) => {
        // If no one must say who they are, all are strangers.
        person = options.identity.isNeeded ? name : undefined;
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
  const stopLooking = endRevoked(options.identity, [open, handler]);
  server.listen(port, host.replace(/^\[|\]$/g, ''));
  await once(server, 'listening');
  options.onListen(`http://${host}:${(server.address() as { port: number }).port}${PATH}`);

  await options.stop;
  isDraining = true;
  const noticed = performance.now() + QUIET_WITHIN_MS;
  const isQuiet = () => performance.now() > Math.min(lastRequest + QUIET_MS, noticed);
  await Promise.race([options.stopNow, drain(() => unanswered.size === 0 && isQuiet(), DRAIN_MS)]);
  factory.stop();
  await drain(() => unanswered.size === 0, LAST_ANSWERS_MS);
  server.close();
  stopLooking();
  await Promise.race([handler.close().then(factory.idle), sleep(STOP_MS)]);
  server.closeAllConnections();
}

async function drain(isDone: () => boolean, ms: number): Promise<void> {
  const end = Date.now() + ms;
  while (!isDone() && Date.now() < end) await sleep(DRAIN_CHECK_MS);
}

function recordRefusal(
  { audit, observer, identity }: HttpOptions,
  request: IncomingMessage,
  facts: { status: number; person: string | undefined },
): void {
  if (facts.status < BAD_REQUEST || facts.status === CONFLICT) return;
  observer.refused(facts.status);
  audit?.refusal({ address: identity.addressOf(request), method: request.method, ...facts });
}

interface AnswerContext extends HttpOptions {
  access(): Access;
  readonly factory: ServerFactory;
  readonly handler: HttpHandler;
  readonly open: OpenRequests;
}

interface Arrival {
  readonly isDraining: boolean;
  onStream(): void;
  onPerson(name: string): void;
}

// Refuses a request before it reads the body: by its source, then by its token, then by its path.
async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  given: AnswerContext,
  { isDraining, onStream, onPerson }: Arrival,
): Promise<void> {
  const { identity, factory, handler, open, readiness } = given;
  const { headers, method = 'GET' } = request;
  const path = pathOf(request);
  const isRead = method === 'GET' || method === 'HEAD';
  if (isRead && (await answerProbe(path, response, { isDraining, ...readiness }))) return;
  if (isRead && isReport(path) && identity.isNeeded) return sendReport(request, response, given);
  const stranger = given.access().judgeSource(headers);
  if (stranger) return rejectRequest(response, stranger.status, stranger.message);
  if (isRead && isReport(path)) return sendReport(request, response, given);
  if (headers.origin !== undefined) allowPage(response, headers.origin);
  if (method === 'OPTIONS') return void response.writeHead(204, { allow: METHOD_NAMES }).end();
  const metadata = method === 'GET' ? identity.metadataAt(path) : undefined;
  if (metadata) {
    const json = { 'content-type': 'application/json', 'cache-control': 'no-store' };
    return void response.writeHead(200, json).end(JSON.stringify(metadata));
  }
  const asker = await identity.identify(request);
  if ('status' in asker) return refuse(response, asker, identity);
  onPerson(asker.person);
  open.add({ token: asker.token }, response);
  if (path !== PATH) return rejectRequest(response, 404, `the server is at ${PATH}`);
  if (!METHODS.includes(method)) return rejectRequest(response, 405, `the methods are ${METHOD_NAMES}`);
  const handle = async (body: unknown) => {
    if (isDraining && beginsWork(method, body)) {
      const message = 'the server stops: send it again in a moment';
      response.setHeader('retry-after', '1');
      return end(response, 503, toResponse({ code: -32_000, message, id: idTextOf(body) }));
    }
    const missing = await factory.missingScopes(body, asker.scopes);
    if (missing.length > 0) {
      // The scopes that the user has stay in the next token of the provider.
      const message = `this needs the scope ${missing.join(' and ')}, which you do not have`;
      const scopes = [...asker.scopes, ...missing];
      setChallenge(response, { status: 403, message, error: 'insufficient_scope', scopes }, identity);
      return end(response, 403, toResponse({ code: -32_000, message, id: idTextOf(body) }));
    }
    if (method === 'GET' || (body as { method?: unknown } | null)?.method === LISTEN) {
      onStream();
      open.add(asker, response);
    }
    await send(await handler.handle(toRequest(request, response), body, asker), response);
  };
  return method === 'POST' ? readMessage(request, response, handle) : handle(undefined);
}

async function readMessage(
  request: IncomingMessage,
  response: ServerResponse,
  handle: (message: unknown) => Promise<void>,
): Promise<void> {
  const type = request.headers['content-type'] ?? null;
  if (!isJsonContentType(type)) return rejectRequest(response, 415, 'the body must be JSON');
  const bytes = await readBody(request);
  if (bytes === undefined) return rejectRequest(response, 413, 'the request is too large');
  const read = parseMessage(bytes);
  return 'refusal' in read ? end(response, BAD_REQUEST, toResponse(read.refusal)) : handle(read.value);
}

// Undefined if the body is too large: by its declared length before any of it is read, otherwise as soon as more has come.
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_MESSAGE_BYTES) return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    if (size > MAX_MESSAGE_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

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

function pathOf({ url = '/' }: IncomingMessage): string {
  return url.split('?')[0] ?? '/';
}

// An answer of the user, for example, belongs to a call that runs.
function beginsWork(method: string, body: unknown): boolean {
  const messages: unknown[] = Array.isArray(body) ? body : [body];
  return method === 'GET' || messages.some((message) => isJSONRPCRequest(message));
}

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

function rejectRequest(response: ServerResponse, status: number, message: string): void {
  end(response, status, toResponse({ code: -32_000, message, id: 'null' }));
}

// Closes the connection, since the rest of the request may be unread.
function end(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' }).end(body);
}

// The web Request has no body, and aborts when the response is closed.
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

// The library wants both kinds of answers named, also by a client that takes anything, such as curl.
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

async function answerProbe(
  path: string,
  response: ServerResponse,
  { isDraining, isolation, database }: ServerReadiness & { readonly isDraining: boolean },
): Promise<boolean> {
  if (path === HEALTH_PATH) sendText(response, 200, 'ok\n');
  else if (path !== READY_PATH) return false;
  else if (isDraining) sendText(response, 503, 'draining\n');
  else {
    // Once it has answered, reading, searching and commands continue without it: a balancer must not take the server away.
    const { isReady, text } = (await database?.()) ?? { isReady: true };
    const sandbox = `sandbox: ${describeIsolation(await isolation())}\n`;
    const more = text === undefined ? '' : `database: ${text}\n`;
    sendText(response, isReady ? 200 : 503, `${isReady ? 'ready' : 'not ready'}\n${sandbox}${more}`);
  }
  return true;
}

function isReport(path: string): boolean {
  return Object.hasOwn(REPORTS, path);
}

/** Answers with the metrics, or with what each person has running, or says why not. */
async function sendReport(
  request: IncomingMessage,
  response: ServerResponse,
  { identity, metrics, limits }: AnswerContext,
): Promise<void> {
  const asker = await identity.identify(request);
  if ('status' in asker) return refuse(response, asker, identity);
  const path = pathOf(request);
  const [needed = ADMIN, ...others] = REPORTS[path] ?? [];
  if (![needed, ...others].some((scope) => asker.scopes.includes(scope))) {
    const scopes = [...asker.scopes, needed];
    const lack = {
      status: 403,
      message: `this needs the scope ${needed}`,
      error: 'insufficient_scope',
      scopes,
    } as const;
    return refuse(response, lack, identity);
  }
  if (path === '/metrics') return sendText(response, 200, await metrics.text(), metrics.contentType);
  const people = await limits.people().catch((error: Error) => error.message);
  if (typeof people === 'string') return refuse(response, { status: 503, message: people }, identity);
  const rows = people.map(({ owner, ...more }) => {
    const [kind = '', name] = owner.split(' ');
    return { [kind]: name, ...more };
  });
  sendText(response, 200, `${JSON.stringify({ people: rows }, undefined, 2)}\n`, 'application/json');
}

function sendText(response: ServerResponse, status: number, text: string, type = 'text/plain'): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(text);
}

function describeIsolation({ confines, runs, text }: Isolation): string {
  if (confines) return text;
  return runs ? 'none: commands have the rights of the server' : 'none: no command runs';
}

function describeLack({ confines, runs, text }: Isolation, isForSeveral: boolean): string | undefined {
  if (confines || (runs && !isForSeveral)) return undefined;
  return runs
    ? `sandbox: ${text}: users who may execute have the rights of this server, and can read and change the data of all users`
    : `sandbox: ${text}: no command runs. jinn --doctor shows what is missing. --sandbox off runs them with the rights of this server`;
}
