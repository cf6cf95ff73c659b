import { Parser } from './parser.ts';

/** How a pattern sees lines. */
export type Lines =
  /** `^` and `$` match at every line, and no match crosses a line. */
  | 'single'
  /** `^` and `$` match at every line; a match may cross lines. */
  | 'across'
  /** `^` and `$` match at the ends of the text alone. */
  | 'none';

export interface PatternOptions {
  readonly pattern: string;
  /** The pattern is plain text. Its line breaks stand for those of either system. */
  readonly literal?: boolean;
  readonly caseInsensitive: boolean;
  readonly lines: Lines;
  /** What the error of a bad pattern advises. */
  readonly suggestion: string;
}

/** One pattern, for both engines. */
export interface Pattern {
  /** For ripgrep; undefined when it has what ripgrep's engine has not (look-around), or not right. */
  readonly rust: string | undefined;
  /** For JavaScript's RegExp, with its flags (`g` is left to the caller). */
  readonly js: string;
  readonly flags: string;
  readonly caseInsensitive: boolean;
  /** The text that alone matches, in one line and in its own case; undefined for a pattern that is more than that. */
  readonly plain: string | undefined;
}

/**
 * Compiles a pattern of jinn's one dialect (docs/searching.md). Throws `invalid_regex`, which names the place, in
 * characters from 1. What is Unicode is Unicode in both engines: `\w`, `\d`, `\s`, `\b`, and case.
 */
export function compilePattern(options: PatternOptions): Pattern {
  const { rust, js, caseInsensitive } = new Parser(options).parse();
  return { rust, js, flags: caseInsensitive ? 'iv' : 'v', caseInsensitive, plain: plainOf(options) };
}

function plainOf({ pattern, literal, caseInsensitive }: PatternOptions): string | undefined {
  const isPlain = literal ? !/[\r\n]/.test(pattern) : !/[\\.*+?()[\]{}^$|\r\n]/.test(pattern);
  return isPlain && !caseInsensitive && pattern !== '' ? pattern : undefined;
}
