export { copyByFingerprint, type FolderCopy, findBuilt, keepBuilt } from './copy-folder.ts';
export { editVariable, readVariables, VARIABLE_NAME } from './env-file.ts';
export { fingerprintFolder, shortFingerprint } from './fingerprint-folder.ts';
export { describeFolder } from './folder-entries.ts';
export {
  checkFolder,
  copyFolder,
  findToolFolders,
  kindOf,
  makeSideFolder,
  placeFolder,
  readSource,
  recoverFolders,
  removeTree,
  writeFiles,
} from './installed-folder.ts';
export { listFolders, readSmallFile, resolveInside, type ToolFolder } from './list-folders.ts';
export { watchFolders } from './watch-folders.ts';
