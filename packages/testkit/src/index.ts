export { call, type CallOptions } from './call.ts';
export { type FileTree, makeTree, type TreeEntry } from './make-tree.ts';
export { makeTempDirectory } from './temp-directory.ts';
