import type { DangerPolicy, Machine, Outcome, Registry, Session, Surroundings, ToolDescription } from '@jinn/core';
import { toMcpTool } from '@jinn/toolsets';
import {
  type CallToolResult,
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { type Approvals, createApprovals, createStateCodec } from './approvals.ts';
import { createProgress } from './progress.ts';
import { repairArgs } from './repair-args.ts';
import type { Results } from './results.ts';
import { toMcpResult } from './to-mcp-result.ts';

const INSTRUCTIONS =
  'Paths are relative to the working directory of the server, and confined to it. Secrets such as .env and .git cannot be opened. An edit of a file that has changed since it was read is refused: read it again.';

/** What all connections of a process share. */
export interface Door {
  readonly name: string;
  readonly version: string;
  readonly registry: Registry;
  readonly results: Results;
  /** Is called when a call is answered. */
  onCall(call: { tool: string; ms: number; ok: boolean; code: string | undefined }): void;
  readonly machine: Machine;
  readonly dangerous: DangerPolicy;
  /** The client of connections that do not say who they are. */
  readonly client: string | undefined;
}

export interface ServerFactory {
  make(session: Session): Server;
  /** Calls back when the list of tools may have changed; returns what ends that. */
  watch(onChange: () => void): () => void;
  /** Settles when no call is running. */
  idle(): Promise<unknown>;
}

/** Makes the MCP server of each connection: the registry behind `tools/list` and `tools/call`. */
export function createServerFactory(door: Door): ServerFactory {
  const { name, version, registry, results } = door;
  const codec = once(createStateCodec);
  const info = { name, version, title: name };
  const capabilities = { tools: { listChanged: true }, resources: {} };

  const running = new Set<Promise<unknown>>();

  function make(session: Session): Server {
    const server = new Server(info, { capabilities, instructions: INSTRUCTIONS });
    server.setRequestHandler('tools/list', async () => ({
      tools: (await registry.describe()).map(toMcpTool) as never,
    }));
    server.setRequestHandler('tools/call', async ({ params }, ctx) => {
      const tool = await registry.find(params.name);
      if (tool === undefined) throw unknownTool(params.name, await registry.describe());
      const { args, warnings } = await repairArgs(tool.schema, params.arguments ?? {}, () => argumentsOf(registry));
      const approvals = await createApprovals(server, ctx, () => JSON.stringify([tool.name, args]), codec);
      const at = {
        ...door.machine,
        session,
        client: door.client,
        dangerous: door.dangerous,
        signal: ctx.mcpReq.signal,
        showsVisualizations: true,
      };
      const version = server.getNegotiatedProtocolVersion();
      return track(running, call({ door, tool, args, warnings, ctx, approvals, at, version }));
    });
    results.serve(server);
    return server;
  }

  return { make, watch: registry.watch, idle: () => Promise.allSettled(running) };
}

function track<T>(running: Set<Promise<unknown>>, work: Promise<T>): Promise<T> {
  running.add(work);
  return work.finally(() => running.delete(work));
}

interface Call {
  readonly door: Door;
  readonly tool: ToolDescription;
  readonly args: object;
  /** What was odd about the arguments. */
  readonly warnings: readonly string[];
  readonly ctx: ServerContext;
  readonly approvals: Approvals;
  readonly at: Surroundings;
  readonly version: string | undefined;
}

async function call(given: Call): Promise<CallToolResult | InputRequiredResult> {
  const { door, tool, args, warnings, ctx, approvals, at, version } = given;
  const start = performance.now();
  const progress = progressOf(ctx);
  const { ask } = approvals;
  const asking = { ...at, ...(ask && { ask }), ...(progress && { progress: progress.report }) };
  const outcome = await door.registry.call({ tool: tool.name, args }, asking);
  progress?.stop();
  const question = await approvals.inputRequired();
  door.onCall(toCall(tool, outcome, performance.now() - start));
  if (question) return question;
  const result = toMcpResult(withWarnings(outcome, warnings), { isData: tool.output !== undefined });
  return door.results.bound(tool.name, result, version);
}

function toCall(tool: ToolDescription, outcome: Outcome, ms: number) {
  return { tool: tool.name, ms, ok: outcome.ok, code: outcome.ok ? undefined : outcome.error.code };
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

/** Tells the host of a connection whenever the list of tools may have changed, until it is closed. */
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

function unknownTool(name: string, tools: readonly ToolDescription[]): ProtocolError {
  const names = tools.map((tool) => tool.name).join(', ');
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Unknown tool: ${name.slice(0, 100)}; the tools are ${names}`,
  );
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
