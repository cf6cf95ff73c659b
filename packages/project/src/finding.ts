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
  /** Package managers, by their lock files and manifests. */
  readonly managers?: readonly string[];
  /** Programs that run tasks which are written down in the project. */
  readonly runners?: readonly string[];
  /** Commands that exist because somebody wrote them down. */
  readonly scripts?: readonly string[];
  /** Of these, those that go before what any toolchain would do. */
  readonly overrides?: Commands;
  readonly members?: MemberPatterns | undefined;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
}

/** Which directories belong to it; globs, those that begin with "!" leave out. */
export interface MemberPatterns {
  readonly patterns: readonly string[];
  /** The file that names them. */
  readonly file: string;
}

/** What a directory may take from the project around it. */
export interface Surroundings {
  /** The package manager of JavaScript, by a lock file further up. */
  readonly manager: string | undefined;
  /** Whether there is a tsconfig.json further up. */
  readonly isTypeScript: boolean;
}

export type Detect = (directory: ProjectDirectory, around: Surroundings) => Promise<Finding | undefined>;

/** Security: goes into commands that an agent may run; whatever a shell would take apart is not a name. */
const PLAIN_SCRIPT = /^[\w@][\w@:./+-]{0,99}$/;
const MAX_SCRIPTS = 50;

/** Commands for the scripts of a project, as far as their names are plain. */
export function commandsFor(run: string, names: readonly string[]): string[] {
  return names
    .filter((name) => PLAIN_SCRIPT.test(name))
    .slice(0, MAX_SCRIPTS)
    .map((name) => `${run} ${name}`);
}
