export { compilePattern, type Pattern, type PatternOptions } from './compile-pattern.ts';
export { describeForeign, isBeyondAscii, NOT_UTF8 } from './foreign-files.ts';
export { describeGrepReading, readAsGrep } from './grep-reading.ts';
export { WHOLE_BREAK } from './piece.ts';
export { parseReplacement, type ReplacementPart } from './replacement.ts';
