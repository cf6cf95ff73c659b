export { compilePattern, type Pattern, type PatternOptions } from './compile-pattern.ts';
export { describeGrepReading, readAsGrep } from './grep-reading.ts';
export { parseReplacement, type ReplacementPart } from './replacement.ts';
