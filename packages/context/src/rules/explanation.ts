import type { Rule } from '@jinn/workspace/walk';
import { showPath } from '../targets/show-path.ts';
import type { Verdict } from './classify-entry.ts';

/** The decision on a file or a directory, for `--debug-explain`. */
export interface Explanation {
  readonly path: string;
  readonly isDirectory: boolean;
  readonly included: boolean;
  /** The text after the path: "no rule matches", or the rule with its file and line. */
  readonly reason: string;
}

/** Formats one decision as a line of text. */
export function explainLine({ path, isDirectory, included, reason }: Explanation): string {
  const kind = isDirectory ? 'directory' : 'file';
  return `${included ? 'Included' : 'Excluded'} ${kind} ${showPath(path)}${isDirectory ? '/' : ''}: ${reason}`;
}

/** Describes the rule behind a verdict. */
export function describeVerdict({ builtIn, later, ignored, gitRule, isBroughtBack }: Verdict): string {
  if (later) return describeRule(later);
  if (!ignored && !isBroughtBack && builtIn) return describeRule(builtIn);
  if (gitRule) return describeRule({ ...gitRule, text: Buffer.from(gitRule.text, 'latin1').toString() });
  return ignored ? 'its directory is ignored by git' : 'no rule matches';
}

export function describeRule({ text, file, line }: Rule): string {
  return `rule ${JSON.stringify(text)} of ${file}, line ${line}`;
}
