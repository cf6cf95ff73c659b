export { type ClipboardProgram, copyToClipboard, findClipboard } from './clipboard.ts';
export { diffSince, findChanges } from './git-changes.ts';
export { type Replaced, replaceMatches } from './replace-matches.ts';
