export { compilePattern, maxSteps, type Pattern } from './compile-pattern.ts';
