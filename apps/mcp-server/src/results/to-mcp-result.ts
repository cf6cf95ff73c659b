import type { Outcome, Session } from '@jinn/core';
import type { ToolError } from '@jinn/core/errors';
import { type ToolTraits, toModelContent } from '@jinn/core/model-content';
import type { CallToolResult } from '@modelcontextprotocol/server';

/** The largest member of `meta` that is passed on, in characters of JSON. No model sees it, and what it reads has the rest. */
const MAX_META = 2_048;

/**
 * Formats an outcome for `tools/call`: text and images are for the model, and `_meta.jinn` has the rest for programs,
 * by the names of docs/protocol.md. Data is given once, as text: hosts show a model either that or `structuredContent`.
 */
export function toMcpResult(
  outcome: Outcome,
  tool: ToolTraits,
  session: Pick<Session, 'endsWithCall'>,
): CallToolResult {
  const content = [...toModelContent(outcome, tool, session)];
  if (!outcome.ok) return { isError: true, content, ...toMeta(failureForPrograms(outcome.error)) };
  const {
    ok: _,
    text: __,
    data: ___,
    content: ____,
    warnings: _____,
    picture: ______,
    totalCount,
    meta: all,
    ...rest
  } = outcome;
  const meta = all && small(all);
  return {
    content,
    ...toMeta({
      ...rest,
      ...(totalCount !== undefined && { total_count: totalCount }),
      ...(meta && { meta }),
    }),
  };
}

function failureForPrograms({ code, details }: ToolError): object {
  return { error_code: code, ...details, ...(details?.meta && { meta: small(details.meta) }) };
}

/** Leaves out large members. */
function small(meta: object): object {
  return Object.fromEntries(
    Object.entries(meta).filter(([, value]) => value !== undefined && JSON.stringify(value).length <= MAX_META),
  );
}

function toMeta(rest: object) {
  return Object.keys(rest).length > 0 && { _meta: { jinn: rest } };
}
