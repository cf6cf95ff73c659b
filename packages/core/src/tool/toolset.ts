import type { Effect, Tool, ZodTool } from './tool.ts';

/** Loaded when it is first needed. */
export interface ToolEntry {
  readonly name: string;
  /** The most that the tool may do, if that is known before it is loaded. */
  readonly effect?: Effect;
  /** Where a tool of a live toolset comes from, such as a folder. */
  readonly from?: string;
  load(): Promise<Tool>;
}

/** An entry whose `load` gives a tool that checks arguments by the generated schema. */
export interface FixedEntry extends ToolEntry {
  /** Loads the tool as it was defined. */
  loadDefinition(): Promise<ZodTool>;
}

export interface FixedToolset<Entry extends ToolEntry = ToolEntry> {
  readonly name: string;
  readonly tools: readonly Entry[];
}

export interface LeftOutTool {
  readonly names: readonly string[];
  readonly reason: string;
  /** `jinn tools check` is named if absent. */
  readonly suggestion?: string;
}

export interface ToolsetLook {
  readonly tools: readonly ToolEntry[];
  readonly leftOut: readonly LeftOutTool[];
}

/** A toolset that reads the disk, when tools are listed, or a name is called that no fixed toolset has. */
export interface LiveToolset {
  readonly name: string;
  look(): Promise<ToolsetLook>;
  /** Calls back when a look may find other tools; returns a function that ends that. */
  watch?(onChange: () => void): () => void;
}

export type Toolset = FixedToolset | LiveToolset;

export interface ToolIndex {
  find(name: string): Promise<ToolEntry | undefined>;
  look(): Promise<ToolsetLook>;
  watch(onChange: () => void): () => void;
}
