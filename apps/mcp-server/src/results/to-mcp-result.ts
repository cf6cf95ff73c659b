import type { Outcome, Session } from '@jinn/core';
import { type ToolTraits, toModelContent } from '@jinn/core/model-content';
import type { CallToolResult } from '@modelcontextprotocol/server';

const MAX_META = 2_048;

/** Formats an outcome for `tools/call`. Data is given once, as text, since hosts show either that or `structuredContent`. */
export function toMcpResult(
  outcome: Outcome,
  tool: ToolTraits,
  session: Pick<Session, 'endsWithCall'>,
): CallToolResult {
  const content = [...toModelContent(outcome, tool, session)];
  if (!outcome.ok) {
    const { code, details } = outcome.error;
    return {
      isError: true,
      content,
      ...toMeta({ error_code: code, ...details, ...(details?.meta && { meta: small(details.meta) }) }),
    };
  }
  const { ok: _, text: __, data: ___, content: ____, warnings: _____, picture: ______, ...rest } = outcome;
  const { totalCount, meta: all, ...more } = rest;
  const meta = all && small(all);
  const total = totalCount !== undefined && { total_count: totalCount };
  return { content, ...toMeta({ ...more, ...total, ...(meta && { meta }) }) };
}

function small(meta: object): object {
  return Object.fromEntries(
    Object.entries(meta).filter(([, value]) => value !== undefined && JSON.stringify(value).length <= MAX_META),
  );
}

function toMeta(rest: object) {
  return Object.keys(rest).length > 0 && { _meta: { jinn: rest } };
}

const KB = 1024;

interface TextBudget {
  readonly usual: number;
  /** For a tool whose answers are of little use in parts. */
  readonly most: number;
}

const DEFAULT: TextBudget = { usual: 24 * KB, most: 64 * KB };

/** Cline shows the model the JSON of the whole result, and cuts the middle out of more than 8,000 characters. */
const SHOWS_JSON = /^(@cline\/core|Cline)$/;
const MAX_JSON = 7_900;

/** The known hosts, by the names that they give themselves. They cut longer texts, or keep a preview of them. */
const KNOWN: readonly (readonly [name: RegExp, budget: TextBudget])[] = [
  // It passes on up to `anthropic/maxResultSizeChars` of the tool, at most 500,000 characters.
  [/^claude-code$/, { usual: 24 * KB, most: 400 * KB }],
  [/^codex/, { usual: 10 * KB, most: 10 * KB }],
  [/^gemini-cli/, { usual: 24 * KB, most: 38 * KB }],
  [/^opencode/, { usual: 24 * KB, most: 48 * KB }],
  [SHOWS_JSON, { usual: 6.5 * KB, most: 6.5 * KB }],
];

/** Returns the most characters of JSON that a result may have, or undefined for a client whose model sees only texts. */
export function jsonLimitOf(client: string | undefined, operator: number | undefined): number | undefined {
  if (!SHOWS_JSON.test(client ?? '')) return undefined;
  return operator === undefined ? MAX_JSON : Number.POSITIVE_INFINITY;
}

/** Returns the most text of an answer in bytes. The limit of the operator is for all hosts and tools. `wanted` is that of the tool. */
export function budgetOf(client: string | undefined, wanted: number | undefined, operator: number | undefined): number {
  if (operator !== undefined) return operator;
  const { usual, most } = KNOWN.find(([name]) => name.test(client ?? ''))?.[1] ?? DEFAULT;
  return wanted === undefined ? usual : Math.min(wanted, most);
}
