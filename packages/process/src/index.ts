// A module that another package imports dynamically has an export of its own: with this one, all of it would be loaded.

export { isListening } from './listening.ts';
export { findPrograms } from './programs/find-programs.ts';
export { interpreterOf } from './programs/interpreter.ts';
export { packageOf, withDependencies } from './programs/npm-package.ts';
export { installedVersion, programVersion } from './programs/program-version.ts';
export { findRipgrep, type Ripgrep } from './programs/ripgrep.ts';
export { realPath } from './real-path.ts';
export { runProgram } from './run-program.ts';
export type { Command, CommandEnd, RunningCommand, Stream } from './running-command.ts';
export {
  adoptsOrphans,
  findBash,
  findPerl,
  prepareCommand,
  signalName,
  startCommand,
  ViewError,
} from './start-command.ts';
export {
  type ServerCommand,
  type ServerProcess,
  startServer,
  startSupervised,
} from './start-server.ts';
export { watchDirectory } from './watch-directory.ts';
