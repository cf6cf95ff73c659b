export { type Fingerprint, fingerprintOf, isUnchanged } from './fingerprint.ts';
export { listDirectory } from './list-directory.ts';
export { compileNamePattern } from './name-pattern.ts';
export { compilePathPattern, isGlob } from './path-pattern.ts';
export type { NamedEntry } from './read-names.ts';
export { walk } from './walk.ts';
export type { WalkEntry } from './walk-entry.ts';
export { EXCLUDED_DIRECTORIES, liesInExcluded } from './walk-options.ts';
