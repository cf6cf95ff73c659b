export { copyByFingerprint, type FolderCopy, findBuilt, keepBuilt } from './copy-folder.ts';
export { editVariable, readVariables, VARIABLE_NAME } from './env-file.ts';
export { describeFolder, fingerprintFolder, shortFingerprint } from './fingerprint-folder.ts';
export {
  checkFolder,
  copyFolder,
  entryKindOf,
  findToolFolders,
  makeSideFolder,
  placeFolder,
  readInstallSource,
  recoverFolders,
  removeTree,
  writeFiles,
} from './installed-folder.ts';
export { listFolders, readSmallFile, resolveInside, type ToolFolder, watchFolders } from './list-folders.ts';
