import {
  createSession,
  type DangerPolicy,
  type Machine,
  type Outcome,
  type Registry,
  type Session,
  type Surroundings,
  type ToolDescription,
  toFailure,
} from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { createProgress } from '@jinn/core/progress';
import type { RecordedCall } from '@jinn/ui/record-calls';
import {
  type CallToolResult,
  type InputRequiredResult,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import {
  type Approvals,
  createApprovals,
  createNonceSpender,
  createStateCodec,
  type NonceSpender,
  type Rounds,
} from './approvals.ts';
import type { Audit, CallRecord } from './audit/audit.ts';
import { recordedResults } from './audit/recorded-results.ts';
import { labelOf } from './audit/session-label.ts';
import { capabilitiesOf, clientOf } from './client-facts.ts';
import { askClientRoots, type ClientRoots } from './client-roots.ts';
import { instructionsFor } from './instructions.ts';
import { limitRequests } from './limits/limit-requests.ts';
import type { PersonLimits } from './limits/person-limits.ts';
import type { Turn, Turns } from './limits/turns.ts';
import { type Asker, askerOf, ownerOf } from './people/asker.ts';
import { missingScopes } from './people/needed-scopes.ts';
import { ADMIN, type Scope, scopeOf } from './people/scopes.ts';
import { servePrompts } from './prompts.ts';
import { repairArgs } from './results/repair-args.ts';
import { budgetOf, jsonLimitOf } from './results/result-limits.ts';
import { bytesOf, LEAST_BESIDE_BYTES, type Results } from './results/results.ts';
import { serveResources } from './results/serve-resources.ts';
import { acceptsRoot, toServedTool } from './results/served-tool.ts';
import { toMcpResult } from './results/to-mcp-result.ts';
import { pageOf } from './results/tool-pages.ts';
import { showToolName, unknownTool } from './results/unknown-tool.ts';
import { createViewResource, keepLargeVisualization, showsPages, UI_EXTENSION } from './results/view-resource.ts';
import type { Roots } from './roots.ts';
import { type ConnectionFacts, type Observer, observeRequests } from './telemetry/request-observer.ts';

/** The room that is left for the line that names versions, and for what stands beside the text of a tool. */
const RESERVED_BYTES = 100 + LEAST_BESIDE_BYTES;

/** What all connections of a process share. */
export interface Door {
  readonly name: string;
  readonly version: string;
  readonly registry: Registry;
  /** Calls a tool of the registry, and records that if the user asked for it. */
  readonly call: RecordedCall;
  readonly results: Results;
  readonly audit: Audit;
  /** What each person may use; undefined where nobody counts. */
  readonly limits: PersonLimits | undefined;
  /** Lets the calls of several people take turns; undefined where there is one. */
  readonly turns: Turns | undefined;
  /** Sees what is handled; undefined if nobody watches. */
  readonly observer: Observer | undefined;
  readonly roots: Roots;
  readonly dangerous: DangerPolicy;
  /** The most text of an answer in bytes, as the operator says; undefined for the known limit of the client. */
  readonly maxResult: number | undefined;
  /** Seals what an approval in rounds carries, so that another process with the same key can finish it. */
  readonly approvalKey: string | undefined;
  /** The name of this server, where several serve a workspace. */
  readonly server: string | undefined;
  /** False if several people without names may use the server: an answer that is remembered would count for all of them. */
  readonly remembers: boolean;
  readonly showsVisualizations: boolean;
  /** False if hosts that show pages of a server (MCP Apps) get none. */
  readonly servesViews: boolean;
  /** The client of connections that do not say who they are. */
  readonly client: string | undefined;
}

export interface ServerFactory {
  make(session: Session): Server;
  /** Returns the scopes that a message, or a batch of them, needs and that are not among these. */
  missingScopes(body: unknown, has: readonly Scope[]): Promise<Scope[]>;
  /** Calls back when the list of tools may have changed; returns what ends that. */
  watch(onChange: () => void): () => void;
  /** Settles when no call is running. */
  idle(): Promise<unknown>;
  /** Ends what runs. Each call is answered that the server stops. */
  stop(): void;
}

/** Makes the MCP server of each connection: the registry behind `tools/list` and `tools/call`. */
export function createServerFactory(door: Door): ServerFactory {
  const { name, version, registry, results } = door;
  let opened: Rounds | undefined;
  const rounds = () => (opened ??= openRounds(door));
  const info = { name, version, title: name };
  const extensions = door.servesViews && { extensions: { [UI_EXTENSION]: {} } };
  const capabilities = { tools: { listChanged: true }, resources: {}, prompts: {}, ...extensions };
  const view = door.servesViews ? createViewResource(version) : undefined;
  const instructions = instructionsFor(door.roots);
  const hasRoots = door.roots.allowed.length > 1 || door.roots.worktrees;

  const running = new Set<Promise<unknown>>();
  const stopping = new AbortController();

  function make(session: Session): Server {
    const server = new Server(info, { capabilities, instructions });
    const clientRoots = askClientRoots(server);
    const whoAsks = (ctx: ServerContext) => {
      const { person, address } = askerOf(ctx);
      return { session, client: clientOf(server, ctx), request: ctx.mcpReq.id, person, address };
    };
    if (door.observer) observeRequests(server, door.observer, factsOf(session, registry));
    if (door.limits) limitRequests(server, door.limits);
    server.setRequestHandler('tools/list', async ({ params }, ctx) => {
      const { page, ...next } = pageOf(await toolsFor(registry, ctx), params?.cursor);
      const viewUri = showsPages(capabilitiesOf(server, ctx)) ? view?.uri : undefined;
      return { tools: page.map((tool) => toServedTool(tool, { hasRoots, viewUri })) as never, ...next };
    });
    server.setRequestHandler('tools/call', async ({ params }, ctx) => {
      const tool = await registry.find(params.name);
      const asker = askerOf(ctx);
      const who = whoAsks(ctx);
      const { client } = who;
      if (tool === undefined) {
        door.audit.begin({ ...who, tool: showToolName(params.name) }).unknown();
        throw await unknownTool(params, registry, await toolsFor(registry, ctx));
      }
      const record = door.audit.begin({ ...who, tool: tool.name, effect: tool.effect });
      return track(
        running,
        answer(
          { door, server, session, clientRoots, tool, ctx, asker, client, rounds, record, stopping: stopping.signal },
          params.arguments ?? {},
        ),
      );
    });
    const read = { tool: 'resources/read', effect: 'read' };
    const recorded = recordedResults(results, (ctx) => door.audit.begin({ ...whoAsks(ctx), ...read }));
    serveResources(server, recorded, view);
    servePrompts(server);
    return server;
  }

  return {
    make,
    missingScopes: (body, has) => missingScopes(registry, body, has),
    watch: registry.watch,
    idle: () => Promise.allSettled(running),
    stop: () => stopping.abort(),
  };
}

function factsOf(session: Session, registry: Registry): ConnectionFacts {
  return {
    session: labelOf(session),
    personOf: (ctx) => askerOf(ctx).person,
    isTool: async (name) => (await registry.find(name)) !== undefined,
  };
}

/** Returns the tools that the asker's scopes allow. */
async function toolsFor(registry: Registry, ctx: ServerContext): Promise<ToolDescription[]> {
  const { scopes } = askerOf(ctx);
  return (await registry.describe()).filter(({ effect }) => scopes.includes(scopeOf(effect)));
}

/** Opens the record of used answers: in the shared state with an approval key, else in this process. */
function openRounds({ approvalKey, roots }: Door): Rounds {
  const spend = approvalKey === undefined ? createNonceSpender() : shared(roots.machine);
  return { codec: createStateCodec(approvalKey), spend };
}

function shared({ grants }: Machine): NonceSpender {
  return async (nonce, until) => (await grants()).spend(nonce, until);
}

function track<T>(running: Set<Promise<unknown>>, work: Promise<T>): Promise<T> {
  running.add(work);
  return work.finally(() => running.delete(work));
}

/** A call, and the connection that it came from. */
interface Connection {
  readonly door: Door;
  readonly server: Server;
  readonly session: Session;
  readonly clientRoots: ClientRoots;
  readonly tool: ToolDescription;
  readonly ctx: ServerContext;
  readonly asker: Asker;
  /** The name by which the client calls itself. */
  readonly client: string | undefined;
  readonly rounds: () => Rounds;
  readonly record: CallRecord;
  /** Aborts when the server stops. */
  readonly stopping: AbortSignal;
}

type Members = Readonly<Record<string, unknown>>;

async function answer(connection: Connection, sent: Members): Promise<CallToolResult | InputRequiredResult> {
  const { door, server, tool, ctx, asker, client, rounds, record } = connection;
  const start = performance.now();
  const { root, rest } = splitRoot(tool, sent);
  const { args, warnings } = await repairArgs(tool.schema, rest, () => argumentsOf(door.registry));
  const call = () => JSON.stringify([tool.name, root, args]);
  const signal = AbortSignal.any([ctx.mcpReq.signal, connection.stopping]);
  const approvals = await createApprovals(server, ctx, { call, rounds, signal, onQuestion: record.question });
  const maxResult = budgetOf(client, tool.hosting.maxResult, door.maxResult);
  const maxJson = jsonLimitOf(client, door.maxResult);
  const outcome = await run(connection, { root, args, approvals, signal, maxResult: maxResult - RESERVED_BYTES });
  const question = await approvals.inputRequired();
  const end = (bytes: number) => {
    door.limits?.spend(ownerOf(asker), () => bytes);
    record.end({ args, root, outcome, bytes, ms: performance.now() - start });
  };
  if (question) {
    end(0);
    return question;
  }
  const { _meta, ...shown } = toResult(connection, withWarnings(outcome, warnings));
  const fits = maxJson === undefined && bytesOf(shown.content) <= maxResult;
  const result = door.results.bound({
    label: tool.name,
    result: _meta && maxJson === undefined ? { ...shown, _meta } : shown,
    maxJson,
    data: outcome.ok ? outcome.data : undefined,
    maxBytes: maxResult,
    reader: fits ? undefined : await findReader(door.registry),
    revision: server.getNegotiatedProtocolVersion(),
    ctx,
  });
  end(bytesOf(result.content));
  return result;
}

/**
 * Formats an outcome. A large visualization for our page is kept, unless the operator wants all of it in the result.
 */
function toResult(connection: Connection, outcome: Outcome): CallToolResult {
  const { door, tool, session, asker } = connection;
  const result = toMcpResult(outcome, tool, session);
  if (door.showsVisualizations || !showsInPage(connection)) return result;
  return keepLargeVisualization(result, tool.name, door.roots.machineOf(undefined, asker.person).spill);
}

/** Returns the name of the tool that reads what jinn keeps of a long answer. Looking for it loads all tools. */
async function findReader(registry: Registry): Promise<string | undefined> {
  return (await registry.describe()).find(({ hosting }) => hosting.readsSpill)?.name;
}

/** Separates the root from the arguments, unless the tool has an argument of that name. */
function splitRoot(tool: ToolDescription, { root, ...rest }: Members): { root: unknown; rest: Members } {
  if (root === undefined || root === null) return { root: undefined, rest };
  return acceptsRoot(tool) ? { root, rest } : { root: undefined, rest: { ...rest, root } };
}

interface Run {
  readonly root: unknown;
  readonly args: object;
  readonly approvals: Approvals;
  readonly signal: AbortSignal;
  readonly maxResult: number;
}

async function run(connection: Connection, { root, args, approvals, signal, maxResult }: Run): Promise<Outcome> {
  const { door, tool, ctx, asker, record } = connection;
  const { ask } = approvals;
  const progress = progressOf(ctx);
  const owner = ownerOf(asker);
  let endCall: (() => void) | undefined;
  // Calls that execute may take long, and have limits of their own.
  const turn = tool.effect === 'execute' ? undefined : door.turns?.of(owner, signal);
  try {
    endCall = door.limits?.beginCall(owner, tool.effect);
    await turn?.begin();
    await record.start({ args, root });
    const at = { ...(await surroundingsOf(connection, root)), signal, maxResult };
    const asking = {
      ...at,
      settled: record.settled,
      ask: ask && turn ? withoutTurn(ask, turn) : ask,
      progress: progress?.report,
    };
    const outcome = await door.call({ tool: tool.name, args }, asking, {
      person: asker.person,
      host: connection.client,
    });
    const isCanceled = !outcome.ok && outcome.error.code === 'canceled';
    return connection.stopping.aborted && isCanceled ? toFailure(stopped()) : outcome;
  } catch (error) {
    return toFailure(error);
  } finally {
    turn?.end();
    endCall?.();
    progress?.stop();
  }
}

/** Lends the turn of a call that waits for a person to other calls. */
function withoutTurn(ask: NonNullable<Approvals['ask']>, turn: Turn): typeof ask {
  return (...given) => turn.without(() => ask(...given));
}

function stopped(): ToolError {
  return new ToolError('canceled', 'the server stops, and has ended this call', {
    suggestion: 'see what it has done by then, and send it again in a moment',
  });
}

/** Throws ToolError for a root that is not allowed. */
async function surroundingsOf(connection: Connection, root: unknown): Promise<Surroundings> {
  const { door, session, clientRoots, ctx, asker } = connection;
  if (root !== undefined && typeof root !== 'string') throw new ToolError('invalid_args', 'root must be a string');
  const { person, scopes } = asker;
  const directory = await door.roots.choose(root, await clientRoots.get(ctx));
  const machine = door.roots.machineOf(directory, person);
  return {
    ...machine,
    ...(door.limits && limited(door.limits, machine, ownerOf(asker))),
    session: session.use(createRootSessions).of(directory, session),
    client: door.client,
    server: door.server,
    dangerous: door.dangerous,
    remembers: door.remembers || person !== '',
    ...(scopes.includes(ADMIN) ? { allowsForAll: person !== '' } : { lacksForOthers: `the scope ${ADMIN}` }),
    showsVisualizations: door.showsVisualizations || showsInPage(connection),
  };
}

/** Binds what a call starts to the limits of its person. */
function limited(limits: PersonLimits, { sandboxPolicy }: Machine, owner: string) {
  return {
    beginJob: () => limits.beginJob(owner),
    sandboxPolicy: async () => ({ ...(await sandboxPolicy()), controlGroup: limits.controlGroupOf(owner) }),
  };
}

/** Makes the sessions of a connection: one for each root, since a session knows files by their paths below the root. */
function createRootSessions() {
  const sessions = new Map<string, Session>();
  return {
    of: (directory: string, { endsWithCall }: Session): Session => {
      const known = sessions.get(directory);
      if (known) return known;
      const session = createSession({ endsWithCall });
      sessions.set(directory, session);
      return session;
    },
    close: async () => void (await Promise.all([...sessions.values()].map((session) => session.close()))),
  };
}

/** Reports whether the host shows the call in a page of ours. */
function showsInPage({ door, server, tool, ctx }: Connection): boolean {
  return door.servesViews && tool.hosting.isShown === true && showsPages(capabilitiesOf(server, ctx));
}

function withWarnings(outcome: Outcome, more: readonly string[]): Outcome {
  if (!outcome.ok || more.length === 0) return outcome;
  return { ...outcome, warnings: [...(outcome.warnings ?? []), ...more] };
}

/** Returns the names of the arguments of all tools. */
async function argumentsOf(registry: Registry): Promise<Set<string>> {
  const tools = await registry.describe();
  return new Set(tools.flatMap(({ schema }) => Object.keys(schema.properties ?? {})));
}

/** Notifies the host of a connection whenever the list of tools may have changed, until it is closed. */
export function announceChanges(factory: ServerFactory, server: Server): { close(): void } {
  // A host that has gone away needs no notice.
  return { close: factory.watch(() => void server.sendToolListChanged().catch(() => undefined)) };
}

function progressOf(ctx: ServerContext) {
  const progressToken = ctx.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return createProgress((report) => {
    // A host that has gone away needs no report.
    ctx.mcpReq
      .notify({ method: 'notifications/progress', params: { ...report, progressToken } })
      .catch(() => undefined);
  });
}
