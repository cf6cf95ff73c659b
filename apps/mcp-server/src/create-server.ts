import type { Envelope, Host, Registry, Session, ToolDescription } from '@jinn/core';
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

/** How long the list of tools stays what it is; it does not change while the server runs. */
const LIST_TTL_MS = 60 * 60 * 1000;

/** What all connections of a process share. */
export interface Door {
  readonly name: string;
  readonly version: string;
  readonly registry: Registry;
  readonly results: Results;
  /** Told of each call when it is answered. */
  onCall(call: { tool: string; ms: number; ok: boolean; code: string | undefined }): void;
  /** The host of a call, but for what belongs to the connection. */
  readonly host: Omit<Host, 'session' | 'signal' | 'approve' | 'progress'>;
}

export interface ServerFactory {
  make(session: Session): Server;
  /** Settles when no call is running. */
  idle(): Promise<unknown>;
}

/** Makes the MCP servers of connections: the registry behind two requests. */
export function createServerFactory(door: Door): ServerFactory {
  const { name, version, registry, results } = door;
  const describe = once(() => registry.describe());
  const listTools = once(async () => ({ tools: (await describe()).map(toMcpTool) }));
  const codec = once(createStateCodec);
  const info = { name, version, title: name };
  const cacheHints = { 'tools/list': { ttlMs: LIST_TTL_MS, cacheScope: 'public' } } as const;
  const capabilities = { tools: {}, resources: {} };

  const running = new Set<Promise<unknown>>();

  function make(session: Session): Server {
    const server = new Server(info, { capabilities, cacheHints, instructions: INSTRUCTIONS });
    server.setRequestHandler('tools/list', listTools as never);
    server.setRequestHandler('tools/call', async ({ params }, ctx) => {
      const tool = await registry.find(params.name);
      if (tool === undefined) throw unknownTool(params.name, await describe());
      const args = repairArgs(tool.schema, params.arguments ?? {});
      const approvals = await createApprovals(server, ctx, () => JSON.stringify([tool.name, args]), codec);
      const host = { ...door.host, session, signal: ctx.mcpReq.signal };
      const version = server.getNegotiatedProtocolVersion();
      return track(running, call({ door, tool, args, ctx, approvals, host, version }));
    });
    results.serve(server);
    return server;
  }

  return { make, idle: () => Promise.allSettled(running) };
}

function track<T>(running: Set<Promise<unknown>>, work: Promise<T>): Promise<T> {
  running.add(work);
  return work.finally(() => running.delete(work));
}

interface Call {
  readonly door: Door;
  readonly tool: ToolDescription;
  readonly args: object;
  readonly ctx: ServerContext;
  readonly approvals: Approvals;
  readonly host: Host;
  readonly version: string | undefined;
}

async function call(given: Call): Promise<CallToolResult | InputRequiredResult> {
  const { door, tool, args, ctx, approvals, host, version } = given;
  const start = performance.now();
  const progress = progressOf(ctx);
  const { approve } = approvals;
  const asking = { ...host, ...(approve && { approve }), ...(progress && { progress: progress.report }) };
  const envelope = await door.registry.call({ tool: tool.name, args }, asking);
  progress?.stop();
  const question = await approvals.inputRequired();
  door.onCall(toCall(tool, envelope, performance.now() - start));
  if (question) return question;
  const result = toMcpResult(envelope, { isData: tool.output !== undefined });
  return door.results.bound(tool.name, result, version);
}

function toCall(tool: ToolDescription, { ok, error_code }: Envelope, ms: number) {
  return { tool: tool.name, ms, ok, code: error_code };
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
