import type { Explanation } from '../rules/explanation.ts';
import type { RuleOptions } from '../rules/rule-lists.ts';
import type { TokenCounter } from '../tokens/tokens.ts';
import type { Candidate } from './candidate.ts';

/** Files of one directory that are taken at once. */
export interface TakenDirectory {
  /** The path before each name. */
  readonly prefix: string;
  readonly names: readonly string[];
  /** True when all names are printable ASCII. */
  readonly arePlain: boolean;
  candidateOf(name: string): Candidate;
}

export interface CollectOptions extends RuleOptions {
  /** Absolute paths that this run writes. They are left out whatever the rules say. */
  readonly ownOutputs?: readonly string[] | undefined;
  /** Absolute paths; if present, only these are taken in. */
  readonly only?: ReadonlySet<string> | undefined;
  /**
   * True for a program that collects once and ends, with targets that its user named: those are opened whatever they
   * are, while an agent's are guarded.
   */
  readonly opensNamed?: boolean | undefined;
  readonly checkpoint: () => Promise<void>;
  /**
   * Gets all files of a directory at once where that is possible, instead of a visit for each. A promise is awaited.
   */
  readonly takeFiles?: ((directory: TakenDirectory) => Promise<void> | undefined) | undefined;
  /** Hears at the end sentences on the files that the built-in rules left out. */
  readonly onOmissions?: ((sentence: string) => void) | undefined;
  /** Counts the tokens of the files that were left out. */
  readonly counter?: TokenCounter | undefined;
  /** Hears the decision on each file and directory. */
  readonly explain?: ((explanation: Explanation) => void) | undefined;
}
