import { Parser } from './parser.ts';

/** How a pattern treats line ends. */
export type Lines =
  /** `^` and `$` match at every line, and no match crosses a line end. */
  | 'single'
  /** `^` and `$` match at every line; a match may cross lines. */
  | 'across'
  /** `^` and `$` match only at the ends of the text. */
  | 'none';

export interface PatternOptions {
  readonly pattern: string;
  /** True if the pattern is plain text. */
  readonly literal?: boolean;
  readonly caseInsensitive: boolean;
  readonly lines: Lines;
  /** The suggestion of the error for a bad pattern. */
  readonly suggestion: string;
  /** The suggestion for a line end in a pattern of `lines: 'single'`, if the caller has a way to cross lines. */
  readonly acrossSuggestion?: string;
}

/** One pattern, written for both engines. */
export interface Pattern {
  /** The pattern for ripgrep. */
  readonly rust: string;
  /**
   * True if ripgrep finds the same matches as JavaScript. Otherwise `rust` leaves out the parts that ripgrep does not
   * know, such as look-around, or puts them into the match: a file that holds a match of the pattern holds one of
   * `rust`, and perhaps more.
   */
  readonly isExact: boolean;
  /** The pattern with which ripgrep finds the same matches as JavaScript in UTF-8; undefined if `rust` does or none does. */
  readonly rustUtf8: string | undefined;
  /** The source and the flags of a RegExp, without `g`. */
  readonly js: string;
  readonly flags: string;
  /** The name of each group, in the order of their numbers; undefined for a group without a name. */
  readonly groups: readonly (string | undefined)[];
  readonly caseInsensitive: boolean;
}

/**
 * Compiles a pattern of the dialect that docs/searching.md describes. In the text that it matches, a line feed is the line
 * end of Unix and of Windows, and a byte that is not UTF-8 is one character. Both engines treat `\w`, `\d`, `\s`, `\b` and
 * case as Unicode does. Throws `invalid_regex`; the message names the position of the mistake, in characters from 1.
 */
export function compilePattern(options: PatternOptions): Pattern {
  const parsed = new Parser(options).parse();
  return { ...parsed, flags: parsed.caseInsensitive ? 'iv' : 'v' };
}
