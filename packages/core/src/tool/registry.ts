import { type ChangedFile, createReadRecords } from '@jinn/workspace';
import { nearestName, ToolError } from '../errors/index.ts';
import { authorize, findOpenQuestion } from './approval/authorize.ts';
import type { Question } from './approval/question.ts';
import { lazy } from './define-tool.ts';
import type { JsonSchema } from './input/input.ts';
import type { CallHooks, Machine, Service, Session } from './machine.ts';
import { type CallPicture, type Outcome, type Success, toFailure } from './outcome.ts';
import type { SandboxPolicy } from './sandbox-policy.ts';
import type {
  Catalog,
  LeftOutTool,
  ListedTool,
  PreparedCall,
  Tool,
  ToolContext,
  ToolDescription,
  ToolList,
  ToolOutput,
} from './tool.ts';
import type { FixedToolset, LiveToolset, ToolEntry, Toolset } from './toolset.ts';

const MAX_RESULT_BYTES = 16 * 1024 * 1024;
const MAX_CALL_MS = 120_000;
const MAX_SHOWN_NAME = 100;
const MAX_NAMED_TOOLS = 40;
/** Most calls end within the first slice. A turn of the event loop would take a millisecond of each. */
const FIRST_SLICE_MS = 25;
const SLICE_MS = 12;

export interface Request {
  readonly tool: string;
  readonly args?: unknown;
  /** The caller's client if absent. */
  readonly client?: string;
}

export type Surroundings = Machine & CallHooks;

export interface RegistryOptions {
  readonly toolsets: readonly Toolset[];
  readonly version: string;
  /** Any other tool is not listed and cannot be called. All are served if absent. */
  readonly serves?: (tool: Pick<Tool, 'effect'>) => boolean;
  /** Arguments to omit from schemas: `overrides` if the operator decides on commands, `forPrograms` for a model. */
  readonly hides?: readonly ('overrides' | 'forPrograms')[];
  /**
   * Returns the effects of file changes, for the `meta` of the answer, in a bounded time. It is not called for the
   * first call of a session, which may be the only one of its process and should not pay for it.
   */
  readonly reportChanges?: (files: readonly ChangedFile[], session: Session) => Promise<object>;
  onInternalError(error: unknown): void;
}

export interface Registry extends Catalog {
  /** Undefined for a name that is not served. Loads no tool. */
  find(name: string): Promise<ListedTool | undefined>;
  /** Find, parse, authorize, run, bound. Never rejects. A failure before the tool runs has changed nothing. */
  call(request: Request, at: Surroundings): Promise<Outcome>;
  /** Returns the question of a call for the user, if there is one. Nothing runs. Rejects as the call would fail. */
  question(request: Request, at: Surroundings): Promise<Question | undefined>;
  /** Calls back when the list of tools may have changed. Returns a function that ends that. */
  watch(onChange: () => void): () => void;
}

/** Makes the registry of some toolsets. Rejects if two of them have a tool of the same name. */
export async function createRegistry(options: RegistryOptions): Promise<Registry> {
  const { version, reportChanges, onInternalError } = options;
  const sessions = new WeakSet<Session>();
  const served = serveTools(options);
  const catalog: Catalog = { version, list: served.list };

  async function prepare({ tool: name, args, client }: Request, caller: Surroundings) {
    const tool = await served.load(name);
    if (!tool) throw await unknownTool(name, args, await catalog.list());
    caller.workspace.checkRoot();
    const parsed = (await parse(tool, args)) as never;
    const at = client ? { ...caller, client } : caller;
    const call: CallRecord = { warnings: [], changes: [], planned: [] };
    const prepared: PreparedCall = tool.prepare
      ? await tool.prepare(parsed, toContext(at, catalog, call))
      : { run: (ctx) => tool.run(parsed, ctx) };
    return { prepared, at, call };
  }

  async function parse({ name, input }: Tool, args: unknown): Promise<unknown> {
    try {
      return await input.parse(args ?? {});
    } catch (error) {
      throw (await takenElsewhere(error, name, { args, catalog })) ?? error;
    }
  }

  async function run(request: Request, caller: Surroundings): Promise<Success> {
    const isFirst = !sessions.has(caller.session);
    sessions.add(caller.session);
    const { prepared, at, call } = await prepare(request, caller);
    if (prepared.question) await authorize(request.tool, prepared.question, at);
    const output = await prepared.run(toContext(at, catalog, call));
    const hasNews = call.changes.length > 0 || at.session.hasServices;
    const report = hasNews ? await gatherReport(call.changes, at, isFirst ? undefined : reportChanges) : {};
    const { changes, planned } = call;
    const picture = { changes, planned, facts: output.facts, draw: drawing(output, onInternalError) };
    return toSuccess(output, {
      meta: Object.keys(report).length > 0 ? { ...output.meta, ...report } : output.meta,
      warnings: output.warnings ? [...output.warnings, ...call.warnings] : call.warnings,
      visualization: at.showsVisualizations ? await picture.draw() : output.visualization,
      picture,
    });
  }

  return {
    ...catalog,
    find: served.find,
    watch: served.watch,
    question: async (request, caller) => {
      const { prepared, at } = await prepare(request, caller);
      return prepared.question && findOpenQuestion(request.tool, prepared.question, at);
    },
    call: async (request, caller) => {
      try {
        return await run(request, caller);
      } catch (error) {
        const failure = toFailure(error);
        if (failure.error.code === 'internal') onInternalError(error);
        return failure;
      }
    },
  };
}

/** Loads every tool of a list, in its order. */
export async function describeTools(catalog: Pick<Catalog, 'list'>): Promise<ToolDescription[]> {
  const { tools } = await catalog.list();
  return Promise.all(tools.map((tool) => tool.describe()));
}

interface OwnedEntry {
  readonly toolset: string;
  readonly entry: ToolEntry;
}

function serveTools({ toolsets, serves = () => true, hides = [] }: RegistryOptions) {
  const fixed = joinFixed(toolsets.filter((toolset) => 'tools' in toolset));
  const live = toolsets.filter((toolset) => 'look' in toolset);

  async function findEntry(name: string): Promise<OwnedEntry | undefined> {
    const known = fixed.get(name);
    const found = known || live.length === 0 ? known : (await lookAt(fixed, live)).entries.get(name);
    return found && serves(found.entry) ? found : undefined;
  }

  function toListed({ toolset, entry }: OwnedEntry): ListedTool {
    const { name, effect, isMarked, loadSchema } = entry;
    const describe = async () => describeTool(await entry.load(), hides);
    const schema = hides.length === 0 && loadSchema ? loadSchema : async () => (await describe()).schema;
    return { name, effect, toolset, isMarked, schema, describe };
  }

  return {
    load: async (name: string) => (await findEntry(name))?.entry.load(),
    find: async (name: string) => {
      const found = await findEntry(name);
      return found && toListed(found);
    },
    list: async () => {
      const { entries, leftOut } = await lookAt(fixed, live);
      return { tools: [...entries.values()].filter(({ entry }) => serves(entry)).map(toListed), leftOut };
    },
    watch: (onChange: () => void) => {
      const ends = live.map((toolset) => toolset.watch?.(onChange));
      return () => {
        for (const end of ends) end?.();
      };
    },
  };
}

function joinFixed(toolsets: readonly FixedToolset[]): ReadonlyMap<string, OwnedEntry> {
  const entries = new Map<string, OwnedEntry>();
  for (const { name: toolset, tools } of toolsets) {
    for (const entry of tools) {
      const owner = entries.get(entry.name)?.toolset;
      if (owner !== undefined) {
        const message = `the toolsets ${owner} and ${toolset} both have a tool named ${entry.name}`;
        const suggestion = 'serve one of them in this process, and the other in a second one';
        throw new ToolError('invalid_request', message, { suggestion });
      }
      entries.set(entry.name, { toolset, entry });
    }
  }
  return entries;
}

/** Adds the tools of live toolsets. One whose name is taken is omitted: none of the two is chosen silently. */
async function lookAt(fixed: ReadonlyMap<string, OwnedEntry>, live: readonly LiveToolset[]) {
  const entries = new Map(fixed);
  const leftOut: LeftOutTool[] = [];
  for (const toolset of live) {
    const found = await toolset.look();
    leftOut.push(...found.leftOut);
    for (const entry of found.tools) {
      const { name, from } = entry;
      const owner = entries.get(name);
      if (!owner) {
        entries.set(name, { toolset: toolset.name, entry });
        continue;
      }
      const origin = from === undefined ? '' : ` of ${from}`;
      const reason = `${toolset.name}: the tool ${name}${origin} is skipped: ${owner.toolset} has one of that name`;
      leftOut.push({ names: [name], reason });
    }
  }
  return { entries, leftOut };
}

async function unknownTool(name: string, args: unknown, { tools, leftOut }: ToolList): Promise<ToolError> {
  const known = leftOut.find(({ names }) => names.includes(name));
  if (known) {
    return new ToolError('unknown_tool', `the tool ${name} cannot be used: ${known.reason}`, {
      suggestion: known.suggestion ?? 'tell the user, who can fix it: jinn tools check shows it',
    });
  }
  const meant = await (await import('./input/meant-call.ts')).meantCall(name, args, tools);
  const names = tools.map((tool) => tool.name);
  const nearest = meant?.tool ?? nearestName(name, names);
  return new ToolError('unknown_tool', `unknown tool: ${name.slice(0, MAX_SHOWN_NAME)}`, {
    suggestion: nearest === undefined ? nameTools(names) : `did you mean ${nearest}?`,
    ...(meant && { example: meant }),
  });
}

async function gatherReport(
  changes: readonly ChangedFile[],
  { session, signal }: CallHooks,
  reportChanges: RegistryOptions['reportChanges'],
): Promise<object> {
  if (changes.length === 0) return session.news();
  const told = await session.notifyChanged(changes, signal);
  return { ...told, ...(await reportChanges?.(changes, session)) };
}

async function describeTool(tool: Tool, hides: NonNullable<RegistryOptions['hides']>): Promise<ToolDescription> {
  const { name, effect, description, examples, output, input, hosting = {}, isMarked } = tool;
  const hidden = hides.flatMap((list) => tool[list] ?? []);
  const schema = without(await input.schema(), hidden);
  return {
    name,
    effect,
    description,
    examples,
    output,
    hosting,
    schema,
    ...(input.isExact && { isSchemaExact: true }),
    ...(isMarked && { isMarked }),
  };
}

/** Draws once, and never throws: the tool has done its work, and its call must not be reported as failed. */
function drawing(output: ToolOutput, onError: (error: unknown) => void): CallPicture['draw'] {
  return lazy(async () => {
    try {
      return output.visualization ?? (await output.visualize?.());
    } catch (error) {
      onError(error);
      return undefined;
    }
  });
}

/** Names the tool that takes the refused arguments, such as `multi_edit` for the `edits` of a call of `edit_file`. */
async function takenElsewhere(
  error: unknown,
  name: string,
  { args, catalog }: { args: unknown; catalog: Catalog },
): Promise<ToolError | undefined> {
  if (!(error instanceof ToolError) || error.code !== 'invalid_args') return undefined;
  const { fittingCall } = await import('./input/meant-call.ts');
  const example = await fittingCall(name, args, (await catalog.list()).tools);
  return example && new ToolError(error.code, error.message, { suggestion: `did you mean ${example.tool}?`, example });
}

function nameTools(names: readonly string[]): string {
  if (names.length === 0) return 'no tool is served here: ask the user to serve some';
  const more = names.length > MAX_NAMED_TOOLS ? `, and ${names.length - MAX_NAMED_TOOLS} more` : '';
  return `the tools are ${names.slice(0, MAX_NAMED_TOOLS).join(', ')}${more}`;
}

interface CallRecord {
  readonly warnings: string[];
  readonly changes: ChangedFile[];
  readonly planned: ChangedFile[];
}

/** Names each member, so that a tool cannot reach `ask`. V8 also makes such an object ten times faster than a copy. */
function toContext(at: Surroundings, catalog: Catalog, { warnings, changes, planned }: CallRecord): ToolContext {
  return {
    workspace: at.workspace,
    spill: at.spill,
    lockDirectory: at.lockDirectory,
    servesSeveral: at.servesSeveral,
    environment: at.environment,
    commandPath: at.commandPath,
    user: at.user,
    history: at.history,
    memory: at.memory,
    grants: at.grants,
    sandboxPolicy: () => policyOfSession(at),
    log: at.log,
    session: at.session,
    client: at.client,
    signal: at.signal,
    showsVisualizations: at.showsVisualizations,
    wantsMeta: at.wantsMeta,
    maxResult: at.maxResult,
    dangerous: at.dangerous,
    lacksForOthers: at.lacksForOthers,
    server: at.server,
    catalog,
    canAsk: at.ask !== undefined,
    ...(at.beginJob && { beginJob: at.beginJob }),
    watchOutput: at.watchOutput,
    warn: (warning) => void warnings.push(warning),
    recordChanges: (files, { dryRun }) =>
      void (dryRun ? planned : changes).push(...files.filter(({ changed }) => changed)),
    progress: (message, done, total) => at.progress?.(message, done, total),
    checkpoint: createCheckpoint(MAX_CALL_MS, at.signal),
  };
}

export function createSession({ endsWithCall = false }: { readonly endsWithCall?: boolean } = {}): Session {
  const services = new Map<() => Service, Service>();
  let hasEnded = false;
  const gather = async (say: (service: Service) => Promise<object | undefined> | undefined): Promise<object> => {
    // The call has done its work: that a service fails does not make it fail.
    const settled = await Promise.allSettled([...services.values()].map(async (service) => say(service)));
    return Object.assign({}, ...settled.map((one) => (one.status === 'fulfilled' ? one.value : undefined)));
  };
  return {
    endsWithCall,
    reads: createReadRecords(endsWithCall),
    use: <T extends Service>(create: () => T) => {
      const known = services.get(create);
      if (known) return known as T;
      if (hasEnded) throw new ToolError('canceled', 'the session has ended');
      const service = create();
      services.set(create, service);
      return service;
    },
    notifyChanged: (files, signal) => gather((service) => service.filesChanged?.(files, signal)),
    news: () => gather((service) => service.news?.()),
    get hasServices() {
      return services.size > 0;
    },
    get worksBetweenCalls() {
      for (const { isPassive } of services.values()) if (!isPassive) return true;
      return false;
    },
    close: async () => {
      hasEnded = true;
      const youngestFirst = [...services.values()].reverse();
      services.clear();
      await Promise.allSettled(youngestFirst.map(async (service) => service.close?.()));
    },
  };
}

const createPolicyService = (): Service & { read?: () => Promise<SandboxPolicy> } => ({ isPassive: true });

/** Reads the policy once a session. Security: if a command changes the settings, that affects no later command. */
function policyOfSession({ session, sandboxPolicy }: Surroundings): Promise<SandboxPolicy> {
  const service = session.use(createPolicyService);
  service.read ??= lazy(sandboxPolicy);
  return service.read();
}

function without(schema: JsonSchema, names: readonly string[]): JsonSchema {
  const { properties } = schema;
  if (properties === undefined || names.length === 0) return schema;
  const shown = Object.entries(properties).filter(([name]) => !names.includes(name));
  return { ...schema, properties: Object.fromEntries(shown) };
}

function toSuccess(
  output: ToolOutput,
  { warnings = [], ...report }: Pick<Success, 'meta' | 'visualization' | 'picture' | 'warnings'>,
): Success {
  const { text, data, content } = output;
  const result = text ?? (data ? JSON.stringify(data) : content ? undefined : '');
  if (result !== undefined && Buffer.byteLength(result) > MAX_RESULT_BYTES) {
    throw new ToolError('resource_limit', `the result is larger than ${MAX_RESULT_BYTES / 1024 / 1024} MiB`, {
      suggestion: 'ask for less: a narrower path or pattern',
    });
  }
  return {
    ok: true,
    text: result,
    data,
    content,
    classification: output.classification,
    risk: output.risk,
    truncated: output.truncated,
    totalCount: output.totalCount,
    ...report,
    warnings: warnings.length > 0 ? warnings : undefined,
  };
}

/**
 * Makes a function that long work awaits in its loops. It lets the event loop turn after 25 ms and then about every 12
 * ms. It throws `canceled` if `signal` has aborted, and `timeout` after `limitMs`.
 */
export function createCheckpoint(limitMs: number, signal: AbortSignal | undefined): () => Promise<void> {
  const start = now();
  let sliceEnd = start + FIRST_SLICE_MS;
  const free = Promise.resolve();
  return () => (now() < sliceEnd ? free : pause());

  async function pause(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    const sliceStart = now();
    sliceEnd = sliceStart + SLICE_MS;
    if (signal?.aborted) throw new ToolError('canceled', 'the request was canceled');
    if (sliceStart - start <= limitMs) return;
    throw new ToolError('timeout', `timed out after ${Math.round(limitMs / 1000)} seconds`, {
      suggestion: 'ask for less: a narrower path or pattern',
    });
  }
}

/** `performance` would load node:perf_hooks. */
function now(): number {
  return process.uptime() * 1000;
}
