import type { Commands, Finding } from './detect/finding.ts';
import { singleTest } from './single-test.ts';

/** Chooses the commands of a directory; a kind is absent if nothing shows a command for it. */
export function chooseCommands(findings: readonly Finding[]) {
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

/** The commands in the description of a directory. */
export type ChosenCommands = ReturnType<typeof chooseCommands>;

/** Chooses the commands of each language, if there are several. */
export function commandsByLanguage(findings: readonly Finding[]) {
  const known = findings.filter(({ languages }) => languages !== undefined && languages.length > 0);
  const listed = known.map((finding) => ({
    language: finding.languages?.join(', ') ?? '',
    ...chooseCommands([finding]),
  }));
  const withCommands = listed.filter((commands) => Object.keys(commands).length > 1);
  return withCommands.length > 1 ? withCommands : [];
}

/**
 * Chooses a command. Scripts come first, those of just before those of package.json; then the first toolchain that has
 * a command. Tasks of other runners come before the guesses of a toolchain.
 */
function chooseCommand(findings: readonly Finding[], kind: keyof Commands): string | undefined {
  const override = findings.findLast(({ overrides }) => overrides?.[kind] !== undefined)?.overrides?.[kind];
  const task = findings.find(({ tasks }) => tasks?.[kind] !== undefined)?.tasks?.[kind];
  const toolchain = findings.find((finding) => (finding[kind] ?? finding.guesses?.[kind]) !== undefined);
  return override ?? toolchain?.[kind] ?? task ?? toolchain?.guesses?.[kind];
}
