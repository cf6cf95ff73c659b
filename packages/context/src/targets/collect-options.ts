import type { Explanation } from '../rules/explanation.ts';
import type { RuleOptions } from '../rules/rule-lists.ts';
import type { TokenCounter } from '../tokens/tokens.ts';
import type { Candidate } from './candidate.ts';

/** Files of one directory that are taken at once. */
export interface TakenDirectory {
  /** What comes before a name in its path. */
  readonly prefix: string;
  readonly names: readonly string[];
  /** True when all names are printable ASCII. */
  readonly arePlain: boolean;
  candidateOf(name: string): Candidate;
}

export interface CollectOptions extends RuleOptions {
  /** Absolute paths that this run writes. They are left out whatever the rules say. */
  readonly ownOutputs?: readonly string[] | undefined;
  /** Absolute paths; when given, nothing else is taken in. */
  readonly only?: ReadonlySet<string> | undefined;
  /**
   * True for a program that does this and ends, with targets that its user named: those are opened whatever they are,
   * while an agent's are guarded.
   */
  readonly opensNamed?: boolean | undefined;
  readonly checkpoint: () => Promise<void>;
  /**
   * Called with the files of a directory at once where that is possible, instead of a visit for each. A promise is awaited.
   */
  readonly takeFiles?: ((directory: TakenDirectory) => Promise<void> | undefined) | undefined;
  /** Called at the end with sentences on what the built-in rules left out. */
  readonly tell?: ((sentence: string) => void) | undefined;
  /** Counts the tokens of what was left out. */
  readonly counter?: TokenCounter | undefined;
  /** Called with what was decided on each file and directory. */
  readonly explain?: ((explanation: Explanation) => void) | undefined;
}
