import type { SourceError } from './summarize.ts';

const MAX_SHOWN = 10;
const MAX_MESSAGE = 300;

interface Finding extends SourceError {
  readonly isError: boolean;
}

interface Pattern {
  /** Matches a text that must be in the output or the command, if the lines alone could be anything. */
  readonly only?: (lines: readonly string[], command: string) => boolean;
  /** Has groups named file, line, column, severity and message. Without a severity it is an error. */
  readonly regex: RegExp;
}

const isGo = (lines: readonly string[], command: string) =>
  /\bgo\b/.test(command) || lines.some((line) => /^# \S+$/.test(line));

/** A report that fits on one line. */
const ONE_LINE: readonly Pattern[] = [
  // tsc, and the compilers of .NET: a.ts(1,9): error TS1109: Expression expected.
  { regex: /^\s*(?<file>[^()]+)\((?<line>\d+),(?<column>\d+)\): (?<severity>error|warning) (?<message>\w+: .*)$/ },
  // tsc --pretty: b.ts:1:9 - error TS1109: Expression expected.
  { regex: /^(?<file>[^:\s]+):(?<line>\d+):(?<column>\d+) - (?<severity>error|warning) (?<message>.*)$/ },
  // gcc and clang: a.c:3:27: error: 'x' undeclared
  { regex: /^(?<file>[^:]+):(?<line>\d+):(?<column>\d+): (?:fatal )?(?<severity>error|warning): (?<message>.*)$/ },
  // javac: A.java:1: error: cannot find symbol. Gradle writes the name of the task before the first one.
  { regex: /^(?::[\w:]*\w)?(?<file>[^:]+\.\w+):(?<line>\d+): (?<severity>error|warning): (?<message>.*)$/ },
  // Maven: [ERROR] /src/A.java:[3,24] cannot find symbol
  { regex: /^\[(?<severity>ERROR|WARNING)\] (?<file>[^:]+):\[(?<line>\d+),(?<column>\d+)\] (?<message>.*)$/ },
  // Kotlin in Gradle: e: file:///src/A.kt:3:5 Unresolved reference
  { regex: /^(?<severity>[ew]): (?:file:\/\/)?(?<file>[^:]+):(?<line>\d+):(?<column>\d+):? (?<message>.*)$/ },
  // go build and go vet: bad/bad.go:4:12: y declared but not used
  { only: isGo, regex: /^(?:vet: )?(?<file>[^:\s]+\.go):(?<line>\d+):(?<column>\d+): (?<message>.*)$/ },
];

/** Counts errors and warnings, and finds the first errors with their places. Returns undefined if there are none. */
export function summarizeBuild(lines: readonly string[], command: string) {
  const patterns = ONE_LINE.filter(({ only }) => only === undefined || only(lines, command));
  const findings = new Map<string, Finding>();
  let [bare, file] = [0, ''];
  for (const [index, line] of lines.entries()) {
    if (/^\/?\S.*\.\w+$/.test(line) && !line.includes(':')) file = line;
    const finding = matchLine(line, patterns) ?? rustFinding(lines, index) ?? eslintFinding(line, file);
    // Some tools repeat their errors at the end.
    if (finding) findings.set(JSON.stringify(finding), finding);
    else if (isBareError(line)) bare++;
  }
  const all = [...findings.values()];
  const errors = all.filter(({ isError }) => isError);
  const warnings = all.length - errors.length;
  if (all.length + bare === 0) return undefined;
  const first = errors.slice(0, MAX_SHOWN).map(({ isError: _, ...error }) => error);
  return { errors: errors.length + bare, warnings, ...(first.length > 0 && { first_errors: first }) };
}

function matchLine(line: string, patterns: readonly Pattern[]): Finding | undefined {
  if (!/\d/.test(line)) return undefined;
  for (const { regex } of patterns) {
    const groups = regex.exec(line)?.groups;
    if (groups) return toFinding(groups);
  }
  return undefined;
}

function toFinding(groups: Readonly<Record<string, string | undefined>>): Finding {
  const { file = '', line, column, severity = 'error', message = '' } = groups;
  return {
    file,
    line: Number(line),
    ...(column !== undefined && { column: Number(column) }),
    message: message.slice(0, MAX_MESSAGE),
    isError: severity.toLowerCase().startsWith('e'),
  };
}

/** Reads a finding of rustc, which says what is wrong, and on the next line where: ` --> src/lib.rs:1:21`. */
function rustFinding(lines: readonly string[], index: number): Finding | undefined {
  const [, severity, code = '', message] = /^(error|warning)(\[\w+\])?: (.*)$/.exec(lines[index] ?? '') ?? [];
  const place = /^\s*--> (?<file>[^:]+):(?<line>\d+):(?<column>\d+)$/.exec(lines[index + 1] ?? '')?.groups;
  return place && toFinding({ ...place, severity, message: `${message}${code && ` ${code}`}` });
}

/** Reads a finding of eslint, which names the file on its own line: `  2:1  error  'foo' is not defined  no-undef`. */
function eslintFinding(text: string, file: string): Finding | undefined {
  const [, line, column, severity, message = ''] = /^\s+(\d+):(\d+)\s+(error|warning)\s+(\S.*)$/.exec(text) ?? [];
  if (line === undefined || file === '') return undefined;
  return toFinding({ file, line, column, severity, message: message.replace(/ {2,}(?=\S+$)/, ' — ') });
}

function isBareError(line: string): boolean {
  return /: undefined reference to |^ld: (symbol|undefined)|^Undefined symbols/.test(line);
}
