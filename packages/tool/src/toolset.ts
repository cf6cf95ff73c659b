import { ToolError } from '@jinn/errors';
import type { ZodTool } from './define-tool.ts';
import type { JsonSchema } from './input/input.ts';
import type { Tool } from './tool.ts';

/** A tool by name, loaded when it is first needed. */
export interface ToolEntry {
  readonly name: string;
  /** Where a tool of a live toolset comes from, for messages: a folder, for one. */
  readonly from?: string;
  load(): Promise<Tool>;
}

/** The entry of a tool of ours. `load` gives a tool that checks arguments by the generated schema. */
export interface FixedEntry extends ToolEntry {
  /** Loads the tool as it was defined, for whoever generates its schema or tests it. */
  loadDefinition(): Promise<ZodTool>;
}

/** A named list of tools that are always the same, in the order in which they are listed. */
export interface FixedToolset<Entry extends ToolEntry = ToolEntry> {
  readonly name: string;
  readonly tools: readonly Entry[];
}

/** A tool that a live toolset does not serve. */
export interface LeftOutTool {
  /** The names that a caller may know it by. */
  readonly names: readonly string[];
  /** A sentence that says why it is left out. */
  readonly reason: string;
  /** What to do about it; `jinn tools check` is named if absent. */
  readonly suggestion?: string;
}

/** What a live toolset found when it was looked at. */
export interface ToolsetLook {
  readonly tools: readonly ToolEntry[];
  readonly leftOut: readonly LeftOutTool[];
}

/**
 * A toolset that reads the disk, so that each look may find other tools. It is looked at only when tools are listed, or when
 * a name is called that no fixed toolset has.
 */
export interface LiveToolset {
  readonly name: string;
  look(): Promise<ToolsetLook>;
  /** Calls back when a look may find other tools; returns what ends that. */
  watch?(onChange: () => void): () => void;
}

export type Toolset = FixedToolset | LiveToolset;

/** The name by which a module exports a tool: `editFile` for `edit_file`. */
type ExportName<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<ExportName<Tail>>}`
  : Name;

/** How to load tools by name: the module that exports each, and the schema that was generated from it. */
type ToolImports<Name extends string> = {
  readonly [Key in Name]: readonly [
    module: () => Promise<{ readonly [Export in ExportName<Key>]: ZodTool }>,
    schema: () => Promise<{ readonly default: unknown }>,
  ];
};

export interface FixedToolsetOptions {
  /** Loads a function that wraps each tool. It gets the generated schema too. */
  readonly loadWrap?: () => Promise<(tool: ZodTool, schema: JsonSchema) => ZodTool>;
}

/** Returns a toolset of tools by name. None is loaded before it is called or listed. */
export function fixedToolset<Name extends string>(
  name: string,
  imports: ToolImports<Name>,
  options: FixedToolsetOptions = {},
): FixedToolset<FixedEntry> {
  const tools = (Object.keys(imports) as Name[]).map((tool) => fixedEntry(tool, imports[tool], options));
  return { name, tools };
}

function fixedEntry<Name extends string>(
  name: Name,
  [loadModule, loadSchema]: ToolImports<Name>[Name],
  { loadWrap }: FixedToolsetOptions,
): FixedEntry {
  const loadBoth = async () => {
    const module: Readonly<Record<string, ZodTool>> = await loadModule();
    const tool = module[name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase())] as ZodTool;
    const schema = (await loadSchema()).default as JsonSchema;
    return { tool: loadWrap ? (await loadWrap())(tool, schema) : tool, schema };
  };
  const loadChecked = async (): Promise<Tool> => {
    const { tool, schema } = await loadBoth();
    return { ...tool, input: tool.input.withSchema(schema) };
  };
  // Calls take the same object: to make one for each would take a tenth of a short call.
  let loaded: Tool | undefined;
  return {
    name,
    load: async () => {
      loaded ??= await loadChecked();
      return loaded;
    },
    loadDefinition: async () => (await loadBoth()).tool,
  };
}

/** The tools of several toolsets. */
export interface ToolIndex {
  /** Returns undefined for a name that no toolset has. */
  find(name: string): Promise<ToolEntry | undefined>;
  /** Looks at all toolsets once. */
  look(): Promise<ToolsetLook>;
  watch(onChange: () => void): () => void;
}

/**
 * Joins toolsets. Throws a ToolError if two fixed ones have a tool of the same name. A tool of a live one whose name is
 * taken is left out: none of the two is chosen silently.
 */
export function joinToolsets(toolsets: readonly Toolset[]): ToolIndex {
  const live = toolsets.filter((toolset) => 'look' in toolset);
  const fixed = joinFixed(toolsets.filter((toolset) => 'tools' in toolset));
  const look = () => lookAt(fixed, live);
  return {
    find: async (name) => {
      const known = fixed.get(name)?.entry;
      return known || live.length === 0 ? known : (await look()).tools.find((entry) => entry.name === name);
    },
    look,
    watch: (onChange) => {
      const ends = live.map((toolset) => toolset.watch?.(onChange));
      return () => {
        for (const end of ends) end?.();
      };
    },
  };
}

interface OwnedEntry {
  readonly toolset: string;
  readonly entry: ToolEntry;
}

function joinFixed(toolsets: readonly FixedToolset[]): ReadonlyMap<string, OwnedEntry> {
  const entries = new Map<string, OwnedEntry>();
  for (const { name: toolset, tools } of toolsets) {
    for (const entry of tools) {
      const owner = entries.get(entry.name);
      if (owner) throw clash(entry.name, owner.toolset, toolset);
      entries.set(entry.name, { toolset, entry });
    }
  }
  return entries;
}

function clash(name: string, first: string, second: string): ToolError {
  return new ToolError('invalid_request', `the toolsets ${first} and ${second} both have a tool named ${name}`, {
    suggestion: 'serve one of them in this process, and the other in a second one',
  });
}

async function lookAt(fixed: ReadonlyMap<string, OwnedEntry>, live: readonly LiveToolset[]): Promise<ToolsetLook> {
  const entries = new Map(fixed);
  const leftOut: LeftOutTool[] = [];
  for (const toolset of live) {
    const found = await toolset.look();
    leftOut.push(...found.leftOut);
    for (const entry of found.tools) {
      const owner = entries.get(entry.name);
      if (owner) leftOut.push(toClash(toolset.name, entry, owner));
      else entries.set(entry.name, { toolset: toolset.name, entry });
    }
  }
  return { tools: [...entries.values()].map(({ entry }) => entry), leftOut };
}

function toClash(toolset: string, { name, from }: ToolEntry, owner: OwnedEntry): LeftOutTool {
  const origin = from === undefined ? '' : ` of ${from}`;
  const reason = `${toolset}: the tool ${name}${origin} is left out: ${owner.toolset} has one of that name`;
  return { names: [name], reason };
}
