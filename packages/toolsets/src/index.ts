import { fitToHost } from '@jinn/codescout/fit/fit-to-host';
import {
  type CallHooks,
  createRegistry,
  createSession,
  describeTools,
  type FixedEntry,
  type FixedToolset,
  fixedToolset,
  type JsonSchema,
  type LiveToolset,
  lazy,
  type Machine,
  type Outcome,
  type Question,
  type Registry,
  type RegistryOptions,
  type Request,
  type Session,
  type Surroundings,
  type Tool,
  type ToolDescription,
  type Toolset,
  toFailure,
} from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import type { ModelBlock } from '@jinn/core/model-content';
import { readFile } from '@jinn/fs-tools/read-file';
import type { ChangedFile } from '@jinn/workspace';
import type { ToolChoice } from './choose-tools.ts';
import readFileSchema from './schemas/jinn/read_file.json' with { type: 'json' };

export { acceptsRoot, toListedTool } from './listed-tool.ts';
export {
  type McpTool,
  SCHEMA_FORMATS,
  type SchemaFormat,
  type SchemaOptions,
  toMcpTool,
  toSchemaFormat,
} from './schema-formats.ts';

/**
 * Each tool by name, with its effect. Nothing is loaded before it is called, except read_file: most calls are for it, and a second file of
 * code costs a one-shot call a millisecond. `schemas/` is generated.
 */
const JINN_TOOLS = {
  run_shell: ['execute', () => import('@jinn/shell/run-shell'), () => import('./schemas/jinn/run_shell.json')],
  read_file: ['read', async () => ({ readFile }), async () => ({ default: readFileSchema })],
  multi_read: ['read', () => import('@jinn/fs-tools/multi-read'), () => import('./schemas/jinn/multi_read.json')],
  write_file: ['write', () => import('@jinn/fs-tools/write-file'), () => import('./schemas/jinn/write_file.json')],
  edit_file: ['write', () => import('@jinn/fs-tools/edit-file'), () => import('./schemas/jinn/edit_file.json')],
  multi_edit: ['write', () => import('@jinn/fs-tools/multi-edit'), () => import('./schemas/jinn/multi_edit.json')],
  apply_patch: ['write', () => import('@jinn/fs-tools/apply-patch'), () => import('./schemas/jinn/apply_patch.json')],
  search_files: ['read', () => import('@jinn/search/search-files'), () => import('./schemas/jinn/search_files.json')],
  stat_file: ['read', () => import('@jinn/fs-tools/stat-file'), () => import('./schemas/jinn/stat_file.json')],
  list_dir: ['read', () => import('@jinn/fs-tools/list-dir'), () => import('./schemas/jinn/list_dir.json')],
  find_files: ['read', () => import('@jinn/search/find-files'), () => import('./schemas/jinn/find_files.json')],
  list_tools: ['read', () => import('./list-tools.ts'), () => import('./schemas/jinn/list_tools.json')],
  checksum_tree: [
    'read',
    () => import('@jinn/fs-tools/checksum-tree'),
    () => import('./schemas/jinn/checksum_tree.json'),
  ],
  detect_project: [
    'read',
    () => import('@jinn/project/detect-project'),
    () => import('./schemas/jinn/detect_project.json'),
  ],
  memory: ['write', () => import('@jinn/project/memory/memory'), () => import('./schemas/jinn/memory.json')],
  undo: ['write', () => import('@jinn/fs-tools/undo'), () => import('./schemas/jinn/undo.json')],
  related_context: [
    'read',
    () => import('@jinn/project/related-context'),
    () => import('./schemas/jinn/related_context.json'),
  ],
  lsp_query: ['write', () => import('@jinn/lsp/tools/lsp-query'), () => import('./schemas/jinn/lsp_query.json')],
  diff_files: ['read', () => import('@jinn/fs-tools/diff-files'), () => import('./schemas/jinn/diff_files.json')],
  search_replace: [
    'write',
    () => import('@jinn/fs-tools/search-replace'),
    () => import('./schemas/jinn/search_replace.json'),
  ],
} as const;

const jinn = fixedToolset('jinn', JINN_TOOLS);

const jinni = fixedToolset('jinni', {
  read_context: ['read', () => import('@jinn/context/read-context'), () => import('./schemas/jinni/read_context.json')],
  usage: ['read', () => import('@jinn/context/usage'), () => import('./schemas/jinni/usage.json')],
});

const lean = fixedToolset(
  'lean',
  {
    run_shell: JINN_TOOLS.run_shell,
    read_file: ['read', () => import('./lean/read-file.ts'), () => import('./schemas/lean/read_file.json')],
    search_files: JINN_TOOLS.search_files,
    find_files: ['read', () => import('./lean/find-files.ts'), () => import('./schemas/lean/find_files.json')],
    edit_file: ['write', () => import('./lean/edit-file.ts'), () => import('./schemas/lean/edit_file.json')],
    apply_patch: JINN_TOOLS.apply_patch,
    search_replace: JINN_TOOLS.search_replace,
    undo: JINN_TOOLS.undo,
  },
  async () => (await import('./lean/for-model.ts')).forModel,
);

const SYMBOL_TOOLS = {
  list_symbols: [
    'read',
    () => import('@jinn/lsp/symbols/list-symbols'),
    () => import('./schemas/symbols/list_symbols.json'),
  ],
  find_symbol: [
    'read',
    () => import('@jinn/lsp/symbols/find-symbol'),
    () => import('./schemas/symbols/find_symbol.json'),
  ],
  find_references: [
    'read',
    () => import('@jinn/lsp/symbols/find-references'),
    () => import('./schemas/symbols/find_references.json'),
  ],
  goto_definition: [
    'read',
    () => import('@jinn/lsp/symbols/goto-definition'),
    () => import('./schemas/symbols/goto_definition.json'),
  ],
  hover: ['read', () => import('@jinn/lsp/symbols/hover'), () => import('./schemas/symbols/hover.json')],
  replace_symbol: [
    'write',
    () => import('@jinn/lsp/symbols/replace-symbol'),
    () => import('./schemas/symbols/replace_symbol.json'),
  ],
  insert_code: [
    'write',
    () => import('@jinn/lsp/symbols/insert-code'),
    () => import('./schemas/symbols/insert_code.json'),
  ],
  remove_symbol: [
    'write',
    () => import('@jinn/lsp/symbols/remove-symbol'),
    () => import('./schemas/symbols/remove_symbol.json'),
  ],
  rename_symbol: [
    'write',
    () => import('@jinn/lsp/symbols/rename-symbol'),
    () => import('./schemas/symbols/rename_symbol.json'),
  ],
  symbol_diagnostics: [
    'read',
    () => import('@jinn/lsp/symbols/symbol-diagnostics'),
    () => import('./schemas/symbols/symbol_diagnostics.json'),
  ],
} as const;

/** Reports whether a tool has pages. A schema that is not generated yet has no properties. */
const isPaged = ({ properties = {} }: JsonSchema) => 'offset' in properties;

const symbols = fixedToolset('symbols', SYMBOL_TOOLS, async () => {
  const { inLines } = await import('@jinn/lsp/symbols/show/in-lines');
  return (tool, schema) => inLines(fitToHost(tool, { isPaged: isPaged(schema) }));
});

const codescoutFiles = fixedToolset('codescout', {
  read_file: ['read', () => import('@jinn/codescout/read-file'), () => import('./schemas/codescout/read_file.json')],
  list_dir: ['read', () => import('@jinn/codescout/list-dir'), () => import('./schemas/codescout/list_dir.json')],
  search_pattern: [
    'read',
    () => import('@jinn/codescout/search-pattern'),
    () => import('./schemas/codescout/search_pattern.json'),
  ],
  find_file: ['read', () => import('@jinn/codescout/find-file'), () => import('./schemas/codescout/find_file.json')],
  create_file: [
    'write',
    () => import('@jinn/codescout/create-file'),
    () => import('./schemas/codescout/create_file.json'),
  ],
  edit_file: ['write', () => import('@jinn/codescout/edit-file'), () => import('./schemas/codescout/edit_file.json')],
  run_command: [
    'execute',
    () => import('@jinn/codescout/run-command'),
    () => import('./schemas/codescout/run_command.json'),
  ],
});

const codescoutSymbols = fixedToolset('codescout', SYMBOL_TOOLS, async () => {
  const { keepLarge } = await import('@jinn/codescout/buffers/keep-large');
  return (tool, schema) => keepLarge(tool, { isPaged: isPaged(schema) });
});

/** The toolsets whose schemas and pages are generated. */
export const FIXED_TOOLSETS: readonly FixedToolset<FixedEntry>[] = [
  jinn,
  lean,
  jinni,
  { name: 'codescout', tools: [...codescoutFiles.tools, ...codescoutSymbols.tools] },
  symbols,
];

/** The toolset whose tools are folders on the disk. Nothing of it is loaded before its tools are listed. */
const CUSTOM = 'custom';

export const TOOLSET_NAMES: readonly string[] = [...FIXED_TOOLSETS.map(({ name }) => name), CUSTOM];

/**
 * Returns the toolsets of these names, in the order of the names. A name that is repeated counts once. Custom tools are
 * looked for on `machine`. Throws ToolError for an unknown name.
 */
export function chooseToolsets(names: readonly string[], machine?: Machine): Toolset[] {
  return [...new Set(names)].flatMap((name): Toolset[] => {
    if (name === CUSTOM && machine) return [customToolset(machine)];
    const toolset = FIXED_TOOLSETS.find((candidate) => candidate.name === name);
    if (toolset === lean && machine) return [lean, leanQueries(machine)];
    if (toolset) return [toolset];
    throw new ToolError('invalid_request', `unknown toolset: ${name}`, {
      suggestion: `the toolsets are: ${TOOLSET_NAMES.join(', ')}`,
    });
  });
}

export interface ServedChoice extends ToolChoice {
  readonly toolsets: readonly string[];
  readonly readOnly: boolean;
}

/**
 * Makes the registry of the served tools, for the engine and for jinn-mcp. Rejects with a ToolError for a toolset or a
 * tool that does not exist.
 */
export async function openRegistry(
  served: ServedChoice,
  machine: Machine,
  options: Pick<RegistryOptions, 'version' | 'hides' | 'onInternalError'>,
): Promise<Registry> {
  return createRegistry({ ...(await chooseServed(served, machine)), reportChanges, ...options });
}

async function chooseServed({ toolsets: names, readOnly, ...choice }: ServedChoice, machine: Machine) {
  const all = chooseToolsets(names, machine);
  const isWhole = choice.tools === undefined && choice.excludeTools.length === 0;
  return {
    toolsets: isWhole ? all : await (await import('./choose-tools.ts')).chooseTools(all, choice),
    ...(readOnly && { serves: ({ effect }: Pick<Tool, 'effect'>) => effect === 'read' }),
  };
}

export type RequestHooks = Omit<CallHooks, 'session'>;

export interface EngineOptions extends Pick<CallHooks, 'client' | 'dangerous' | 'showsVisualizations' | 'signal'> {
  readonly version: string;
  readonly served: ServedChoice;
  /** True to describe the tools without the arguments that are for programs. */
  readonly isForModel?: boolean;
  /** Wraps each call, such as to record it. */
  readonly wrap?: (call: Registry['call']) => Registry['call'];
}

/** The answer of a call for a model, whether it went well or not. */
export interface ModelAnswer {
  /** False if the call failed: the content says why. */
  readonly ok: boolean;
  /** The texts and images, in order. */
  readonly content: readonly ModelBlock[];
}

/** The tools of a machine, in one session. */
export interface Engine {
  readonly session: Session;
  /** Settles when the tools are chosen. Rejects with a ToolError for a toolset or a tool that does not exist, as each call fails. */
  readonly ready: Promise<unknown>;
  /** Loads and describes all tools, in the order in which they are listed. */
  describe(): Promise<ToolDescription[]>;
  /** Answers a call. It never rejects. */
  call(request: Request, side?: RequestHooks): Promise<Outcome>;
  /** Answers a call for a model: as text and images, and of bounded size. It never rejects. */
  callForModel(request: Request, side?: RequestHooks): Promise<ModelAnswer>;
  /** Returns the question that a call would put to a user who can be asked. See Registry. */
  question(request: Request): Promise<Question | undefined>;
  /** Ends what still runs, such as jobs and language servers. Later calls fail with `canceled`. The machine stays open. */
  close(): Promise<void>;
}

/** Opens the tools on a machine, for one caller. No tool is loaded before it is called. */
export function openEngine(
  machine: Machine,
  { served, version, isForModel = false, wrap = (call) => call, ...caller }: EngineOptions,
): Engine {
  const session = createSession();
  const at: Surroundings = { ...machine, session, ...caller };
  const ready = openRegistry(served, machine, {
    version,
    // If the operator decides on dangerous commands, no argument of a call overrides that.
    hides: [
      ...(caller.dangerous === undefined ? [] : (['overrides'] as const)),
      ...(isForModel ? (['forPrograms'] as const) : []),
    ],
    onInternalError: (error) => machine.log(error instanceof Error ? (error.stack ?? error.message) : String(error)),
  });
  const calling = ready.then((registry) => wrap(registry.call));
  calling.catch(() => {}); // Each call reports it.
  let hasEnded = false;

  const call: Engine['call'] = (request, side) => {
    if (hasEnded) {
      const error = new ToolError('canceled', 'this instance of jinn is closed', { suggestion: 'create another one' });
      return Promise.resolve(toFailure(error));
    }
    return calling.then((run) => run(request, side ? { ...at, ...side } : at), toFailure);
  };
  return {
    session,
    ready,
    call,
    callForModel: async (request, side) => {
      const { MODEL_RESULT_BYTES, toModelContent } = await import('@jinn/core/model-content');
      const outcome = await call(request, { ...side, maxResult: MODEL_RESULT_BYTES });
      const tool = await ready
        .then((registry) => registry.find(request.tool))
        .then((found) => found?.describe())
        .catch(() => undefined);
      return { ok: outcome.ok, content: toModelContent(outcome, tool, session) };
    },
    question: async (request) => (await ready).question(request, { ...at, ask: async () => undefined }),
    describe: async () => describeTools(await ready),
    close: () => {
      hasEnded = true;
      return session.close();
    },
  };
}

/** Returns the names in a list that is separated by commas. Throws an Error for an empty name. */
export function parseNames(list: string): string[] {
  const names = list.split(',').map((name) => name.trim());
  if (names.includes('')) throw new Error('a name is empty.');
  return names;
}

export async function reportChanges(files: readonly ChangedFile[], session: Session): Promise<object> {
  return (await import('./report-syntax.ts')).reportSyntax(files, session);
}

/** Makes the tool lsp_query of the toolset lean, which is only served if it can answer. That is found out once. */
function leanQueries(machine: Machine): LiveToolset {
  const tools = jinn.tools.filter(({ name }) => name === 'lsp_query');
  const find = lazy(async () => (await import('@jinn/lsp/tools/has-server')).hasServer(machine));
  return {
    name: lean.name,
    look: async () => {
      if (await find()) return { tools, leftOut: [] };
      const reason = 'no language server for this project is installed';
      const suggestion = 'tell the user: jinn lsp lists the servers';
      return { tools: [], leftOut: [{ names: ['lsp_query'], reason, suggestion }] };
    },
  };
}

function customToolset(machine: Machine): LiveToolset {
  const load = lazy(async () => {
    const { createCustomToolset } = await import('@jinn/custom-tools/custom-toolset');
    return createCustomToolset({ machine, builtIn: builtInNames() });
  });
  return {
    name: CUSTOM,
    look: async () => (await load()).look(),
    watch: (onChange) => {
      let end: (() => void) | undefined;
      let hasEnded = false;
      void load().then((toolset) => {
        if (!hasEnded) end = toolset.watch?.(onChange);
      });
      return () => {
        hasEnded = true;
        end?.();
      };
    },
  };
}

/** Returns the names of all tools of ours, each with the first toolset that has it. */
export function builtInNames(): ReadonlyMap<string, string> {
  return new Map(FIXED_TOOLSETS.toReversed().flatMap(({ name, tools }) => tools.map((tool) => [tool.name, name])));
}
