import type { ProjectDirectory } from './project-directory.ts';

export interface Commands {
  readonly build?: string | undefined;
  readonly test?: string | undefined;
  readonly lint?: string | undefined;
}

/** What one detector makes of a directory. */
export interface Finding extends Commands {
  readonly languages?: readonly string[];
  readonly frameworks?: readonly string[];
  /** Package managers, by their lock files and manifests; those that the commands use are among them. */
  readonly managers?: readonly string[];
  /** Programs that run tasks which are written down in the project. */
  readonly runners?: readonly string[];
  /** Commands that exist because somebody wrote them down, for each file. */
  readonly scripts?: readonly Scripts[];
  /** Of these, those that go before what any toolchain would do. */
  readonly overrides?: Commands;
  /** Of these, those that go behind what a toolchain does, but before its guesses. */
  readonly tasks?: Commands;
  /** What mostly works, though nothing in the project says so. */
  readonly guesses?: Commands;
  readonly members?: readonly MemberPatterns[];
  /** What can be run of a project of Nx. */
  readonly targets?: readonly string[];
  readonly name?: string | undefined;
  readonly description?: string | undefined;
}

export interface Scripts {
  readonly file: string;
  readonly commands: readonly string[];
}

/** Which directories belong to it; globs, those that begin with "!" leave out. */
export interface MemberPatterns {
  readonly patterns: readonly string[];
  /** True when they are no globs but paths. */
  readonly arePaths?: boolean;
  /** The file that names them. */
  readonly file: string;
  /** Of these directories only those that hold this file; what lies below one is part of it. */
  readonly holding?: string;
}

/** What a directory may take from those above it. */
export interface Surroundings {
  /** The package manager of JavaScript, by a lock file. */
  readonly manager?: string | undefined;
  /** The same of Python. */
  readonly pythonManager?: string | undefined;
  /** Whether there is a tsconfig.json. */
  readonly isTypeScript?: boolean | undefined;
  /** Whether there is an nx.json. */
  readonly isNx?: boolean | undefined;
}

/** Makes a finding of a directory that holds a file of its own. */
export type Detect = (directory: ProjectDirectory, given: Given) => Promise<Finding | undefined>;

interface Given {
  /** The first of its files that is there. */
  readonly file: string;
  readonly around: Surroundings;
}

export interface Detector {
  /** `*.x` stands for all names that end so. */
  readonly files: readonly string[];
  /** Called where one of them is; most projects need one or two of all. */
  readonly load: () => Promise<Detect>;
}

/** Security: goes into commands that an agent may run; whatever a shell would take apart is not a name. */
const PLAIN_NAME = /^[\w@][\w@:./+-]{0,99}$/;

export function isPlainName(name: string): boolean {
  return PLAIN_NAME.test(name);
}

/** Commands for what a file gives names to, as far as they are plain. */
export function scriptsOf(file: string, run: string, names: readonly string[]): Scripts {
  return { file, commands: names.filter(isPlainName).map((name) => `${run} ${name}`) };
}

/** Those of the names that every project has a use for. */
export function commandsOf(run: string, names: readonly string[]): Commands {
  const command = (name: string) => (names.includes(name) ? `${run} ${name}` : undefined);
  return { build: command('build'), test: command('test'), lint: command('lint') };
}

/** For each kind the first command that there is. */
export function firstCommands(all: readonly Commands[]): Commands {
  const first = (kind: keyof Commands) => all.find((commands) => commands[kind] !== undefined)?.[kind];
  return { build: first('build'), test: first('test'), lint: first('lint') };
}
