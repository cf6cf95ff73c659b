export { compilePattern, type Pattern, type PatternOptions } from './compile-pattern.ts';
export { readAsGrep, tellGrepReading } from './grep-reading.ts';
export { parseReplacement, type ReplacementPart } from './replacement.ts';
