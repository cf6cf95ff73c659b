import type { LanguageClient } from '../client/client.ts';
import type { Deadline } from '../client/deadline.ts';
import type { Documents, OpenDocument } from '../documents/documents.ts';
import type { SourceFiles } from '../documents/source-files.ts';
import type { Choice } from '../servers/find-server.ts';
import type { Diagnoser } from './diagnostics.ts';

/** A question to the server of a file. */
export interface LanguageQuestion<T> {
  readonly path: string;
  /** The choice of `prepare` for the same call, which is not searched for again. */
  readonly prepared?: Choice | undefined;
  readonly limitMs: number;
  /** The limit while the server starts or loads the project, if that is longer. */
  readonly loadingMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  progress?(message: string): void;
  /** An answer is complete only if it names these files or they are open. */
  readonly mentioned?: MentionedWord | undefined;
  reported?(value: T): Iterable<string> | undefined;
  /** True if the answer concerns more than this file. */
  readonly isProjectWide?: boolean;
  /** False if a new server must not be asked when this one dies. */
  readonly mayRepeat?: boolean;
  run(view: ServerView): Promise<T>;
}

export interface ServerView {
  readonly client: LanguageClient;
  readonly document: OpenDocument;
  readonly documents: Documents;
  readonly diagnoser: Diagnoser;
  readonly files: SourceFiles;
  readonly deadline: Deadline;
}

export interface LanguageAnswer<T> {
  readonly value: T;
  readonly server: string;
  readonly incomplete: readonly string[];
  /** True if files were not looked at for lack of time. */
  readonly isPartial: boolean;
  /** True if a later answer may have more. */
  readonly isEarly: boolean;
}

/** The files of the project that hold the word that a question is about. */
export interface MentionedWord {
  readonly word: string;
  readonly files: readonly string[];
  readonly key?: string | undefined;
  readonly lacks?: string | undefined;
}
