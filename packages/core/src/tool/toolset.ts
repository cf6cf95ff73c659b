import type { Tool, ZodTool } from './tool.ts';

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

/** The tools of several toolsets. */
export interface ToolIndex {
  /** Returns a tool of a fixed toolset; undefined for any other name. Looks at nothing on the disk. */
  findFixed(name: string): ToolEntry | undefined;
  /** Returns undefined for a name that no toolset has. */
  find(name: string): Promise<ToolEntry | undefined>;
  /** Looks at all toolsets once. */
  look(): Promise<ToolsetLook>;
  watch(onChange: () => void): () => void;
}
