import { ToolError } from '../errors/index.ts';
import { compilePattern, type Pattern, type PatternOptions } from './compile-pattern.ts';

/** A pattern in the way that grep reads it without -E. */
export interface GrepReading {
  readonly pattern: Pattern;
  /** The texts that are operators there, and plain characters here. */
  readonly escapes: ReadonlySet<string>;
}

/**
 * Reads a pattern as grep does, for which `\|`, `\(`, `\{` and `\+` are operators; undefined if it has none of them.
 */
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
 * Describes what a pattern without matches would find as grep reads it: `count` matches, undefined if there was no time
 * to count them. Returns undefined for a pattern without `\|` that finds nothing either way, which most likely meant
 * what it says.
 */
export function describeGrepReading({ escapes }: GrepReading, count: number | undefined): string | undefined {
  if (count === 0 && !escapes.has('\\|')) return undefined;
  const listed = [...escapes].join(' ');
  const what = escapes.size === 1 ? `is a literal ${listed.slice(1)}` : 'are literal characters';
  const found = count === undefined ? 'was not tried in time' : `has ${count} ${count === 1 ? 'match' : 'matches'}`;
  return `${listed} ${what}: without the backslash, the pattern ${found}`;
}
