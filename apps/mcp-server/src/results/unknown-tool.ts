import { meantCall, type Registry, type ToolDescription } from '@jinn/core';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { fitLines } from './fit-lines.ts';

/** The most bytes of names in an error about an unknown tool, with the reasons why the tool cannot be used. */
const MAX_NAMES_BYTES = 1_500;
const MAX_REASON = 500;
const MAX_SHOWN_NAME = 100;

/** Cuts the name of an unknown tool. */
export function showToolName(name: string): string {
  return name.slice(0, MAX_SHOWN_NAME);
}

interface UnknownCall {
  readonly name: string;
  readonly arguments?: unknown;
}

/** Makes the error for an unknown tool: why it is missing, the call that may be meant, and which tools exist. */
export async function unknownTool(
  { name, arguments: args }: UnknownCall,
  registry: Registry,
  tools: readonly ToolDescription[],
): Promise<ProtocolError> {
  const names = tools.map((tool) => tool.name);
  const meant = meantCall(name, args, tools);
  const call = meant && JSON.stringify({ name: meant.tool, arguments: meant.args });
  const reason = await registry.explainMissing(name);
  const shown = fitLines(names.join('\n'), MAX_NAMES_BYTES)
    .replaceAll('\n', ', ')
    .replace(/\[(\d+) more lines\]$/, 'and $1 more');
  const why = reason === undefined ? '' : `; it cannot be used: ${reason.slice(0, MAX_REASON)}`;
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Unknown tool: ${showToolName(name)}${why}${call ? `; did you mean ${call}?` : ''}; the tools are ${shown}`,
  );
}
