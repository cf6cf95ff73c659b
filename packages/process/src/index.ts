// A module that another package imports dynamically has an export of its own: with this one, all of it would be loaded.

export { isListening, portsOfCommand } from './listening.ts';
export { installedVersion, packageOf, programVersion, withDependencies } from './programs/npm-package.ts';
export { findRipgrep, type Ripgrep } from './programs/ripgrep.ts';
export { runProgram } from './run-program.ts';
export type { Command, CommandEnd, RunningCommand, Stream, Typing } from './running-command.ts';
export {
  adoptsOrphans,
  canType,
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
export { findLargeFiles, findPrograms, interpreterOf, realPath, watchDirectory } from './system-files.ts';
