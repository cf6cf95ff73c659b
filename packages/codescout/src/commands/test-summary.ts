const MAX_FAILURES = 20;

interface Tests {
  /** Undefined if the runner does not say. */
  readonly passed: number | undefined;
  readonly failed: number;
  readonly skipped?: number | undefined;
  readonly failures: readonly string[];
}

type ReportReader = (lines: readonly string[]) => Tests | undefined;

/** Finds the numbers of tests of a run, and the names of those that failed. */
export function summarizeTests(lines: readonly string[]) {
  for (const recognize of RUNNERS) {
    const tests = recognize(lines);
    if (tests) return shown(tests);
  }
  return undefined;
}

function shown({ passed, failed, skipped, failures }: Tests) {
  const names = [...new Set(failures)];
  return {
    ...(passed !== undefined && { passed }),
    failed,
    ...(skipped && { skipped }),
    ...(names.length > 0 && { failures: names.slice(0, MAX_FAILURES) }),
    ...(names.length > MAX_FAILURES && { more_failures: names.length - MAX_FAILURES }),
  };
}

function found(lines: readonly string[], pattern: RegExp): string[] {
  return lines.flatMap((line) => pattern.exec(line)?.[1]?.trim() ?? []);
}

/** Returns a function that reads the number before a word in a text such as `2 failed, 1 skipped`. */
function countsIn(text: string): (word: RegExp) => number {
  const counts = [...text.matchAll(/(\d+)\s+([a-z]+)/g)];
  return (word) => counts.reduce((sum, [, count, name = '']) => sum + (word.test(name) ? Number(count) : 0), 0);
}

/** Recognizes vitest: ` Tests  1 failed | 2 passed (3)`, and ` FAIL  file > suite > test`. */
const vitest: ReportReader = (lines) => {
  const [files] = found(lines, /^\s*Test Files\s+(.*)$/);
  if (files === undefined) return undefined;
  const of = countsIn(found(lines, /^\s*Tests\s+(.*)$/)[0] ?? '');
  const failures = found(lines, /^\s*FAIL\s+(.*)$/);
  const brokenFiles = failures.filter((name) => !name.includes(' > ')).length;
  return { passed: of(/^passed$/), failed: of(/^failed$/) + brokenFiles, skipped: of(/^(skipped|todo)$/), failures };
};

/** Recognizes jest: `Tests:       1 failed, 2 passed, 3 total`, and below `FAIL file` lines as `  ● suite › test`. */
const jest: ReportReader = (lines) => {
  const [counts] = found(lines, /^Tests:\s+(.*\d+ total)$/);
  if (counts === undefined || found(lines, /^(Test Suites:)/).length === 0) return undefined;
  const failures: string[] = [];
  let file = '';
  for (const line of lines) {
    file = /^FAIL (\S+)/.exec(line)?.[1] ?? file;
    const name = /^ {2}● (.*)$/.exec(line)?.[1];
    if (name !== undefined && name !== 'Console') failures.push(`${file} › ${name}`);
  }
  const of = countsIn(counts);
  const broken = failures.filter((name) => name.endsWith('Test suite failed to run')).length;
  return { passed: of(/^passed$/), failed: of(/^failed$/) + broken, skipped: of(/^(skipped|todo)$/), failures };
};

/** Recognizes pytest: `== 1 failed, 2 passed in 0.1s ==`, and `FAILED file::test - message`. */
const pytest: ReportReader = (lines) => {
  const counts = found(lines, /^(?:=+ )?((?:\d+ [a-z]+(?:, )?)+) in [\d.]+s\b/).at(-1);
  if (counts === undefined) return undefined;
  const of = countsIn(counts);
  const failures = lines
    .filter((line) => /^(FAILED|ERROR) \S+(::| - )/.test(line))
    .map((line) => line.replace(/^\w+ /, ''));
  const skipped = of(/^(skipped|xfailed|deselected)$/);
  return { passed: of(/^(passed|xpassed)$/), failed: of(/^(failed|errors?)$/), skipped, failures };
};

/**
 * Recognizes go test: `--- FAIL: Test (0.00s)`, and `ok` or `FAIL` with a package. Without -v, it does not say how many
 * tests passed.
 */
const goTest: ReportReader = (lines) => {
  const packages = found(lines, /^(?:ok|FAIL|---|\?) {0,2}\t(\S+)\t/);
  if (packages.length === 0) return undefined;
  const names = found(lines, /^\s*--- FAIL: (\S+)/);
  const inner = names.filter((name) => !names.some((other) => other.startsWith(`${name}/`)));
  const passed = found(lines, /^\s*--- PASS: (\S+)/).length;
  const broken = found(lines, /^FAIL\t(\S+ \[.*\])$/);
  const isVerbose = lines.some((line) => line.startsWith('=== RUN '));
  const skipped = found(lines, /^\s*--- SKIP: (\S+)/).length;
  const failures = [...inner, ...broken];
  return { passed: isVerbose ? passed : undefined, failed: failures.length, skipped, failures };
};

/**
 * Recognizes cargo test: `test result: FAILED. 1 passed; 1 failed; 1 ignored`, one for each program of tests, and
 * `test name ... FAILED`.
 */
const cargoTest: ReportReader = (lines) => {
  const results = found(lines, /^test result: \w+\. (.*)$/);
  if (results.length === 0) return undefined;
  const of = countsIn(results.join(' '));
  const failures = found(lines, /^test (.*) \.\.\. FAILED/);
  return { passed: of(/^passed$/), failed: of(/^failed$/), skipped: of(/^ignored$/), failures };
};

const MAVEN_TOTAL = /^(?:\[\w+\] )?Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)\s*$/;

/** Recognizes Maven: `Tests run: 4, Failures: 1, Errors: 1, Skipped: 1`, one for each module, and failures above it. */
const maven: ReportReader = (lines) => {
  const totals = lines.flatMap((line) => {
    const counts = MAVEN_TOTAL.exec(line)?.slice(1).map(Number);
    return counts ? [counts] : [];
  });
  if (totals.length === 0) return undefined;
  const sum = (index: number) => totals.reduce((all, counts) => all + (counts[index] ?? 0), 0);
  const failed = sum(1) + sum(2);
  return { passed: sum(0) - failed - sum(3), failed, skipped: sum(3), failures: found(lines, /^\[ERROR\] {3}(\S.*)$/) };
};

/** Recognizes Gradle: `4 tests completed, 2 failed, 1 skipped`, and `SumTest > adds FAILED`. */
const gradle: ReportReader = (lines) => {
  const counts = found(lines, /^(\d+ tests? completed.*)$/);
  const failures = found(lines, /^(\S.* > .*) FAILED$/);
  if (counts.length === 0) return undefined;
  const of = countsIn(
    counts.join(' ').replaceAll('tests completed', 'completed').replaceAll('test completed', 'completed'),
  );
  const [failed, skipped] = [of(/^failed$/), of(/^skipped$/)];
  return { passed: of(/^completed$/) - failed - skipped, failed, skipped, failures };
};

/**
 * Recognizes dotnet test: `Failed!  - Failed: 1, Passed: 2, Skipped: 0, Total: 3`, one for each project, and
 * `  Failed name [12 ms]`.
 */
const dotnet: ReportReader = (lines) => {
  const totals = lines.flatMap((line) => {
    const counts = /^\s*\w+!\s+- Failed:\s*(\d+), Passed:\s*(\d+), Skipped:\s*(\d+)/.exec(line)?.slice(1).map(Number);
    return counts ? [counts] : [];
  });
  if (totals.length === 0) return undefined;
  const sum = (index: number) => totals.reduce((all, counts) => all + (counts[index] ?? 0), 0);
  return { passed: sum(1), failed: sum(0), skipped: sum(2), failures: found(lines, /^\s+Failed (.+?) \[[^\]]*\]$/) };
};

/** Recognizes the test runner of Node: `ℹ pass 2` or `# pass 2`, and `✖ name (1ms)` or `not ok 1 - name`. */
const nodeTest: ReportReader = (lines) => {
  const count = (word: string) => found(lines, new RegExp(`^[#ℹ] ${word} (\\d+)$`)).at(-1);
  const [passed, failed] = [count('pass'), count('fail')];
  if (passed === undefined || failed === undefined) return undefined;
  const failures = found(lines, /^\s*(?:not ok \d+ - |✖ )(.+?)(?: \([\d.]+ms\))?$/).filter(
    (name) => name !== 'failing tests:',
  );
  return { passed: Number(passed), failed: Number(failed), skipped: Number(count('skipped') ?? 0), failures };
};

const RUNNERS: readonly ReportReader[] = [vitest, jest, pytest, cargoTest, maven, gradle, dotnet, nodeTest, goTest];
