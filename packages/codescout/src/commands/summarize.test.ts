import fs from 'node:fs';
import path from 'node:path';
import { EscapeCodes } from '@jinn/shell/escape-codes';
import { countProcessorTime } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { summarize } from './summarize.ts';

/** What a program really wrote, recorded, without its escape codes as a capture leaves them out. */
function recorded(name: string): string {
  const parts: Buffer[] = [];
  const codes = new EscapeCodes({ keepsColor: false }, (bytes) => parts.push(Buffer.from(bytes)));
  codes.push(fs.readFileSync(path.join(import.meta.dirname, '../fixture/outputs', `${name}.txt`)));
  codes.finish();
  return Buffer.concat(parts).toString();
}

test.for([
  ['jest', 2, 2, 1, ['./sum.test.js › sum › adds negative numbers', './list.test.js › reads a missing key']],
  ['jest-pass', 2, 0, 1, undefined],
  ['vitest', 1, 2, 1, ['broken.test.ts [ broken.test.ts ]', 'sum.test.ts > sum > adds negative numbers']],
  ['vitest-pass', 2, 0, 1, undefined],
  [
    'pytest',
    1,
    2,
    1,
    [
      'test_sum.py::test_adds_negative - assert (-1 + -2) == -4',
      'test_sum.py::test_with_fixture - RuntimeError: no database',
    ],
  ],
  ['pytest-q', 1, 2, 1, expect.any(Array)],
  ['pytest-pass', 1, 0, undefined, undefined],
  ['go', undefined, 1, undefined, ['TestNegative/both']],
  ['go-v', 2, 1, 1, ['TestNegative/both']],
  ['cargo-test', 1, 1, 1, ['tests::adds_negative']],
  [
    'maven',
    1,
    2,
    1,
    [
      'SumTest.addsNegative:4 expected:<-4> but was:<-3>',
      'SumTest.breaks:5 NullPointer Cannot invoke "Object.toString()" because "o" is ...',
    ],
  ],
  ['gradle', 1, 2, 1, ['SumTest > breaks', 'SumTest > addsNegative']],
  ['node-test', 1, 1, 1, ['fails']],
  ['node-spec', 1, 1, 1, ['fails']],
] as const)('counts the tests of %s, and names those that failed', ([name, passed, failed, skipped, failures]) => {
  const summary = summarize('npm test', recorded(name), '');
  expect(summary).toMatchObject({ type: 'test', failed });
  expect([summary?.passed, summary?.skipped]).toEqual([passed, skipped]);
  if (failures)
    expect([...(summary?.failures ?? [])].sort()).toEqual(Array.isArray(failures) ? [...failures].sort() : failures);
  else expect(summary?.failures).toBeUndefined();
});

/** Not recorded: the tools of .NET do not install from npm or Debian. */
const DOTNET_TEST = `  Failed Sums.Tests.AddsNegative [12 ms]
  Error Message:
   Assert.Equal() Failure
Failed!  - Failed:     1, Passed:     2, Skipped:     1, Total:     4, Duration: 26 ms - Sums.Tests.dll (net8.0)
Passed!  - Failed:     0, Passed:     3, Skipped:     0, Total:     3, Duration: 9 ms - More.Tests.dll (net8.0)
`;
const DOTNET_BUILD = `/src/Sum.cs(3,16): error CS0029: Cannot implicitly convert type 'string' to 'int' [/src/Sums.csproj]
/src/Sum.cs(5,9): warning CS0219: The variable 'x' is assigned but its value is never used [/src/Sums.csproj]

Build FAILED.

/src/Sum.cs(5,9): warning CS0219: The variable 'x' is assigned but its value is never used [/src/Sums.csproj]
/src/Sum.cs(3,16): error CS0029: Cannot implicitly convert type 'string' to 'int' [/src/Sums.csproj]
    1 Warning(s)
    1 Error(s)
`;

test('reads the reports of .NET, which repeat their errors', () => {
  expect(summarize('dotnet test', DOTNET_TEST, '')).toEqual({
    type: 'test',
    passed: 5,
    failed: 1,
    skipped: 1,
    failures: ['Sums.Tests.AddsNegative'],
  });
  expect(summarize('dotnet build', DOTNET_BUILD, '')).toMatchObject({
    type: 'build',
    errors: 1,
    warnings: 1,
    first_errors: [{ file: '/src/Sum.cs', line: 3, column: 16, message: expect.stringContaining('CS0029') }],
  });
});

test.for([
  ['tsc', 'npx tsc', 1, 0, { file: 'b.ts', line: 1, column: 9, message: 'TS1109: Expression expected.' }],
  ['tsc-pretty', 'npx tsc', 1, 0, { file: 'b.ts', line: 1, column: 9, message: 'TS1109: Expression expected.' }],
  [
    'eslint',
    'npx eslint .',
    3,
    1,
    { file: '/home/user/eslint/a.js', line: 2, column: 1, message: "'foo' is not defined — no-undef" },
  ],
  ['gcc', 'gcc a.c', 1, 3, { file: 'a.c', line: 3, column: 27, message: expect.stringContaining('undeclared') }],
  ['make', 'make', 1, 3, { file: 'a.c', line: 3, column: 27, message: expect.stringContaining('undeclared') }],
  ['javac', 'javac A.java', 2, 0, { file: 'A.java', line: 1, message: expect.stringContaining('incompatible types') }],
  [
    'go-build',
    'go build ./...',
    2,
    0,
    { file: 'bad/bad.go', line: 3, column: 23, message: expect.stringContaining('cannot use "x"') },
  ],
  ['go-vet', 'make vet', 1, 0, { file: 'bad/bad.go', line: 3, column: 23, message: expect.any(String) }],
  [
    'cargo-build',
    'cargo build',
    2,
    0,
    { file: 'src/lib.rs', line: 1, column: 21, message: 'mismatched types [E0308]' },
  ],
  [
    'maven-compile',
    'mvn compile',
    1,
    0,
    {
      file: '/home/user/mvn/src/main/java/Sum.java',
      line: 1,
      column: 51,
      message: expect.stringContaining('incompatible'),
    },
  ],
  [
    'gradle-compile',
    'gradle test',
    1,
    0,
    { file: '/home/user/gradle/src/main/java/Sum.java', line: 1, message: expect.stringContaining('incompatible') },
  ],
] as const)('counts the errors of %s, and finds the first', ([name, command, errors, warnings, first]) => {
  const summary = summarize(command, '', recorded(name));
  expect(summary).toMatchObject({ type: 'build', errors, warnings });
  expect(summary?.first_errors?.[0]).toEqual(first);
});

test('counts errors without a place', () => {
  expect(summarize('gcc b.c', '', recorded('gcc-link'))).toEqual({ type: 'build', errors: 1, warnings: 0 });
});

test('reports both the tests and the errors of a package that does not compile', () => {
  const summary = summarize('go test ./...', recorded('go-test-build'), '');
  expect(summary).toMatchObject({ type: 'test', failed: 1, errors: 2 });
});

test.for([
  ['nothing', ''],
  ['a listing', 'src/a.go:12:3: func main() {\nsrc/b.go:1:1: package b\n'],
  ['prose', 'Tests are good. 3 passed the door.\nan error: none\n'],
  ['a log', '12:03:04 error something\n[ERROR] no place\n'],
] as const)('takes %s for no report', ([, text]) => {
  expect(summarize('grep -n x src', text, '')).toBeUndefined();
});

test('names at most 20 tests and 10 errors', () => {
  const names = Array.from({ length: 30 }, (_, i) => `test t${i} ... FAILED`).join('\n');
  const tests = summarize('cargo test', `${names}\ntest result: FAILED. 0 passed; 30 failed; 0 ignored\n`, '');
  expect(tests?.failures).toHaveLength(20);
  expect(tests).toMatchObject({ failed: 30, more_failures: 10 });
  const errors = Array.from({ length: 30 }, (_, i) => `a.c:${i + 1}:1: error: x`).join('\n');
  expect(summarize('make', errors, '')?.first_errors).toHaveLength(10);
});

test('ends soon on any output', () => {
  const lines = [
    '(1,2): error',
    ' '.repeat(390),
    `${'a '.repeat(190)}error`,
    `1:1  error  ${'x  '.repeat(120)}`,
    '1 passed, '.repeat(40),
  ];
  for (const line of lines) {
    const used = countProcessorTime();
    summarize('go build', `${line}\n`.repeat(20_000), '');
    expect(used()).toBeLessThan(5_000);
  }
});
