import { NOTES, nearestArgument, type Outcome, repairMembers, type Session, type ToolDescription } from '@jinn/core';
import { type ToolTraits, toModelContent } from '@jinn/core/model-content';
import type { CallToolResult } from '@modelcontextprotocol/server';

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
  if (!outcome.ok) {
    const { code, details } = outcome.error;
    return {
      isError: true,
      content,
      ...toMeta({ error_code: code, ...details, ...(details?.meta && { meta: small(details.meta) }) }),
    };
  }
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

/**
 * Cline shows the model the JSON of the whole result, and of more than 8,000 characters leaves out the middle. The marks of
 * its lines and quotes take some of that.
 */
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

/** Returns the most characters of JSON that a result may have; undefined for a client whose model sees only texts. */
export function jsonLimitOf(client: string | undefined, operator: number | undefined): number | undefined {
  if (!SHOWS_JSON.test(client ?? '')) return undefined;
  return operator === undefined ? MAX_JSON : Number.POSITIVE_INFINITY;
}

/** Returns the most text of an answer in bytes. The limit of the operator is for all hosts and tools; `wanted` is that of the tool. */
export function budgetOf(client: string | undefined, wanted: number | undefined, operator: number | undefined): number {
  if (operator !== undefined) return operator;
  const { usual, most } = KNOWN.find(([name]) => name.test(client ?? ''))?.[1] ?? DEFAULT;
  return wanted === undefined ? usual : Math.min(wanted, most);
}

/** Keys that known hosts add to the arguments of every call for their own use. They are left out without a warning. */
const INJECTED = ['intent', 'accept_large_output', 'wait_for_previous'];
const MAX_SHOWN_KEY = 60;

export interface RepairedArgs {
  readonly args: object;
  readonly warnings: readonly string[];
}

/**
 * Undoes what hosts do to arguments: it leaves out keys that they add and nulls for what is optional, and parses lists,
 * objects, numbers and booleans that come as text. A key that any tool has, or that is like one of this tool's, stays: it
 * is a mistake that the tool must refuse. `known` returns the arguments of all tools.
 */
export async function repairArgs(
  schema: ToolDescription['schema'],
  args: Readonly<Record<string, unknown>>,
  known: () => Promise<Set<string>>,
): Promise<RepairedArgs> {
  const { properties = {}, additionalProperties } = schema;
  const isOurs = (key: string) => Object.hasOwn(properties, key) || !INJECTED.includes(key);
  const given = Object.entries(args).filter(([key]) => isOurs(key));
  const isUnknown = ([key]: [string, unknown]) =>
    additionalProperties === false &&
    !Object.hasOwn(properties, key) &&
    nearestArgument(key, Object.keys(properties)) === undefined;
  const others = given.some(isUnknown) ? await known() : new Set<string>();
  const isAdded = (entry: [string, unknown]) => isUnknown(entry) && !others.has(entry[0]);
  const kept = given.filter((entry) => !isAdded(entry));
  return {
    args: repairMembers(schema, Object.fromEntries(kept)),
    warnings: given
      .filter((entry) => isAdded(entry) && !NOTES.includes(entry[0]))
      .map(([key]) => `unknown argument ${quote(key)} was left out`),
  };
}

function quote(key: string): string {
  return JSON.stringify(key.slice(0, MAX_SHOWN_KEY));
}
