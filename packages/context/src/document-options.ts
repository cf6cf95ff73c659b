import type { Recency } from '@jinn/git/git-log';
import type { FormatName, Section } from './document/formats.ts';
import type { RewriteOptions } from './document/rewrite.ts';
import type { SecretMode } from './secrets/secret-watch.ts';
import type { CollectOptions } from './targets/collect-options.ts';
import type { TokenCounter } from './tokens/tokens.ts';

/** What is read, and the form in which it is written. */
interface ContentOptions {
  /** The most files that may be looked at; any number if absent. */
  readonly maxFiles?: number | undefined;
  /** The most file content, in MB of 1024 * 1024. */
  readonly sizeLimitMb: number;
  /** True if the caller has no way to raise the limit. */
  readonly isLimitFinal?: boolean | undefined;
  /** How to look for secrets before anything is written; undefined to not look. */
  readonly secrets?: SecretMode | undefined;
  readonly format?: FormatName | undefined;
  readonly lineNumbers?: boolean | undefined;
  /** The sections before the files. */
  readonly tree?: boolean | undefined;
  readonly summary?: boolean | undefined;
  readonly sections?: ((paths: readonly string[]) => Promise<readonly Section[]>) | undefined;
  /** True to leave out the bodies of functions of all files, or of those for which the function returns true. */
  readonly compress?: boolean | ((path: string) => boolean) | undefined;
  /** Reports whether the file at a path is replaced by its outline. */
  readonly isOutlined?: ((path: string) => boolean) | undefined;
  /** Puts the files that changed last at the end, by the times of `recent`. */
  readonly sortsByChange?: boolean | undefined;
  /** Returns what changed lately, by absolute path; called only with a budget, or to sort. */
  readonly recent?: (() => Promise<ReadonlyMap<string, Recency>>) | undefined;
  /** Begins a new part of the document when one has this many bytes. A file is never split. */
  readonly splitBytes?: number | undefined;
}

/** How much of the files is written, if there is a budget. */
interface BudgetOptions {
  /** The most tokens that the document may have. */
  readonly maxTokens?: number | undefined;
  /** The most bytes of a document with a budget. */
  readonly maxBytes?: number | undefined;
  /** A text, a path or a name by which files of a budget are ranked. */
  readonly focus?: string | undefined;
  /** Which part of the files to return, from 1, if they do not fit into the budget. */
  readonly part?: number | undefined;
  /** Returns a sentence for the list of omissions that says how to get the next part. */
  readonly more?: ((nextPart: number) => string) | undefined;
}

interface DumpHooks {
  /** Hears the bytes of each file that was read. */
  readonly onFile?: ((bytes: number) => void) | undefined;
  /** Hears that a file is read once more to be shortened. */
  readonly onShortened?: ((path: string) => void) | undefined;
  /** Hears of each file that is written, and its tokens. */
  readonly onWritten?: ((path: string, tokens: number) => void) | undefined;
  /** Hears a line for each file of a budget: its form in the document, and why. */
  readonly explainBudget?: ((lines: readonly string[]) => void) | undefined;
}

/** The options of a document. */
export interface DumpOptions extends CollectOptions, RewriteOptions, ContentOptions, BudgetOptions, DumpHooks {
  readonly counter: TokenCounter;
}
