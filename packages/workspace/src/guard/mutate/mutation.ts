import type { Workspace } from '../workspace.ts';
import type { History } from './history.ts';
import type { ReadRecords } from './read-records.ts';

export interface MutationContext {
  readonly workspace: Workspace;
  readonly lockDirectory: string | undefined;
  /** True if other users wait for this process too: then it continues while the disk is slow. */
  readonly servesSeveral?: boolean | undefined;
  readonly session: { readonly reads: ReadRecords };
  history(): Promise<History | undefined>;
  warn(warning: string): void;
  /** Reports the files that the call has changed, or would in a dry run. */
  recordChanges(files: readonly ChangedFile[], how: { readonly dryRun: boolean }): void;
  /** Lets other work run now and then, and throws `canceled` or `timeout` when it is time. */
  checkpoint(): Promise<void>;
}

export interface MutationTarget {
  readonly path: string;
  readonly ifVersion?: string | undefined;
}

/** A file as it is now, under its lock. Two targets that name one file share one object. */
export interface FileState {
  readonly asked: string;
  /** The path below the workspace root, links resolved. */
  readonly path: string;
  /** Undefined if there is no file, like the next two. */
  readonly content: Buffer | undefined;
  readonly mode: number | undefined;
  readonly version: string | undefined;
}

export interface FileChange {
  readonly file: FileState;
  /** The whole new content. Undefined removes the file. */
  readonly content: Buffer | undefined;
  readonly mode?: number | undefined;
  /** How many of the directories above a removed file to remove too, if they are empty. */
  readonly emptyDirectories?: number;
}

export interface ComputedChanges<Extra> {
  readonly changes: readonly FileChange[];
  /** What the tool learned on the way. `mutate` returns it unchanged. */
  readonly extra: Extra;
}

export interface Mutation<Extra> {
  readonly operation: string;
  readonly targets: readonly MutationTarget[];
  /** True if the paths are those that the history wrote down. */
  readonly areRecorded?: boolean;
  /** Versions that files must have, by any path that names them. Each must be a file of `targets`. */
  readonly ifVersions?: Readonly<Record<string, string>> | undefined;
  /** True to do everything but write. Nothing is locked. */
  readonly dryRun?: boolean | undefined;
  /** True to accept a file that changed since the session read it: the call compares it, or writes nothing. */
  readonly takesStale?: boolean;
  /** Gets a file for each target, in their order. An error ends the call. Nothing has changed then. */
  compute(files: readonly FileState[]): ComputedChanges<Extra> | Promise<ComputedChanges<Extra>>;
}

/** In a dry run, the change that would be made. */
export interface ChangedFile {
  readonly file: FileState;
  /** Undefined if it was removed. */
  readonly after: Buffer | undefined;
  /** False if the file had the wanted content already. Then it was not written. */
  readonly changed: boolean;
  /** Of the file on the disk now (in a dry run: still). Undefined if there is no file. */
  readonly version: string | undefined;
  /** Undoes this change. Undefined if nothing was written, or the history does not have it (a warning says why). */
  readonly undoId: string | undefined;
}

export interface MutationResult<Extra = unknown> {
  readonly files: readonly ChangedFile[];
  readonly operationId: string | undefined;
  readonly extra: Extra;
}
