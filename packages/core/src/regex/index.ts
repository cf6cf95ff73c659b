export { compilePattern, type Pattern, type PatternOptions } from './compile-pattern.ts';
export { describeForeign, describeGrepReading, isBeyondAscii, NOT_UTF8, readAsGrep } from './other-readings.ts';
export { WHOLE_BREAK } from './piece.ts';
export { parseReplacement, type ReplacementPart } from './replacement.ts';
