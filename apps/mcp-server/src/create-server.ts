import {
  createSession,
  type DangerPolicy,
  describeTools,
  type Outcome,
  type Registry,
  type Session,
  type Surroundings,
  type ToolDescription,
  type ToolList,
  toFailure,
} from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { createProgress } from '@jinn/core/progress';
import type { Audit, CallRecord } from '@jinn/team/audit/audit';
import type { PersonLimits } from '@jinn/team/limits/person-limits';
import type { Asker, PersonScope } from '@jinn/team/people/asker';
import { acceptsRoot, toListedTool } from '@jinn/toolsets';
import type { RecordedCall } from '@jinn/ui/record-calls';
import {
  type CallToolResult,
  type InputRequiredResult,
  type ServerContext as RequestContext,
  Server,
} from '@modelcontextprotocol/server';
import {
  createMcpApprovals,
  createNonceSpender,
  createStateCodec,
  type McpApprovals,
  type Rounds,
} from './approvals.ts';
import { instructionsFor, servePrompts } from './prompts.ts';
import {
  ADMIN,
  askClientRoots,
  askerOf,
  type ClientRoots,
  capabilitiesOf,
  clientOf,
  labelOf,
  missingScopes,
  scopeOf,
} from './request-facts.ts';
import {
  budgetOf,
  createViewResource,
  jsonLimitOf,
  keepLargeVisualization,
  LEAST_BESIDE_BYTES,
  type ResultRead,
  type Results,
  serveResources,
  showsPages,
  textBytesOf,
  toMcpResult,
  UI_EXTENSION,
} from './results/results.ts';
import { repairArgs, showToolName, toolPageOf, unknownTool } from './results/tool-list.ts';
import type { Roots } from './roots.ts';
import { limitRequests, observeRequests, type RequestObserver } from './telemetry/request-observer.ts';

const RESERVED_BYTES = 100 + LEAST_BESIDE_BYTES;

/** What all connections of a process share. */
export interface ServerContext {
  readonly name: string;
  readonly version: string;
  readonly registry: Registry;
  readonly call: RecordedCall;
  readonly results: Results;
  onInternalError(error: unknown): void;
  readonly audit: Audit | undefined;
  readonly limits: PersonLimits | undefined;
  readonly observer: RequestObserver | undefined;
  readonly roots: Roots;
  readonly dangerous: DangerPolicy;
  /** The most text of an answer in bytes, or undefined for the known limit of the client. */
  readonly maxResult: number | undefined;
  /** Seals the state of an approval in rounds, so that another process with the same key can finish it. */
  readonly approvalKey: string | undefined;
  readonly server: string | undefined;
  /** False if several users without names may use the server: a saved approval would count for all of them. */
  readonly remembers: boolean;
  readonly showsVisualizations: boolean;
  readonly servesViews: boolean;
  readonly client: string | undefined;
}

export interface ServerFactory {
  make(session: Session): Server;
  /** Returns the scopes that a message, or a batch of them, needs beyond these. */
  missingScopes(body: unknown, has: readonly PersonScope[]): Promise<PersonScope[]>;
  watch(onChange: () => void): () => void;
  idle(): Promise<unknown>;
  /** Ends running calls with the answer that the server stops. */
  stop(): void;
}

/** Makes the MCP server of each connection: the registry behind `tools/list` and `tools/call`. */
export function createServerFactory(context: ServerContext): ServerFactory {
  const { name, version, registry, results, audit, observer, limits, roots } = context;
  let opened: Rounds | undefined;
  const rounds = () => (opened ??= openRounds(context));
  const info = { name, version, title: name };
  const extensions = context.servesViews && { extensions: { [UI_EXTENSION]: {} } };
  const capabilities = { tools: { listChanged: true }, resources: {}, prompts: {}, ...extensions };
  const view = context.servesViews ? createViewResource(version) : undefined;
  const instructions = instructionsFor(roots);
  const hasRoots = roots.allowed.length > 1 || roots.worktrees;

  const running = new Set<Promise<unknown>>();
  const stopping = new AbortController();

  function make(session: Session): Server {
    const server = new Server(info, { capabilities, instructions });
    const clientRoots = askClientRoots(server);
    const listFor = async ({ scopes }: Asker): Promise<ToolList> => {
      const { tools, leftOut } = await registry.list();
      return { tools: tools.filter(({ effect }) => scopes.includes(scopeOf(effect))), leftOut };
    };
    const record = (ctx: RequestContext, call: { readonly tool: string; readonly effect?: string }) => {
      const { person, address } = askerOf(ctx);
      const who = { session: labelOf(session), client: clientOf(server, ctx), request: ctx.mcpReq.id, person, address };
      return audit?.begin({ ...who, ...call });
    };
    if (observer) {
      observeRequests(server, observer, {
        session: labelOf(session),
        personOf: (ctx) => askerOf(ctx).person,
        isTool: async (tool) => (await registry.find(tool)) !== undefined,
      });
    }
    if (limits) limitRequests(server, limits);
    server.setRequestHandler('tools/list', async ({ params }, ctx) => {
      const { page, ...next } = toolPageOf((await listFor(askerOf(ctx))).tools, params?.cursor);
      const described = await Promise.all(page.map((tool) => tool.describe()));
      const viewUri = showsPages(capabilitiesOf(server, ctx)) ? view?.uri : undefined;
      return { tools: described.map((tool) => toListedTool(tool, { hasRoots, viewUri })) as never, ...next };
    });
    server.setRequestHandler('tools/call', async ({ params }, ctx) => {
      const tool = await (await registry.find(params.name))?.describe();
      const asker = askerOf(ctx);
      if (tool === undefined) {
        record(ctx, { tool: showToolName(params.name) })?.unknown();
        throw await unknownTool(params, await listFor(asker));
      }
      const connection = {
        ...{ context, server, session, clientRoots, tool, ctx, asker, rounds, stopping: stopping.signal },
        client: clientOf(server, ctx),
        record: record(ctx, { tool: tool.name, effect: tool.effect }),
      };
      const work = answer(connection, params.arguments ?? {});
      running.add(work);
      return work.finally(() => running.delete(work));
    });
    const onRead = (read: ResultRead, ctx: RequestContext) =>
      record(ctx, { tool: 'resources/read', effect: 'read' })?.end(endOf(read));
    serveResources(server, { results, view, onRead });
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

function endOf({ uri, text, ms }: ResultRead): Parameters<CallRecord['end']>[0] {
  const outcome =
    text !== undefined ? { ok: true as const } : toFailure(new ToolError('not_found', 'there is no such result'));
  return { args: { uri }, root: undefined, outcome, bytes: Buffer.byteLength(text ?? ''), ms };
}

// Used answers are recorded in the shared state if several processes have an approval key, otherwise in this process.
function openRounds({ approvalKey, roots }: ServerContext): Rounds {
  const shared: Rounds['spend'] = async (nonce, until) => (await roots.machine.grants()).spend(nonce, until);
  return { codec: createStateCodec(approvalKey), spend: approvalKey === undefined ? createNonceSpender() : shared };
}

interface Connection {
  readonly context: ServerContext;
  readonly server: Server;
  readonly session: Session;
  readonly clientRoots: ClientRoots;
  readonly tool: ToolDescription;
  readonly ctx: RequestContext;
  readonly asker: Asker;
  readonly client: string | undefined;
  readonly rounds: () => Rounds;
  readonly record: CallRecord | undefined;
  readonly stopping: AbortSignal;
}

type Members = Readonly<Record<string, unknown>>;

async function answer(connection: Connection, sent: Members): Promise<CallToolResult | InputRequiredResult> {
  const { context, server, tool, ctx, asker, client, rounds, record } = connection;
  const { registry, limits } = context;
  const start = performance.now();
  const { root, rest } = splitRoot(tool, sent);
  const allArguments = async () =>
    new Set((await describeTools(registry)).flatMap(({ schema }) => Object.keys(schema.properties ?? {})));
  const { args, warnings } = await repairArgs(tool.schema, rest, allArguments);
  const call = () => JSON.stringify([tool.name, root, args]);
  const signal = AbortSignal.any([ctx.mcpReq.signal, connection.stopping]);
  const approvals = await createMcpApprovals(server, ctx, { call, rounds, signal, onQuestion: record?.question });
  const maxResult = budgetOf(client, tool.hosting.maxResult, context.maxResult);
  const maxJson = jsonLimitOf(client, context.maxResult);
  const outcome = await run(connection, {
    root,
    args,
    ask: approvals.ask,
    signal,
    maxResult: maxResult - RESERVED_BYTES,
  });
  const question = await approvals.inputRequired();
  const end = (bytes: number) => {
    limits?.spend(asker, () => bytes);
    record?.end({ args, root, outcome, bytes, ms: performance.now() - start });
  };
  if (question) {
    end(0);
    return question;
  }
  const warned = outcome.ok && warnings.length > 0;
  const { _meta, ...shown } = toResult(
    connection,
    warned ? { ...outcome, warnings: [...(outcome.warnings ?? []), ...warnings] } : outcome,
  );
  const fits = maxJson === undefined && textBytesOf(shown.content) <= maxResult;
  const result = context.results.bound({
    label: tool.name,
    result: _meta && maxJson === undefined ? { ...shown, _meta } : shown,
    maxJson,
    data: outcome.ok ? outcome.data : undefined,
    maxBytes: maxResult,
    // Looking for the tool that reads spill files loads all tools.
    reader: fits ? undefined : (await describeTools(registry)).find(({ hosting }) => hosting.readsSpill)?.name,
    revision: server.getNegotiatedProtocolVersion(),
    ctx,
  });
  end(textBytesOf(result.content));
  return result;
}

function toResult(connection: Connection, outcome: Outcome): CallToolResult {
  const { context, tool, session, asker } = connection;
  const result = toMcpResult(outcome, tool, session);
  if (context.showsVisualizations || !showsInPage(connection)) return result;
  return keepLargeVisualization(result, tool.name, context.roots.machineOf(undefined, asker.person).spill);
}

// A tool may have an argument of its own of this name.
function splitRoot(tool: ToolDescription, { root, ...rest }: Members): { root?: unknown; rest: Members } {
  if (root === undefined || root === null) return { rest };
  return acceptsRoot(tool) ? { root, rest } : { rest: { ...rest, root } };
}

interface Run extends Pick<McpApprovals, 'ask'> {
  readonly root: unknown;
  readonly args: object;
  readonly signal: AbortSignal;
  readonly maxResult: number;
}

async function run(connection: Connection, { root, args, ...given }: Run): Promise<Outcome> {
  const { context, tool, ctx, asker, record } = connection;
  const progress = progressOf(ctx);
  let endCall: (() => void) | undefined;
  try {
    endCall = context.limits?.beginCall(asker, tool.effect);
    await record?.start({ args, root });
    const surroundings = {
      ...(await surroundingsOf(connection, root)),
      ...{ ...given, progress: progress?.report },
      ...(record && { settled: record.settled }),
    };
    const sender = { person: asker.person, host: connection.client };
    const outcome = await context.call({ tool: tool.name, args }, surroundings, sender);
    const isCanceled = !outcome.ok && outcome.error.code === 'canceled';
    if (!connection.stopping.aborted || !isCanceled) return outcome;
    const suggestion = 'see what it has done by then, and send it again in a moment';
    throw new ToolError('canceled', 'the server stops, and has ended this call', { suggestion });
  } catch (error) {
    const failure = toFailure(error);
    if (failure.error.code === 'internal') context.onInternalError(error);
    return failure;
  } finally {
    endCall?.();
    progress?.stop();
  }
}

async function surroundingsOf(connection: Connection, root: unknown): Promise<Surroundings> {
  const { context, session, clientRoots, ctx, asker } = connection;
  const { roots, limits } = context;
  if (root !== undefined && typeof root !== 'string') throw new ToolError('invalid_args', 'root must be a string');
  const { person, scopes } = asker;
  const directory = await roots.choose(root, await clientRoots.get(ctx), asker.person);
  const machine = roots.machineOf(directory, person);
  return {
    ...machine,
    ...(limits && {
      beginJob: () => limits.beginJob(asker),
      sandboxPolicy: async () => ({ ...(await machine.sandboxPolicy()), controlGroup: limits.controlGroupOf(asker) }),
    }),
    session: session.use(createRootSessions).of(directory, session),
    client: context.client,
    server: context.server,
    dangerous: context.dangerous,
    remembers: context.remembers || person !== '',
    ...(scopes.includes(ADMIN) ? { allowsForAll: person !== '' } : { lacksForOthers: `the scope ${ADMIN}` }),
    showsVisualizations: context.showsVisualizations || showsInPage(connection),
  };
}

// One for each root, since a session knows files by their paths below the root.
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

function showsInPage({ context, server, tool, ctx }: Connection): boolean {
  return context.servesViews && tool.hosting.isShown === true && showsPages(capabilitiesOf(server, ctx));
}

/** Notifies the host of a connection whenever the list of tools may have changed, until it is closed. */
export function announceChanges(factory: ServerFactory, server: Server): { close(): void } {
  // A host that has gone away needs no notice.
  return { close: factory.watch(() => void server.sendToolListChanged().catch(() => undefined)) };
}

function progressOf(ctx: RequestContext) {
  const progressToken = ctx.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return createProgress((report) => {
    // A host that has gone away needs no report.
    ctx.mcpReq
      .notify({ method: 'notifications/progress', params: { ...report, progressToken } })
      .catch(() => undefined);
  });
}
