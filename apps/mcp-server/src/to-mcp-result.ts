import type { Outcome, ToolError } from '@jinn/core';
import type { CallToolResult } from '@modelcontextprotocol/server';

/**
 * Words an outcome for `tools/call`: text and images are for the model, `structuredContent` is the data of a tool that
 * always answers with data, and `_meta.jinn` has the rest for programs, by the names of docs/protocol.md. What a change broke
 * is for the model too: it comes as a text of its own, since the first may be JSON.
 */
export function toMcpResult(outcome: Outcome, { isData }: { isData: boolean }): CallToolResult {
  if (!outcome.ok) return toFailed(outcome.error);
  const { ok: _, text, data, content = [], totalCount, warnings = [], meta, ...rest } = outcome;
  const texts = text === undefined ? [] : [toText(text)];
  return {
    content: [...texts, ...content, ...toDiagnostics(meta)],
    ...(isData && data && { structuredContent: data as Record<string, unknown> }),
    ...toMeta({
      ...rest,
      ...(totalCount !== undefined && { total_count: totalCount }),
      ...((meta || warnings.length > 0) && { meta: { ...meta, ...(warnings.length > 0 && { warnings }) } }),
    }),
  };
}

/** What language servers say of a change, as `meta.diagnostics` has it. */
interface Diagnostics {
  readonly new: readonly string[];
  readonly fixed: readonly string[];
  readonly omitted?: number;
  readonly pending?: true;
}

function toDiagnostics(meta: { readonly diagnostics?: Diagnostics } = {}) {
  const { diagnostics } = meta;
  if (!diagnostics) return [];
  const { new: appeared, fixed, omitted = 0, pending } = diagnostics;
  const lines = [
    ...(appeared.length > 0 ? ['This change causes:', ...appeared] : []),
    ...(fixed.length > 0 ? ['This change mends:', ...fixed] : []),
    ...(omitted > 0 ? [`[${omitted} more]`] : []),
    ...(pending ? ['[the language server has not checked all of it yet]'] : []),
  ];
  return lines.length > 0 ? [toText(lines.join('\n'))] : [];
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
