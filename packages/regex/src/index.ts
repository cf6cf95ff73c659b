export { compilePattern, type Pattern } from './compile-pattern.ts';
