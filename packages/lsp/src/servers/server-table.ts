import table from './servers.json' with { type: 'json' };

/** How a server tells that it has loaded the project. Without any of these it answers completely from the first request. */
export interface ReadySignal {
  /** A message of the log that matches this regular expression. */
  readonly log?: string;
  /** The end of a progress whose token or title matches this regular expression. */
  readonly progress?: string;
  /** A notification whose parameter `field` has this value; without a field, the notification alone. */
  readonly notification?: { readonly method: string; readonly field?: string; readonly value?: unknown };
  /** Milliseconds: how soon after the first document a progress must begin, or there is nothing to wait for. */
  readonly beginsWithin?: number;
  /** Milliseconds without progress, for a server that gives no other signal. */
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
  /** Take the outermost directory with a marker instead of the nearest. */
  readonly outermostRoot?: boolean;
  /** What code of the workspace it runs when it opens it; such a server starts only if a person trusts it. */
  readonly runsProjectCode?: string;
  /**
   * It runs that code only where there is a file of one of these names, in the workspace or above it, in the form of FileNames.
   * A person trusts these files as they are.
   */
  readonly runsCodeOf?: readonly string[];
  /** Names of more files that decide which code it runs, in the same form: a person trusts them as they are, too. */
  readonly codeFiles?: readonly string[];
  readonly initializationOptions?: Readonly<Record<string, unknown>>;
  /** What `workspace/configuration` is answered from. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly environment?: Readonly<Record<string, string>>;
  /** The oldest version that will do, of the npm package of this name. */
  readonly minimum?: { readonly package: string; readonly version: number };
  /** The initialization option `tsserver.path` must keep it from loading the TypeScript of an untrusted workspace. */
  readonly pinsTypeScript?: boolean;
  /** It speaks the protocol of tsserver, which is translated. */
  readonly speaks?: 'tsserver';
  readonly ready?: ReadySignal;
  /**
   * How errors are had if not by a pull request: `tsserver` by a command of tsserver where the server offers no pull request,
   * `push` only from what it publishes, also where it offers one, since it would die of it. If absent, from what it publishes.
   */
  readonly diagnostics?: 'tsserver' | 'push';
  /** With files of several projects open, it says of some that nothing is wrong: each is asked about alone. */
  readonly diagnosesAlone?: boolean;
  /** What a person or an agent can do where it cannot load the project. */
  readonly cure?: string;
  /** A message of the log that says that it is of no more use. */
  readonly dies?: string;
  /** The answer to a question of the server that begins so. */
  readonly answers?: Readonly<Record<string, string>>;
  /** Without one of these files at its root it knows only the files that were opened. */
  readonly wants?: readonly string[];
  /** It takes U+2028 and U+2029 for ends of lines, as TypeScript does before version 7. */
  readonly countsSeparators?: boolean;
  /** It learns of new files only when they are opened. */
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
