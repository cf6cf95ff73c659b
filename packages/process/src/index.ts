export { type ClipboardProgram, copyToClipboard, findClipboard } from './clipboard.ts';
export type { Ended, Stream } from './command.ts';
export { confine, findSandbox, type SandboxName } from './confine.ts';
export { findChanges, type GitChanges } from './git-changes.ts';
export { findLargeFiles } from './large-files.ts';
export { type LineMatches, matchLines } from './match-lines.ts';
export { MatchThread } from './match-thread.ts';
export { readSandboxPolicy } from './read-sandbox-policy.ts';
export { Replacer } from './replace-matches.ts';
export { findRipgrep, type Ripgrep } from './ripgrep.ts';
export { runProgram } from './run-program.ts';
export {
  adoptsOrphans,
  findBash,
  findPerl,
  prepareCommand,
  signalName,
  startCommand,
} from './start-command.ts';
