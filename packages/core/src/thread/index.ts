export { type LineMatches, matchLines } from './match-lines.ts';
export { MatchThread } from './match-thread.ts';
export { type ReplaceResult, Replacer } from './replace-matches.ts';
export { StoppableThread } from './stoppable-thread.ts';
