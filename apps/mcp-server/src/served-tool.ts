import type { ToolDescription } from '@jinn/core';
import { type McpTool, toMcpTool } from '@jinn/toolsets';

/** A tool in `tools/list`, with what hosts read beside the protocol. */
export type ServedTool = Omit<McpTool, 'outputSchema' | 'title'> & {
  readonly title?: string;
  readonly _meta?: Readonly<Record<string, unknown>>;
};

const ROOT = { type: 'string', description: 'Root to work in' } as const;

/** True if the calls of the tool may name a root: none has an argument of its own by that name. */
export function takesRoot({ schema }: ToolDescription): boolean {
  return !Object.hasOwn(schema.properties ?? {}, 'root');
}

/**
 * Describes a tool for a host, in few words, since every conversation pays for them. The title is left out unless the tool is
 * marked, since it says the same as the name; so is the schema of the data, which is given as text alone, and of a tool that only reads, that it
 * reaches no open world. `hasRoots` is true if there are roots to choose from.
 */
export function toServedTool(tool: ToolDescription, { hasRoots }: { hasRoots: boolean }): ServedTool {
  const { outputSchema: _, title, annotations, inputSchema, ...rest } = toMcpTool(tool);
  const properties = { ...inputSchema.properties, ...(hasRoots && takesRoot(tool) && { root: ROOT }) };
  const { isBasic, searchWords, maxResult } = tool.hosting;
  const hints = {
    ...(searchWords !== undefined && { 'anthropic/searchHint': searchWords }),
    ...(isBasic && { 'anthropic/alwaysLoad': true }),
    ...(maxResult !== undefined && { 'anthropic/maxResultSizeChars': maxResult }),
  };
  return {
    ...rest,
    ...(tool.isMarked && { title }),
    inputSchema: { ...inputSchema, properties },
    annotations: annotations.readOnlyHint ? { readOnlyHint: true } : annotations,
    ...(Object.keys(hints).length > 0 && { _meta: hints }),
  };
}
