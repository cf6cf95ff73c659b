import type { ZodTool } from './define-tool.ts';
import { ToolError } from './errors.ts';
import type { JsonSchema } from './input.ts';
import type { Tool } from './tool.ts';

/** A tool by name, loaded when it is first needed. */
export interface ToolEntry {
  readonly name: string;
  /** Where a tool of a live toolset comes from, for messages: a folder, for one. */
  readonly from?: string;
  load(): Promise<Tool>;
}

/** A named list of tools. */
export interface Toolset {
  readonly name: string;
  /**
   * True if `list` reads the disk and may answer differently each time. It is then only asked when tools are listed, or
   * when a name is called that no fixed toolset has.
   */
  readonly isLive?: boolean;
  /** Returns the tools, in the order in which they are listed. */
  list(): Promise<readonly ToolEntry[]>;
  /** Says what is wrong with tools that the last `list` left out, one sentence each. */
  problems?(): Promise<readonly string[]>;
  /** Says why the last `list` left out a tool of this name; undefined if it knows of none. */
  whyNot?(name: string): Promise<string | undefined>;
  /** Calls back when `list` may have changed; returns what ends that. */
  watch?(onChange: () => void): () => void;
}

/** A tool of ours, and the schema that was generated from it. */
export interface DefinedTool {
  readonly tool: ZodTool;
  readonly schema: unknown;
}

/** The entry of a tool of ours. `load` gives a tool that checks arguments by the generated schema. */
export interface FixedEntry extends ToolEntry {
  /** Loads the tool as it was defined, for whoever generates its schema or tests it. */
  loadDefinition(): Promise<ZodTool>;
}

/** A toolset whose tools are always the same. */
export interface FixedToolset extends Toolset {
  list(): Promise<readonly FixedEntry[]>;
}

/** Makes a toolset of tools by name. None is loaded before it is called or listed. */
export function fixedToolset(name: string, tools: Readonly<Record<string, () => Promise<DefinedTool>>>): FixedToolset {
  const entries = Object.entries(tools).map(([tool, load]) => fixedEntry(tool, load));
  return { name, list: async () => entries };
}

function fixedEntry(name: string, load: () => Promise<DefinedTool>): FixedEntry {
  return {
    name,
    load: async (): Promise<Tool> => {
      const { tool, schema } = await load();
      return { ...tool, input: tool.input.withSchema(schema as JsonSchema) };
    },
    loadDefinition: async () => (await load()).tool,
  };
}

/** The tools that are served, and what is wrong with others, a sentence each. */
export interface ToolSurvey {
  readonly entries: readonly ToolEntry[];
  readonly problems: readonly string[];
}

/** The tools of several toolsets, by name. */
export interface ToolIndex {
  /** Returns undefined for a name that no toolset has. */
  find(name: string): Promise<ToolEntry | undefined>;
  list(): Promise<readonly ToolEntry[]>;
  /** Lists the tools and says which are left out, in one look at the live toolsets. */
  survey(): Promise<ToolSurvey>;
  /** Says why a tool of this name is left out; undefined if nobody knows of it. */
  whyNot(name: string): Promise<string | undefined>;
  watch(onChange: () => void): () => void;
}

/**
 * Joins toolsets. Rejects if two fixed ones have a tool of the same name. A tool of a live one whose name is taken is left
 * out, and is a problem: none of the two is chosen silently.
 */
export async function joinToolsets(toolsets: readonly Toolset[]): Promise<ToolIndex> {
  const live = toolsets.filter(({ isLive }) => isLive);
  const fixed = await joinFixed(toolsets.filter(({ isLive }) => !isLive));
  return {
    find: async (name) => {
      const known = fixed.get(name)?.entry;
      return known || live.length === 0 ? known : (await joinLive(fixed, live)).entries.get(name)?.entry;
    },
    list: async () => {
      const { entries } = await joinLive(fixed, live);
      return [...entries.values()].map(({ entry }) => entry);
    },
    survey: async () => {
      const { entries, clashes } = await joinLive(fixed, live);
      const own = await Promise.all(live.map((toolset) => toolset.problems?.() ?? []));
      return { entries: [...entries.values()].map(({ entry }) => entry), problems: [...own.flat(), ...clashes] };
    },
    whyNot: async (name) => {
      const reasons = await Promise.all(live.map((toolset) => toolset.whyNot?.(name)));
      return reasons.find((reason) => reason !== undefined);
    },
    watch: (onChange) => {
      const ends = live.map((toolset) => toolset.watch?.(onChange));
      return () => {
        for (const end of ends) end?.();
      };
    },
  };
}

interface Owned {
  readonly toolset: string;
  readonly entry: ToolEntry;
}

async function joinFixed(toolsets: readonly Toolset[]): Promise<ReadonlyMap<string, Owned>> {
  const entries = new Map<string, Owned>();
  for (const toolset of toolsets) {
    for (const entry of await toolset.list()) {
      const owner = entries.get(entry.name);
      if (owner) throw clash(entry.name, owner.toolset, toolset.name);
      entries.set(entry.name, { toolset: toolset.name, entry });
    }
  }
  return entries;
}

function clash(name: string, first: string, second: string): ToolError {
  return new ToolError('invalid_request', `the toolsets ${first} and ${second} both have a tool named ${name}`, {
    suggestion: 'serve one of them in this process, and the other in a second one',
  });
}

interface Joined {
  readonly entries: ReadonlyMap<string, Owned>;
  readonly clashes: readonly string[];
}

async function joinLive(fixed: ReadonlyMap<string, Owned>, live: readonly Toolset[]): Promise<Joined> {
  const entries = new Map(fixed);
  const clashes: string[] = [];
  for (const toolset of live) {
    for (const entry of await toolset.list()) {
      const owner = entries.get(entry.name);
      const from = entry.from === undefined ? '' : ` of ${entry.from}`;
      if (owner)
        clashes.push(
          `${toolset.name}: the tool ${entry.name}${from} is left out: ${owner.toolset} has one of that name`,
        );
      else entries.set(entry.name, { toolset: toolset.name, entry });
    }
  }
  return { entries, clashes };
}
