export { confine, type SandboxName } from './confine.ts';
export { type Replaced, replaceMatches } from './replace-matches.ts';
export { type Ended, findBash, type Stream, signalName, startCommand } from './start-command.ts';
