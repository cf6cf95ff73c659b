// A module that another package imports dynamically has an export of its own: with this one, all of it would be loaded.
export type { Ended, Stream } from './command.ts';
export type { SandboxName } from './confine.ts';
export { findPrograms } from './find-programs.ts';
export { findSandbox } from './find-sandbox.ts';
export { findLargeFiles } from './large-files.ts';
export { type LineMatches, matchLines } from './match-lines.ts';
export { MatchThread } from './match-thread.ts';
export { programVersion } from './program-version.ts';
export { realPath } from './real-path.ts';
export { Replacer } from './replace-matches.ts';
export { findRipgrep, type Ripgrep } from './ripgrep.ts';
export { runProgram } from './run-program.ts';
export type { Denial } from './sandbox-denials.ts';
export { adoptsOrphans, findBash, findPerl, prepareCommand, signalName } from './start-command.ts';
export { type ConfinedEnd, startConfined } from './start-confined.ts';
export { startConfinedServer, temporaryInside } from './start-confined-server.ts';
export { type ServerCommand, type ServerProcess, startServer } from './start-server.ts';
export { watchDirectory } from './watch-directory.ts';
