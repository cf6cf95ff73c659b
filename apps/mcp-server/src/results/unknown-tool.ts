import type { Registry } from '@jinn/tool';
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

/** Makes the error for an unknown tool: why it is missing, and which `names` exist. */
export async function unknownTool(name: string, registry: Registry, names: readonly string[]): Promise<ProtocolError> {
  const reason = await registry.explainMissing(name);
  const shown = fitLines(names.join('\n'), MAX_NAMES_BYTES)
    .replaceAll('\n', ', ')
    .replace(/\[(\d+) more lines\]$/, 'and $1 more');
  const why = reason === undefined ? '' : `; it cannot be used: ${reason.slice(0, MAX_REASON)}`;
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Unknown tool: ${showToolName(name)}${why}; the tools are ${shown}`,
  );
}
