import type { Outcome, ToolError } from '@jinn/core';
import type { CallToolResult } from '@modelcontextprotocol/server';

/**
 * Words an outcome for `tools/call`: text and images are for the model, `structuredContent` is the data of a tool that
 * always answers with data, and `_meta.jinn` has the rest for programs, by the names of docs/protocol.md.
 */
export function toMcpResult(outcome: Outcome, { isData }: { isData: boolean }): CallToolResult {
  if (!outcome.ok) return toFailed(outcome.error);
  const { ok: _, text, data, content = [], totalCount, warnings = [], meta, ...rest } = outcome;
  const texts = text === undefined ? [] : [toText(text)];
  return {
    content: [...texts, ...content],
    ...(isData && data && { structuredContent: data as Record<string, unknown> }),
    ...toMeta({
      ...rest,
      ...(totalCount !== undefined && { total_count: totalCount }),
      ...((meta || warnings.length > 0) && { meta: { ...meta, ...(warnings.length > 0 && { warnings }) } }),
    }),
  };
}

function toFailed({ code, message, suggestion, details }: ToolError): CallToolResult {
  const text = [`${code}: ${message}`, suggestion].filter(Boolean).join('\n');
  const rest = { error_code: code, ...(suggestion !== undefined && { suggestion }), ...details };
  return { isError: true, content: [toText(text)], ...toMeta(rest) };
}

function toMeta(rest: object) {
  return Object.keys(rest).length > 0 && { _meta: { jinn: rest } };
}

function toText(text: string) {
  return { type: 'text', text } as const;
}
