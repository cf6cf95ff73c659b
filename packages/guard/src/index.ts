export { createVersionDigest, versionOf } from './content-version.ts';
export { type Directories, findCacheDirectory, findDirectories, makePrivateDirectory } from './directories.ts';
export type { Archive, History, HistoryEntry, PlannedChange, PreparedOperation, Snapshot } from './mutate/history.ts';
export { createLocks, type Lock } from './mutate/locks.ts';
export {
  type ChangedFile,
  type ComputedChanges,
  type FileChange,
  type FileState,
  type MutationResult,
  mutate,
  reconcile,
} from './mutate/mutate.ts';
export { createReadRecords, type ReadRecords } from './mutate/read-records.ts';
export type { DirectoryStat, OpenDirectory } from './open-directory.ts';
export { OpenFile } from './open-file.ts';
export { createSpill, MAX_SPILL_BYTES, RESULTS_URI, type Spill } from './spill.ts';
export { rejectTooLarge } from './target.ts';
export { createStateFiles, createUserFiles, type StateFiles, type UserFiles } from './user-files.ts';
export { openWorkspace, type PathStatus, type Workspace } from './workspace.ts';
export { writeFully } from './write-fully.ts';
