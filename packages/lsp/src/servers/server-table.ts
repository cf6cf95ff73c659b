import table from './servers.json' with { type: 'json' };

/**
 * The signal that a server has loaded the project. Without any of these it answers completely from the first request.
 */
export interface ReadySignal {
  /** A message of the log that matches this regular expression. */
  readonly log?: string;
  /** The end of a progress whose token or title matches this regular expression. */
  readonly progress?: string;
  /** A notification whose parameter `field` has this value. Without a field, only the notification. */
  readonly notification?: { readonly method: string; readonly field?: string; readonly value?: unknown };
  /** How soon after the first document a progress must start, in milliseconds, or there is nothing to wait for. */
  readonly beginsWithin?: number;
  /** How long there must be no progress, in milliseconds, for a server without another signal. */
  readonly quiet?: number;
  /** A progress whose title matches this regular expression lasts as long as the server cannot load the project. */
  readonly fails?: string;
}

export interface ServedLanguage {
  readonly name: string;
  /** The protocol's language id of each extension, without the dot, in lower case. */
  readonly extensions?: Readonly<Record<string, string>>;
  /** The language id of files known by their whole name, in lower case. */
  readonly names?: Readonly<Record<string, string>>;
  readonly servers: readonly string[];
  /** Ids of servers whose installation is suggested next to that of the first one. */
  readonly alsoSuggest?: readonly string[];
}

export interface ServerDescription {
  readonly command: readonly string[];
  readonly install: string;
  /** Names of files that mark its root: the nearest of the first group that is found, otherwise of the next. */
  readonly roots?: readonly (readonly string[])[];
  /** True to use the outermost directory with a marker instead of the nearest. */
  readonly outermostRoot?: boolean;
  /** The code of the workspace that it runs when it opens it. Such a server starts only if the user trusts it. */
  readonly runsProjectCode?: string;
  /** Only if the workspace, or a directory above, has one of these FileNames. The user trusts them as they are. */
  readonly runsCodeOf?: readonly string[];
  /** Unless its program is in this npm package. Security: other packages install programs of the same name that do. */
  readonly harmlessPackage?: string;
  /** More FileNames that decide which code it runs. */
  readonly codeFiles?: readonly string[];
  readonly initializationOptions?: Readonly<Record<string, unknown>>;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly environment?: Readonly<Record<string, string>>;
  /** The oldest version that works, of the npm package of this name. */
  readonly minimum?: { readonly package: string; readonly version: number };
  /** True if `tsserver.path` must keep it from loading the TypeScript of an untrusted workspace. */
  readonly pinsTypeScript?: boolean;
  readonly speaks?: 'tsserver';
  readonly ready?: ReadySignal;
  /**
   * How to get diagnostics if not by pull requests: by a command of tsserver, or (`push`) only as published, since a
   * pull request would kill it.
   */
  readonly diagnostics?: 'tsserver' | 'push';
  /** True if it reports no diagnostics for some files while files of several projects are open. */
  readonly diagnosesAlone?: boolean;
  /** What the user or an agent can do if it cannot load the project. */
  readonly cure?: string;
  /** A message of the log after which it cannot be used any more. */
  readonly dies?: string;
  /** The answer to a question of the server, by the start of the question. */
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
  readonly languages: Readonly<Record<string, ServedLanguage>>;
  readonly servers: Readonly<Record<string, ServerDescription>>;
}

/** The languages and servers that are known without settings. */
export const SERVER_TABLE: ServerTable = table as unknown as ServerTable;
