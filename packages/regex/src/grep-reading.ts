import { ToolError } from '@jinn/errors';
import { compilePattern, type Pattern, type PatternOptions } from './compile-pattern.ts';

/** A pattern as grep reads it without -E. */
export interface GrepReading {
  readonly pattern: Pattern;
  /** What is an operator there, and a plain character here. */
  readonly escapes: ReadonlySet<string>;
}

/** Reads a pattern as grep does, to which `\|`, `\(`, `\{` and `\+` are operators; undefined if it has none of them. */
export function readAsGrep(options: PatternOptions): GrepReading | undefined {
  const escapes = new Set<string>();
  const text = options.pattern.replace(/\\([\s\S])/g, (escaped, char) => {
    if (!'|(){}+'.includes(char)) return escaped;
    escapes.add(escaped);
    return char;
  });
  if (options.literal || escapes.size === 0) return undefined;
  try {
    return { pattern: compilePattern({ ...options, pattern: text }), escapes };
  } catch (error) {
    if (error instanceof ToolError) return undefined;
    throw error;
  }
}

/**
 * Says what that reading finds of a pattern that found nothing: `count` matches, undefined if there was no time to count
 * them. A pattern without `\|` that finds nothing either way most likely meant what it says.
 */
export function describeGrepReading({ escapes }: GrepReading, count: number | undefined): string | undefined {
  if (count === 0 && !escapes.has('\\|')) return undefined;
  const listed = [...escapes].join(' ');
  const what = escapes.size === 1 ? `is a literal ${listed.slice(1)}` : 'are literal characters';
  const found = count === undefined ? 'was not tried in time' : `has ${count} ${count === 1 ? 'match' : 'matches'}`;
  return `${listed} ${what}: without the backslash, the pattern ${found}`;
}
