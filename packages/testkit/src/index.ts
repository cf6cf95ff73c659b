export { type CallOptions, call, openTestMachine, toolsetOf } from './call.ts';
export { type FileTree, makeTree } from './make-tree.ts';
export { countProcessorTime } from './processor-time.ts';
export { readHeads, standInPage } from './stand-in-page.ts';
export { checkNginx, findNginx, findPort, startNginx } from './start-nginx.ts';
export { findPostgres, sharePostgres, startPostgres } from './start-postgres.ts';
export { startRelay } from './start-relay.ts';
export { toStatelessRequest } from './stateless-request.ts';
export { makeTempDirectory } from './temp-directory.ts';
