export { type CallOptions, call } from './call.ts';
export { type FileTree, makeTree } from './make-tree.ts';
export { makeTempDirectory } from './temp-directory.ts';
