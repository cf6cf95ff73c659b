import type { OpenDirectory } from '@jinn/core';
import type { Decide, WalkEntry } from '@jinn/walk';
import { type ContextRule, isCatchAll, LAYERS } from './context-rule.ts';
import type { Kept } from './exclusions.ts';
import { couldMatchBelow } from './match-below.ts';
import { latest, type RuleTable } from './rule-table.ts';

/** What was decided on a file or a directory, for `--debug-explain`. */
export interface Explanation {
  readonly path: string;
  readonly isDirectory: boolean;
  readonly included: boolean;
  /** Goes on after the path: "no rule matches", or the rule with its file and line. */
  readonly reason: string;
}

export interface JudgeOptions {
  /** The built-in rules. */
  readonly defaults: RuleTable;
  /** Overrides, then flags; each wins over all before it. */
  readonly late: readonly RuleTable[];
  readonly kept: Kept | undefined;
  /** The directory where rules begin, below the workspace root: '' or with a slash at its end. */
  readonly ruleRoot: string;
  /** Files that are taken in whatever the rules say, and directories that are entered so; below the workspace root. */
  readonly targets: ReadonlySet<string>;
  /** Left out whatever the rules say: what is being written. */
  readonly isOwnOutput: (path: string) => boolean;
  /** Reads the `.contextfiles` of a directory. */
  readonly readRules: (directory: OpenDirectory) => RuleTable;
  readonly explain: ((explanation: Explanation) => void) | undefined;
}

/** What holds in one directory of the walk. */
interface Scope {
  /** The `.contextfiles` from the rule root down. */
  readonly files: readonly RuleTable[];
  /** The built-in rule that matched the directory or one above it; undefined when something brought it back. */
  readonly low: ContextRule | undefined;
  /** The later rule that did. */
  readonly high: ContextRule | undefined;
  /** Inside what `--keep-only` names. */
  readonly isKept: boolean;
}

/** What was found on the thing judged last. */
interface Findings {
  ignored: boolean;
  low: ContextRule | undefined;
  high: ContextRule | undefined;
  /** A negated gitignore rule that is all stars brings back what gitignore leaves out, not what is built in. */
function isCatchAllOf(entry: WalkEntry): boolean {
  return /^[*?/]*$/.test(entry.explain()?.pattern ?? '');
}

/** How a rule is named to people. */
function describe({ text, file, line }: Pick<ContextRule, 'text' | 'file' | 'line'>): string {
  return `rule ${JSON.stringify(text)} of ${file}, line ${line}`;
}

function describeFindings(entry: WalkEntry, { ignored, low, high, isBroughtBack }: Findings): string {
  if (high) return describe(high);
  if (!ignored && !isBroughtBack && low) return describe(low);
  const rule = entry.explain();
  if (!rule) return ignored ? 'its directory is ignored by git' : 'no rule matches';
  return describe({ ...rule, text: Buffer.from(rule.text, 'latin1').toString() });
}
