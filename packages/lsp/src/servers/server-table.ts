import table from './servers.json' with { type: 'json' };

/**
 * The signal that a server has loaded the project. Without any of these it answers completely from the first request.
 */
export interface ReadySignal {
  /** A message of the log that matches this regular expression. */
  readonly log?: string;
  /** The end of a progress whose token or title matches this regular expression. */
  readonly progress?: string;
  /** A notification whose parameter `field` has this value; without a field, the notification alone. */
  readonly notification?: { readonly method: string; readonly field?: string; readonly value?: unknown };
  /** How soon after the first document a progress must begin, in milliseconds, or there is nothing to wait for. */
  readonly beginsWithin?: number;
  /** How long there must be no progress, in milliseconds, for a server without another signal. */
  readonly quiet?: number;
  /** A progress whose title matches this regular expression lasts as long as the server cannot load the project. */
  readonly fails?: string;
}

export interface Language {
  readonly name: string;
  /** The protocol's language id of each extension, without the dot, in lower case. */
  readonly extensions?: Readonly<Record<string, string>>;
  /** The language id of files known by their whole name, in lower case. */
  readonly names?: Readonly<Record<string, string>>;
  /** Ids of servers, the best first. */
  readonly servers: readonly string[];
  /** Ids of servers whose installation is suggested beside that of the first one. */
  readonly alsoSuggest?: readonly string[];
}

export interface ServerDescription {
  /** The program and its arguments. */
  readonly command: readonly string[];
  /** How to install it: a command, or where to get it. */
  readonly install: string;
  /** Names of files that mark its root: the nearest of the first group that is found, else of the next. */
  readonly roots?: readonly (readonly string[])[];
  /** True to use the outermost directory with a marker instead of the nearest. */
  readonly outermostRoot?: boolean;
  /** The code of the workspace that it runs when it opens it; such a server starts only if a person trusts it. */
  readonly runsProjectCode?: string;
  /**
   * It runs that code only if there is a file of one of these names, in the workspace or above it, in the form of
   * FileNames. A person trusts these files as they are.
   */
  readonly runsCodeOf?: readonly string[];
  /** Names of more files that decide which code it runs, in the same form: a person trusts them as they are, too. */
  readonly codeFiles?: readonly string[];
  readonly initializationOptions?: Readonly<Record<string, unknown>>;
  /** The answers to `workspace/configuration`. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly environment?: Readonly<Record<string, string>>;
  /** The oldest version that works, of the npm package of this name. */
  readonly minimum?: { readonly package: string; readonly version: number };
  /**
   * True if the initialization option `tsserver.path` must keep it from loading the TypeScript of an untrusted
   * workspace.
   */
  readonly pinsTypeScript?: boolean;
  /** Set if it speaks the protocol of tsserver, which is translated. */
  readonly speaks?: 'tsserver';
  readonly ready?: ReadySignal;
  /**
   * The source of diagnostics if not a pull request: `tsserver` is a command of tsserver, if the server offers no pull
   * request; `push` is only what it publishes, even if it offers a pull request, which would kill it. If absent, what
   * it publishes.
   */
  readonly diagnostics?: 'tsserver' | 'push';
  /**
   * True if it reports no diagnostics for some files when files of several projects are open: each is asked about
   * alone.
   */
  readonly diagnosesAlone?: boolean;
  /** What a person or an agent can do if it cannot load the project. */
  readonly cure?: string;
  /** A message of the log after which it cannot be used any more. */
  readonly dies?: string;
  /** The answer to a question of the server, by the beginning of the question. */
  readonly answers?: Readonly<Record<string, string>>;
  /** Files at its root: without one of them it knows only the files that were opened. */
  readonly wants?: readonly string[];
  /** True if it counts U+2028 and U+2029 as ends of lines, as TypeScript does before version 7. */
  readonly countsSeparators?: boolean;
  /** True if it learns of new files only when they are opened. */
  readonly opensCreated?: boolean;
}

/** A language server that may serve a file, as the table and the settings describe it. */
export interface Server extends ServerDescription {
  readonly id: string;
}

export interface ServerTable {
  readonly languages: Readonly<Record<string, Language>>;
  readonly servers: Readonly<Record<string, ServerDescription>>;
}

/** The languages and servers that are known without settings. */
export const SERVER_TABLE: ServerTable = table as unknown as ServerTable;
