export { type Fingerprint, fingerprintOf, isUnchanged } from './fingerprint.ts';
export { type ListedEntry, listDirectory } from './list-directory.ts';
export { walk } from './walk.ts';
export type { WalkEntry } from './walk-entry.ts';
