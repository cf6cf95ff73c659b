export { pathBelow, realName } from './guard.ts';
export { isBinary, isPlainText, OpenFile, openToRead, readRegular, readStart, SNIFF_BYTES } from './inode.ts';
export type { Archive, History, HistoryEntry, PlannedChange, PreparedOperation, Snapshot } from './mutate/history.ts';
export { createLocks, type Lock } from './mutate/locks.ts';
export { mutate, reconcile } from './mutate/mutate.ts';
export type { ChangedFile, ComputedChanges, FileChange, FileState, MutationResult } from './mutate/mutation.ts';
export { createReadRecords, createVersionDigest, type ReadRecords, versionOf } from './mutate/read-records.ts';
export type { DirectoryStat, OpenDirectory } from './open-directory.ts';
export {
  createSpill,
  createStateFiles,
  type Directories,
  findCacheDirectory,
  findDirectories,
  isWithin,
  MAX_SOCKET_PATH,
  MAX_SPILL_BYTES,
  makeOwnDirectory,
  makePrivateDirectory,
  mayRecord,
  RESULTS_URI,
  realPathIfThere,
  realPathOf,
  type Spill,
  type StateFiles,
} from './private-files.ts';
export { rejectTooLarge } from './target.ts';
export {
  createUserFiles,
  openWorkspace,
  type PathStatus,
  type UserFiles,
  type Workspace,
  withOwnPath,
} from './workspace.ts';
