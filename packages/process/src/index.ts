export { confine, findSandbox, type SandboxName } from './confine.ts';
export { readSandboxPolicy } from './read-sandbox-policy.ts';
export { type Replaced, replaceMatches } from './replace-matches.ts';
export {
  adoptsOrphans,
  type Ended,
  findBash,
  findPerl,
  prepareCommand,
  type Stream,
  signalName,
  startCommand,
} from './start-command.ts';
