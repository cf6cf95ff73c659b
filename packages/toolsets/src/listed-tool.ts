import type { JsonSchema, ToolDescription } from '@jinn/core';
import { type McpTool, toMcpTool } from './schema-formats.ts';

type ListedTool = Omit<McpTool, 'outputSchema' | 'title'> & {
  readonly title?: string;
  readonly _meta?: Readonly<Record<string, unknown>>;
};

const ROOT = { type: 'string', description: 'Root to work in' } as const;

/** Reports whether the calls of the tool may name a root: it must have no argument of its own by that name. */
export function acceptsRoot({ schema }: ToolDescription): boolean {
  return !Object.hasOwn(schema.properties ?? {}, 'root');
}

/** Describes a tool for a host in few words, since every conversation pays for them. `viewUri` is the page that shows what a call did. */
export function toListedTool(
  tool: ToolDescription,
  { hasRoots, viewUri }: { readonly hasRoots: boolean; readonly viewUri: string | undefined },
): ListedTool {
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
