import type { Workspace } from '../workspace.ts';
import type { History } from './history.ts';
import type { ReadRecords } from './read-records.ts';

/** The members of a call's context that a change of files needs. */
export interface MutationContext {
  readonly workspace: Workspace;
  /** The directory of the file locks; undefined if the user has no home directory. */
  readonly lockDirectory: string | undefined;
  /** True if other people wait for this process too: then it goes on while the disk is slow. */
  readonly servesSeveral?: boolean | undefined;
  readonly session: { readonly reads: ReadRecords };
  /** Opens the undo history at the first call; undefined if jinn runs without one. Rejects if it cannot be opened. */
  history(): Promise<History | undefined>;
  /** Adds a sentence to the warnings of the answer. */
  warn(warning: string): void;
  /** Remembers which files the call has changed, or would in a dry run, for the services of the session and the journal. */
  recordChanges(files: readonly ChangedFile[], how: { readonly dryRun: boolean }): void;
  /** Lets other work run now and then, and throws `canceled` or `timeout` when it is time. */
  checkpoint(): Promise<void>;
}

/** A file that a call may change. Every file that `compute` changes must be among them, new ones too. */
export interface MutationTarget {
  /** The path as the caller wrote it. */
  readonly path: string;
  /** Refuses the change with `stale_file` unless the file has this version. */
  readonly ifVersion?: string | undefined;
}

/** A file as it is now, under its lock. Two targets that name one file share one object. */
export interface FileState {
  /** The path as the caller wrote it, at the first target that names this file. */
  readonly asked: string;
  /** The path below the workspace root, links resolved. */
  readonly path: string;
  /** Undefined if there is no file. */
  readonly content: Buffer | undefined;
  /** Permission bits; undefined if there is no file. */
  readonly mode: number | undefined;
  /** The version token of the content; undefined if there is no file. */
  readonly version: string | undefined;
}

export interface FileChange {
  readonly file: FileState;
  /** The whole new content; undefined removes the file. */
  readonly content: Buffer | undefined;
  /** Permission bits to set; without them, the mode stays. */
  readonly mode?: number | undefined;
  /** How many of the directories above a removed file to remove too, as long as they are empty. */
  readonly emptyDirectories?: number;
}

/** What `compute` returns. */
export interface ComputedChanges<Found> {
  /** At most one change for each file. */
  readonly changes: readonly FileChange[];
  /** The facts that the tool learned on the way; `mutate` returns them as they are. */
  readonly found: Found;
}

export interface Mutation<Found> {
  /** The name of the tool, for the history. */
  readonly operation: string;
  readonly targets: readonly MutationTarget[];
  /** True if the paths are those that the history wrote down. False if absent. */
  readonly areRecorded?: boolean;
  /** Versions that files must have, by any path that names them. Each must be a file of `targets`. */
  readonly ifVersions?: Readonly<Record<string, string>> | undefined;
  /** True to do everything but write; nothing is locked. */
  readonly dryRun?: boolean | undefined;
  /**
   * True to accept a file that has changed since the session read it, for a call that only shows something, or compares
   * the text itself.
   */
  readonly takesStale?: boolean;
  /** Gets a file for each target, in their order. An error that it throws ends the call; nothing has changed then. */
  compute(files: readonly FileState[]): ComputedChanges<Found> | Promise<ComputedChanges<Found>>;
}

/** The change of a file; in a dry run, the change that would be made. */
export interface ChangedFile {
  readonly file: FileState;
  /** Undefined if it was removed. */
  readonly after: Buffer | undefined;
  /** False if the file had the wanted content already; then it was not written. */
  readonly changed: boolean;
  /** The version token of the file on the disk now (in a dry run: still); undefined if there is no file. */
  readonly version: string | undefined;
  /** Undoes this change; undefined if nothing was written, or the history does not have it (a warning says why). */
  readonly undoId: string | undefined;
}

export interface MutationResult<Found = unknown> {
  /** In the order of the changes. */
  readonly files: readonly ChangedFile[];
  /** Undoes the whole call. */
  readonly operationId: string | undefined;
  /** The facts that `compute` found. */
  readonly found: Found;
}
