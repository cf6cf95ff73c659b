import { summarizeBuild } from './build-summary.ts';
import { toLines } from './shown-output.ts';
import { summarizeTests } from './test-summary.ts';

/** A longer line is not a report of a test or an error, and patterns would take long on it. */
const MAX_LINE = 400;

/** A place in a source file, with what is wrong there. */
export interface SourceError {
  readonly file: string;
  readonly line: number;
  readonly column?: number;
  readonly message: string;
}

/** What a command reported: its tests, or the errors and warnings of a build or a linter. */
export interface Summary {
  readonly type: 'test' | 'build';
  readonly passed?: number;
  readonly failed?: number;
  readonly skipped?: number;
  /** The tests that failed. */
  readonly failures?: readonly string[];
  readonly more_failures?: number;
  readonly errors?: number;
  readonly warnings?: number;
  readonly first_errors?: readonly SourceError[];
}

/**
 * Recognizes the reports of test runners, compilers and linters in the output of a command. Returns undefined for any
 * other output. `command` decides where the output alone could be anything.
 */
export function summarize(command: string, stdout: string, stderr: string): Summary | undefined {
  const lines = [...toLines(stdout), ...toLines(stderr)].map((line) => line.slice(0, MAX_LINE));
  const build = summarizeBuild(lines, command);
  const tests = summarizeTests(lines);
  if (tests) return { type: 'test', ...tests, ...(build && build.errors > 0 && build) };
  return build && { type: 'build', ...build };
}
