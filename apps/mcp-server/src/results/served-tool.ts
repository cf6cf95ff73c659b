import type { JsonSchema, ToolDescription } from '@jinn/core';
import { type McpTool, toMcpTool } from '@jinn/toolsets';

/** A tool in `tools/list`, with what hosts read beside the protocol. */
export type ServedTool = Omit<McpTool, 'outputSchema' | 'title'> & {
  readonly title?: string;
  readonly _meta?: Readonly<Record<string, unknown>>;
};

const ROOT = { type: 'string', description: 'Root to work in' } as const;

/** Reports whether the calls of the tool may name a root: it must have no argument of its own by that name. */
export function acceptsRoot({ schema }: ToolDescription): boolean {
  return !Object.hasOwn(schema.properties ?? {}, 'root');
}

interface ServedToolOptions {
  readonly hasRoots: boolean;
  readonly viewUri: string | undefined;
}

/**
 * Describes a tool for a host, in few words, since every conversation pays for them. The title is left out unless the tool is
 * marked, since it says the same as the name; so is the schema of the data, which is given as text alone, and of a tool that only reads, that it
 * reaches no open world. `hasRoots` is true if there are roots to choose from; `viewUri` names the page for a host that shows
 * what a call did in one.
 */
export function toServedTool(tool: ToolDescription, { hasRoots, viewUri }: ServedToolOptions): ServedTool {
  const { outputSchema: _, title, annotations, inputSchema, ...rest } = toMcpTool(tool);
  const { isBasic, isShown, searchWords, maxResult, unlisted = [] } = tool.hosting;
  const listed = withoutArguments(inputSchema, unlisted).properties;
  const properties = { ...listed, ...(hasRoots && acceptsRoot(tool) && { root: ROOT }) };
  const hints = {
    ...(searchWords !== undefined && { 'anthropic/searchHint': searchWords }),
    ...(isBasic && { 'anthropic/alwaysLoad': true }),
    ...(maxResult !== undefined && { 'anthropic/maxResultSizeChars': maxResult }),
    ...(isShown && viewUri !== undefined && { ui: { resourceUri: viewUri } }),
  };
  return {
    ...rest,
    ...(tool.isMarked && { title }),
    inputSchema: { ...inputSchema, properties },
    annotations: annotations.readOnlyHint ? { readOnlyHint: true } : annotations,
    ...(Object.keys(hints).length > 0 && { _meta: hints }),
  };
}

/** Leaves out arguments by name, also those of entries of a list. */
function withoutArguments(schema: JsonSchema, names: readonly string[]): JsonSchema {
  const { properties, items } = schema;
  if (items) return { ...schema, items: withoutArguments(items, names) };
  if (!properties || names.length === 0) return schema;
  const kept = Object.entries(properties).filter(([name]) => !names.includes(name));
  return {
    ...schema,
    properties: Object.fromEntries(kept.map(([name, member]) => [name, withoutArguments(member, names)])),
  };
}
