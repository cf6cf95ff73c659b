import type { JsonSchema } from './input/input.ts';
import type { Effect, LeftOutTool, Tool, ZodTool } from './tool.ts';

/** Loaded when it is first needed. */
export interface ToolEntry {
  readonly name: string;
  readonly effect: Effect;
  readonly isMarked?: boolean;
  /** Where a tool of a live toolset comes from, such as a folder. */
  readonly from?: string;
  /** Loads only the schema, if it is generated. */
  loadSchema?(): Promise<JsonSchema>;
  load(): Promise<Tool>;
}

/** An entry whose `load` gives a tool that checks arguments by the generated schema. */
export interface FixedEntry extends ToolEntry {
  loadDefinition(): Promise<ZodTool>;
}

export interface FixedToolset<Entry extends ToolEntry = ToolEntry> {
  readonly name: string;
  readonly tools: readonly Entry[];
}

/** A toolset that reads the disk, when tools are listed, or a name is called that no fixed toolset has. */
export interface LiveToolset {
  readonly name: string;
  look(): Promise<{ readonly tools: readonly ToolEntry[]; readonly leftOut: readonly LeftOutTool[] }>;
  /** Calls back when a look may find other tools. Returns a function that ends that. */
  watch?(onChange: () => void): () => void;
}

export type Toolset = FixedToolset | LiveToolset;
