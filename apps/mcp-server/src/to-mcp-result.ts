import type { Envelope } from '@jinn/core';
import type { CallToolResult } from '@modelcontextprotocol/server';

/**
 * An answer as `tools/call` gives it: text and images are for the model, `structuredContent` where the tool answers
 * with data, and `_meta.jinn` has the rest of the envelope (docs/protocol.md), for programs.
 */
export function toMcpResult(envelope: Envelope, { isData }: { isData: boolean }): CallToolResult {
  const { ok, result, error, content = [], request_id: _, ...rest } = envelope;
  const meta = Object.keys(rest).length > 0 && { _meta: { jinn: rest } };
  if (!ok) {
    const lines = [`${rest.error_code}: ${error}`, rest.suggestion];
    return { isError: true, content: [toText(lines.filter(Boolean).join('\n'))], ...meta };
  }
  const texts = result === undefined ? [] : [toText(result)];
  return {
    content: [...texts, ...content],
    ...(isData && result !== undefined && { structuredContent: JSON.parse(result) }),
    ...meta,
  };
}

function toText(text: string) {
  return { type: 'text', text } as const;
}
