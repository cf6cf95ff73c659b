import type { Registry } from '@jinn/tool';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { fitLines } from './fit-lines.ts';

/** The most that an error about an unknown tool says of the names, and of what keeps the tool from being used. */
const MAX_NAMES_BYTES = 1_500;
const MAX_REASON = 500;
const MAX_SHOWN_NAME = 100;

/** Bounds the name of a tool that there is not. */
export function showToolName(name: string): string {
  return name.slice(0, MAX_SHOWN_NAME);
}

/** Says that there is no such tool, why, and which `names` there are. */
export async function unknownTool(name: string, registry: Registry, names: readonly string[]): Promise<ProtocolError> {
  const reason = await registry.whyNot(name);
  const shown = fitLines(names.join('\n'), MAX_NAMES_BYTES)
    .replaceAll('\n', ', ')
    .replace(/\[(\d+) more lines\]$/, 'and $1 more');
  const why = reason === undefined ? '' : `; it cannot be used: ${reason.slice(0, MAX_REASON)}`;
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Unknown tool: ${showToolName(name)}${why}; the tools are ${shown}`,
  );
}
