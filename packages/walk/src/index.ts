export { type Fingerprint, fingerprintOf, isThere, isUnchanged } from './fingerprint.ts';
export { compileNamePattern, compilePathPattern, fromRootOrStart, isGlob } from './glob.ts';
export { inTurns } from './in-turns.ts';
export { listDirectory, listOpen } from './list-directory.ts';
export { locateNamed, type NamedPath, openNamed } from './named-path.ts';
export { compileExtensionFilter, compileNameFilter, FileNames, type NamedEntry, type NameFilter } from './names.ts';
export { parseRules, type Rule } from './rule-file.ts';
export { RuleSet } from './rule-set.ts';
export { TrackedFiles } from './tracked-files.ts';
export { walk } from './walk.ts';
export type { WalkEntry } from './walk-entry.ts';
export {
  type Decider,
  EXCLUDED_DIRECTORIES,
  liesInExcluded,
  type TakenFiles,
  type WalkOptions,
} from './walk-options.ts';
export { Wildmatch } from './wildmatch.ts';
export { listWorktrees } from './worktrees.ts';
