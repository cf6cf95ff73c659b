import { acceptArgs, type JsonSchema } from './accept-args.ts';
import { createCheckpoint } from './checkpoint.ts';
import type { Envelope } from './envelope.ts';
import { ToolError } from './errors.ts';
import type { History } from './history.ts';
import type { Memory } from './memory.ts';
import { nearestName } from './nearest.ts';
import type { SandboxPolicy } from './sandbox-policy.ts';
import type { Session } from './session.ts';
import type { Spill } from './spill.ts';
import type { Approval, Catalog, Effect, Environment, Tool, ToolContext, ToolDescription, ToolOutput } from './tool.ts';
import type { UserFiles } from './user-files.ts';
import type { Workspace } from './workspace.ts';

const MAX_RESULT_BYTES = 16 * 1024 * 1024;
const MAX_CALL_MS = 120_000;

/** A tool by name, loaded when it is called first. */
export interface ToolEntry {
  readonly name: string;
  load(): Promise<Tool>;
  /** The JSON Schema made from the tool's zod schema when jinn was built. */
  readonly schema?: () => Promise<JsonSchema>;
}

export interface Toolset {
  readonly name: string;
  readonly tools: readonly ToolEntry[];
}

export interface Request {
  readonly tool: string;
  readonly args?: unknown;
  readonly request_id?: string | number;
  /** The program that asks, as it calls itself; that of the host when absent. */
  readonly client?: string;
}

/** What a call runs in. */
export interface Host {
  readonly workspace: Workspace;
  readonly session: Session;
  readonly spill: Spill;
  readonly lockDirectory: string | undefined;
  readonly environment: Environment;
  /** Opens the undo history, or gives undefined for none; called when a tool first needs it, and may throw. */
  openHistory(): Promise<History | undefined>;
  /** Opens the memory; called when a tool first needs it, and may throw. */
  openMemory(): Promise<Memory>;
  readonly user: UserFiles;
  /** The client of requests that name none. */
  readonly client?: string | undefined;
  /** Takes what a tool has to say to the operator. */
  log(line: string): void;
  /** How commands are confined; it may read the settings, and reject. */
  sandboxPolicy(): Promise<SandboxPolicy>;
  readonly signal?: AbortSignal;
  /** Asks a person; absent where nobody can be asked. */
  approve?(question: string): Promise<Approval | undefined>;
  progress?(message: string, done: number, total?: number): void;
}

/** Says whether a call that is well-formed may run. Anything but undefined is thrown. */
export type Policy = (call: { tool: string; effect: Effect; args: object }) => ToolError | undefined;

export interface RegistryOptions {
  readonly toolsets: readonly Toolset[];
  readonly version: string;
  readonly policy: Policy;
  /** Which tools are served, of those in the toolsets: any other is not listed and cannot be called. All unless told. */
  readonly serves?: (tool: Tool) => boolean;
  /** Gets what went wrong inside a tool; it is for the operator's log alone. */
  onInternalError(error: unknown): void;
}

export interface Registry extends Catalog {
  /** What a tool is; undefined for a name that is not served. */
  find(name: string): Promise<ToolDescription | undefined>;
  /** Answers a request; never rejects. What fails before the tool runs means: not run. */
  call(request: Request, host: Host): Promise<Envelope>;
}

/** Joins toolsets into one registry. Throws when two tools share a name. */
export function createRegistry(options: RegistryOptions): Registry {
  const { toolsets, version, policy, serves = () => true, onInternalError } = options;
  const entries = joinToolsets(toolsets);
  const catalog: Catalog = {
    version,
    describe: async () => {
      const found = await Promise.all([...entries.keys()].map(find));
      return found.filter((description) => description !== undefined);
    },
  };

  /** The entry and its tool; undefined for a name that is not served. */
  async function load(name: string): Promise<{ entry: ToolEntry; tool: Tool } | undefined> {
    const entry = entries.get(name);
    const tool = await entry?.load();
    return entry && tool && serves(tool) ? { entry, tool } : undefined;
  }

  async function find(name: string): Promise<ToolDescription | undefined> {
    const found = await load(name);
    return found && describeTool(found.tool, found.entry);
  }

  async function dispatch({ tool: name, args, client = '' }: Request, host: Host): Promise<ToolOutput> {
    const found = await load(name);
    if (!found) throw await unknownTool(name);
    const { entry, tool } = found;
    const schema = await entry.schema?.();
    const parsed = (schema && acceptArgs(schema, args ?? {})) ?? (await checkArgs(tool, args ?? {}));
    const refusal = policy({ tool: name, effect: tool.effect, args: parsed });
    if (refusal) throw refusal;
    const warnings: string[] = [];
    const output = await tool.run(parsed as never, toContext(host, client || host.client, { catalog, warnings }));
    return withWarnings(output, warnings);
  }

  async function unknownTool(name: string): Promise<ToolError> {
    const nearest = nearestName(name, entries.keys());
    const isServed = nearest !== undefined && nearest !== name && (await load(nearest)) !== undefined;
    return new ToolError('unknown_tool', `unknown tool: ${name.slice(0, 100)}`, {
      suggestion: isServed ? `did you mean ${nearest}?` : 'call list_tools to see the names',
    });
  }

  return {
    ...catalog,
    find,
    call: async (request, host) => {
      const echo = request.request_id === undefined ? {} : { request_id: request.request_id };
      try {
        return { ...toSuccess(await dispatch(request, host)), ...echo };
      } catch (error) {
        if (!(error instanceof ToolError) || error.code === 'internal') onInternalError(error);
        return { ...toFailure(error), ...echo };
      }
    },
  };
}

/** Puts the warnings of a call beside those that the tool itself gives. */
function withWarnings(output: ToolOutput, warnings: readonly string[]): ToolOutput {
  if (warnings.length === 0) return output;
  const own = (output.meta as { warnings?: readonly string[] } | undefined)?.warnings ?? [];
  return { ...output, meta: { ...output.meta, warnings: [...own, ...warnings] } };
}

interface CallParts {
  readonly catalog: Catalog;
  /** Takes the warnings of the call. */
  readonly warnings: string[];
}

function toContext(host: Host, client: string | undefined, { catalog, warnings }: CallParts): ToolContext {
  const { workspace, session, spill, lockDirectory, environment, user, signal } = host;
  let checkpoint = createCheckpoint(MAX_CALL_MS, signal);
  return {
    workspace,
    session,
    spill,
    lockDirectory,
    environment,
    user,
    client,
    signal,
    catalog,
    history: () => host.openHistory(),
    memory: () => host.openMemory(),
    sandboxPolicy: () => host.sandboxPolicy(),
    log: (line) => host.log(line),
    warn: (warning) => void warnings.push(warning),
    approve: async (question) => {
      const answer = await host.approve?.(question);
      checkpoint = createCheckpoint(MAX_CALL_MS, signal); // The time that a person takes does not count.
      return answer;
    },
    progress: (message, done, total) => host.progress?.(message, done, total),
    checkpoint: () => checkpoint(),
  };
}

/** Decides what `acceptArgs` may not, and words what is wrong; this loads zod. */
async function checkArgs(tool: Tool, args: unknown): Promise<object> {
  const { parseArgs } = await import('./parse-args.ts');
  return parseArgs(tool, args);
}

async function describeTool(tool: Tool, entry: ToolEntry): Promise<ToolDescription> {
  const { name, effect, description, examples, output } = tool;
  return { name, effect, description, examples, output, schema: (await entry.schema?.()) ?? (await makeSchema(tool)) };
}

async function makeSchema(tool: Tool): Promise<JsonSchema> {
  const { toJsonSchema } = await import('./json-schema.ts');
  return toJsonSchema(tool);
}

/** The envelope of whatever was thrown. Only a ToolError speaks to the agent. */
export function toFailure(error: unknown): Envelope {
  if (!(error instanceof ToolError)) {
    return { ok: false, error: 'the tool failed inside; the log of jinn has the details', error_code: 'internal' };
  }
  const { message, code, suggestion, details } = error;
  return { ok: false, error: message, error_code: code, ...(suggestion !== undefined && { suggestion }), ...details };
}

function toSuccess(output: ToolOutput): Envelope {
  const { text, data, content, classification, risk, truncated, totalCount, meta } = output;
  const result = data === undefined ? (text ?? (content ? undefined : '')) : JSON.stringify(data);
  if (result !== undefined && Buffer.byteLength(result) > MAX_RESULT_BYTES) {
    throw new ToolError('resource_limit', `the result is larger than ${MAX_RESULT_BYTES / 1024 / 1024} MiB`, {
      suggestion: 'ask for less: a narrower path or pattern',
    });
  }
  return {
    ok: true,
    ...(result !== undefined && { result }),
    ...(content && { content }),
    ...(classification !== undefined && { classification }),
    ...(risk !== undefined && { risk }),
    ...(truncated !== undefined && { truncated }),
    ...(totalCount !== undefined && { total_count: totalCount }),
    ...(meta && { meta }),
  };
}

function joinToolsets(toolsets: readonly Toolset[]): Map<string, ToolEntry> {
  const entries = new Map<string, ToolEntry>();
  const owners = new Map<string, string>();
  for (const { name: toolset, tools } of toolsets) {
    for (const entry of tools) {
      const owner = owners.get(entry.name);
      if (owner !== undefined) {
        throw new ToolError(
          'invalid_request',
          `the toolsets ${owner} and ${toolset} both have a tool named ${entry.name}`,
          {
            suggestion: 'serve one of them in this process, and the other in a second one',
          },
        );
      }
      owners.set(entry.name, toolset);
      entries.set(entry.name, entry);
    }
  }
  return entries;
}
