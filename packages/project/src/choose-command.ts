import type { Commands, ProjectFinding } from './detect/finding.ts';

/** Chooses the commands of a directory. A kind is absent if nothing shows a command for it. */
export function chooseCommands(findings: readonly ProjectFinding[]) {
  const build = chooseCommand(findings, 'build');
  const test = chooseCommand(findings, 'test');
  const lint = chooseCommand(findings, 'lint');
  const single = test === undefined ? undefined : singleTest(findings);
  return {
    ...(build !== undefined && { build_tool: build }),
    ...(test !== undefined && { test_command: test }),
    ...(single !== undefined && { single_test_command: single }),
    ...(lint !== undefined && { linter: lint }),
  };
}

export type ChosenCommands = ReturnType<typeof chooseCommands>;

/** Chooses the commands of each language, if there are several. */
export function commandsByLanguage(findings: readonly ProjectFinding[]) {
  const known = findings.filter(({ languages }) => languages !== undefined && languages.length > 0);
  const listed = known.map((finding) => ({
    language: finding.languages?.join(', ') ?? '',
    ...chooseCommands([finding]),
  }));
  const withCommands = listed.filter((commands) => Object.keys(commands).length > 1);
  return withCommands.length > 1 ? withCommands : [];
}

/** Scripts win, those of just over package.json. Then the first toolchain. Tasks of runners win over guesses. */
function chooseCommand(findings: readonly ProjectFinding[], kind: keyof Commands): string | undefined {
  const override = findings.findLast(({ overrides }) => overrides?.[kind] !== undefined)?.overrides?.[kind];
  const task = findings.find(({ tasks }) => tasks?.[kind] !== undefined)?.tasks?.[kind];
  const toolchain = findings.find((finding) => (finding[kind] ?? finding.guesses?.[kind]) !== undefined);
  return override ?? toolchain?.[kind] ?? task ?? toolchain?.guesses?.[kind];
}

/** The command for one test, by the start of the command for all. PATH, NAME, CLASS and LINE stand for the test. */
const WAYS: readonly (readonly [all: RegExp, one: string])[] = [
  [/^go test\b.*/, "go test ./PATH -run '^NAME$$'"],
  [/^cargo test\b.*/, 'cargo test NAME'],
  [/^(.*\bpytest\b).*/, '$1 PATH::NAME'],
  [/^hatch test\b.*/, 'hatch test PATH::NAME'],
  [/^(.*\bmanage\.py test\b).*/, '$1 MODULE.CLASS.NAME'],
  [/^(.*\b(?:vitest run|jest|bun test)\b).*/, "$1 PATH -t 'NAME'"],
  [/^(.*\bmocha\b.*)/, "$1 PATH -g 'NAME'"],
  [/^(.*\bava\b).*/, "$1 PATH --match='NAME'"],
  [/^(node --test)\b.*/, "$1 --test-name-pattern='NAME' PATH"],
  [/^(deno test)\b.*/, "$1 PATH --filter 'NAME'"],
  [/^(.*\b(?:phpunit|pest)\b).*/, "$1 PATH --filter 'NAME'"],
  [/^(.*\b(?:rspec|rails test)|mix test)\b.*/, '$1 PATH:LINE'],
  [/^(mvn|\.\/mvnw) test\b.*/, '$1 test -Dtest=CLASS#NAME'],
  [/^(gradle|\.\/gradlew) test\b.*/, '$1 test --tests CLASS.NAME'],
  [/^swift test\b.*/, 'swift test --filter NAME'],
  [/^((?:dart|flutter) test)\b.*/, "$1 PATH --name 'NAME'"],
  [/^dotnet test\b.*/, 'dotnet test --filter NAME'],
];

/** Returns the command that runs one test, or undefined if the program that runs the tests is not known. */
function singleTest(findings: readonly ProjectFinding[]): string | undefined {
  const commands = findings.flatMap(({ tester, test, guesses }) => [tester, test, guesses?.test]);
  return commands.map((command) => command && singleOf(command)).find((command) => command !== undefined);
}

function singleOf(command: string): string | undefined {
  const [all, one = ''] = WAYS.find(([beginning]) => beginning.test(command)) ?? [];
  return all && command.replace(all, one);
}

const TESTERS = ['vitest', 'jest', 'mocha', 'ava'];
/** Files that mocha loads first, without which the tests would run in another environment. */
const LOADED = /\s(?:--require|-r)[ =]([\w@./-]{1,100})(?=\s|$)/g;

/** Returns the command of the program with which a script runs the tests, or else of the one among the dependencies. */
export function testerOf(script: string, dependencies: readonly string[], exec: string): string | undefined {
  if (/\bnode --test\b/.test(script)) return 'node --test';
  if (/\bbun test\b/.test(script)) return 'bun test';
  const tester =
    TESTERS.find((name) => new RegExp(`(?:^|[\\s&;/])${name}(?=\\s|$)`).test(script)) ??
    TESTERS.find((name) => dependencies.includes(name));
  if (tester === 'vitest') return `${exec} vitest run`;
  const loaded = tester === 'mocha' ? [...script.matchAll(LOADED)].map(([, file]) => ` --require ${file}`) : [];
  return tester && `${exec} ${tester}${loaded.join('')}`;
}
