import type { Workspace } from '../workspace.ts';
import type { History } from './history.ts';
import type { ChangedFile } from './mutate.ts';
import type { ReadRecords } from './read-records.ts';

/** What a change of files needs of the call that makes it. The context of a tool has all of it. */
export interface MutationContext {
  readonly workspace: Workspace;
  /** The directory of the file locks; undefined if the user has no home directory. */
  readonly lockDirectory: string | undefined;
  readonly session: { readonly reads: ReadRecords };
  /** Opens the undo history at the first call; undefined if jinn runs without one. Rejects if it cannot be opened. */
  history(): Promise<History | undefined>;
  /** Adds a sentence to the warnings of the answer. */
  warn(warning: string): void;
  /** Remembers which files the call has changed, for the services of the session. */
  recordChanges(files: readonly ChangedFile[]): void;
  /** Lets other work run now and then, and throws `canceled` or `timeout` when it is time. */
  checkpoint(): Promise<void>;
}
