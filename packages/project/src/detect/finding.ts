import type { ProjectDirectory } from '../files/project-directory.ts';

export interface Commands {
  readonly build?: string | undefined;
  readonly test?: string | undefined;
  readonly lint?: string | undefined;
}

/** The result of one detector in a directory. */
export interface ProjectFinding extends Commands {
  readonly languages?: readonly string[];
  readonly frameworks?: readonly string[];
  /** Package managers by lock files and manifests, including those of the commands. */
  readonly managers?: readonly string[];
  /** Programs that run the tasks of the project. */
  readonly runners?: readonly string[];
  /** Commands that the project defines, by file. */
  readonly scripts?: readonly Scripts[];
  /** Scripts that take precedence over the commands of every toolchain. */
  readonly overrides?: Commands;
  /** Scripts that come after the commands of a toolchain, but before its guesses. */
  readonly tasks?: Commands;
  /** Commands that usually work, although nothing in the project says so. */
  readonly guesses?: Commands;
  /** The command of the program that runs the tests, if the test command is a script. */
  readonly tester?: string | undefined;
  readonly members?: readonly MemberPatterns[];
  /** True if the directory only has tools for the projects below it, and no sources of the language. */
  readonly isTooling?: boolean;
  readonly targets?: readonly string[];
  readonly name?: string | undefined;
  readonly description?: string | undefined;
}

export interface Scripts {
  readonly file: string;
  readonly commands: readonly string[];
}

/** Globs for the member directories. A glob that starts with "!" leaves directories out. */
export interface MemberPatterns {
  readonly patterns: readonly string[];
  /** True if the patterns are paths, not globs. */
  readonly arePaths?: boolean;
  readonly file: string;
  /** True if nothing names the members: directories that are not projects, and links, are skipped without a warning. */
  readonly isGuess?: boolean;
  /** Only directories with this file are members. Directories below a member belong to it. */
  readonly holding?: string;
}

export interface ProjectSurroundings {
  readonly manager?: string | undefined;
  readonly pythonManager?: string | undefined;
  readonly isTypeScript?: boolean | undefined;
  readonly isNx?: boolean | undefined;
}

/** Looks at a directory that has a file of the detector. Returns undefined if there is nothing to find. */
export type DetectFunction = (
  directory: ProjectDirectory,
  /** The first file of the detector that exists, and what the directories above show. */
  given: { readonly file: string; readonly around: ProjectSurroundings },
) => Promise<ProjectFinding | undefined>;

/** Security: the name becomes part of commands that an agent may run, so no character means something to a shell. */
const PLAIN_NAME = /^[\w@][\w@:./+-]{0,99}$/;

export function isPlainName(name: string): boolean {
  return PLAIN_NAME.test(name);
}

/** Returns the commands for the scripts of a file. Names that are not plain are omitted. */
export function scriptsOf(file: string, run: string, names: readonly string[]): Scripts {
  return { file, commands: names.filter(isPlainName).map((name) => `${run} ${name}`) };
}

/** Returns the command that a function finds for each kind. */
export function commandsBy(find: (kind: keyof Commands) => string | undefined): Commands {
  return { build: find('build'), test: find('test'), lint: find('lint') };
}

/** Returns the commands for the names build, test and lint. */
export function commandsOf(run: string, names: readonly string[]): Commands {
  return commandsBy((kind) => (names.includes(kind) ? `${run} ${kind}` : undefined));
}

/** Other names that targets of make, task and just have for the same. */
const ALIASES: Readonly<Record<keyof Commands, readonly string[]>> = {
  build: ['build', 'all', 'compile'],
  test: ['test', 'tests', 'check', 'test-all', 'unit-test', 'unittest'],
  lint: ['lint', 'linter', 'linters', 'lint-check', 'style'],
};

/** Returns the commands for the names build, test and lint, and for other names that mean the same. */
export function commandsByAlias(run: string, names: readonly string[]): Commands {
  return commandsBy((kind) => {
    const name = ALIASES[kind].find((alias) => names.includes(alias));
    return name === undefined ? undefined : `${run} ${name}`;
  });
}

/** Returns the first command of each kind. */
export function firstCommands(all: readonly Commands[]): Commands {
  return commandsBy((kind) => all.find((commands) => commands[kind] !== undefined)?.[kind]);
}

/** Returns a description without its empty lists. */
export function withoutEmpty<T extends object>(described: T, kept: readonly (keyof T)[] = []): Partial<T> {
  const isEmpty = (value: unknown) => Array.isArray(value) && value.length === 0;
  const entries = Object.entries(described).filter(([key, value]) => kept.includes(key as keyof T) || !isEmpty(value));
  return Object.fromEntries(entries) as Partial<T>;
}
