const KB = 1024;

/** How much text a host passes on to its model, in bytes. */
interface Budget {
  /** For an answer of any tool. */
  readonly usual: number;
  /** For a tool whose answers are of little use in parts. */
  readonly most: number;
}

const DEFAULT: Budget = { usual: 24 * KB, most: 64 * KB };

/**
 * Cline shows the model the JSON of the whole result, and of more than 8,000 characters leaves out the middle. The marks of
 * its lines and quotes take some of that.
 */
const SHOWS_JSON = /^(@cline\/core|Cline)$/;
const MAX_JSON = 7_900;

/** The known hosts, by the names that they give themselves. They cut longer texts, or keep a preview of them. */
const KNOWN: readonly (readonly [name: RegExp, budget: Budget])[] = [
  // It passes on up to `anthropic/maxResultSizeChars` of the tool, at most 500,000 characters.
  [/^claude-code$/, { usual: 24 * KB, most: 400 * KB }],
  [/^codex/, { usual: 10 * KB, most: 10 * KB }],
  [/^gemini-cli/, { usual: 24 * KB, most: 38 * KB }],
  [/^opencode/, { usual: 24 * KB, most: 48 * KB }],
  [SHOWS_JSON, { usual: 6.5 * KB, most: 6.5 * KB }],
];

/**
 * Returns the most characters of JSON that a result may have; undefined for a client whose model sees texts alone. What
 * the operator says goes without such a limit.
 */
export function jsonLimitOf(client: string | undefined, operator: number | undefined): number | undefined {
  if (!SHOWS_JSON.test(client ?? '')) return undefined;
  return operator === undefined ? MAX_JSON : Number.POSITIVE_INFINITY;
}

/**
 * Returns the most text of an answer in bytes. What the operator says holds for all hosts and tools; `wanted` is what the
 * tool asks for.
 */
export function budgetOf(client: string | undefined, wanted: number | undefined, operator: number | undefined): number {
  if (operator !== undefined) return operator;
  const { usual, most } = KNOWN.find(([name]) => name.test(client ?? ''))?.[1] ?? DEFAULT;
  return wanted === undefined ? usual : Math.min(wanted, most);
}
