import { ToolError } from '../errors/index.ts';
import { compilePattern, type Pattern, type PatternOptions } from './compile-pattern.ts';

export interface GrepReading {
  readonly pattern: Pattern;
  /** The texts that are operators in grep, and plain characters here. */
  readonly escapes: ReadonlySet<string>;
}

/** Reads a pattern as grep does without -E, or undefined if it has no `\|`, `\(`, `\{` or `\+`. */
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

/** Describes what a pattern without matches would find as grep reads it. `count` is undefined if there was no time. */
export function describeGrepReading({ escapes }: GrepReading, count: number | undefined): string | undefined {
  if (count === 0 && !escapes.has('\\|')) return undefined;
  const listed = [...escapes].join(' ');
  const what = escapes.size === 1 ? `is a literal ${listed.slice(1)}` : 'are literal characters';
  const found = count === undefined ? 'was not tried in time' : `has ${count} ${count === 1 ? 'match' : 'matches'}`;
  return `${listed} ${what}: without the backslash, the pattern ${found}`;
}

const LEADS = '[\\xc2-\\xf4]|[\\xe0-\\xf4][\\x80-\\xbf]|[\\xf0-\\xf4][\\x80-\\xbf]{2}';
const WHOLE = '^|[\\x00-\\x7f]|[\\xc2-\\xdf][\\x80-\\xbf]|[\\xe0-\\xef][\\x80-\\xbf]{2}|[\\xf0-\\xf4][\\x80-\\xbf]{3}';
const NEVER = '[\\xc0\\xc1\\xf5-\\xff]|\\xe0[\\x80-\\x9f]|\\xed[\\xa0-\\xbf]|\\xf0[\\x80-\\x8f]|\\xf4[\\x90-\\xbf]';

/** Matches in each line that is not UTF-8: a character that ends too early, a byte behind one, or a byte of none. */
export const NOT_UTF8: Pattern = {
  rust: `(?-u:(?:${LEADS})(?:[^\\x80-\\xbf]|$)|(?:${WHOLE})[\\x80-\\xbf]|${NEVER})`,
  rustUtf8: undefined,
  isExact: true,
  js: '[\\udc80-\\udcff]',
  flags: 'v',
  groups: [],
  caseInsensitive: false,
};

/** Reports whether a pattern names a character that is not ASCII. In a file that is not UTF-8 there is none. */
export function isBeyondAscii({ rust }: Pattern): boolean {
  return /\\x\{[0-9a-f]{3,}\}|\\x\{[89a-f][0-9a-f]\}/.test(rust);
}

/** Describes why a pattern beyond ASCII may have missed a match. Undefined if all files are UTF-8. */
export function describeForeign(count: number): string | undefined {
  if (count === 0) return undefined;
  return `${count} ${count === 1 ? 'file is' : 'files are'} not UTF-8: text outside ASCII was not matched there. A . matches one byte of it`;
}
