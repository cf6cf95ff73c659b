export { type Fingerprint, fingerprintOf, isThere, isUnchanged } from './fingerprint.ts';
export { listWorktrees } from './git/git-directory.ts';
export { TrackedFiles } from './git/tracked-files.ts';
export {
  cleanNames,
  type Glob,
  type GlobRoot,
  type GlobRule,
  globRoot,
  globRoots,
  NO_ENTRIES,
  PathMatcher,
  readGlobs,
} from './globs.ts';
export { visitInTurns } from './in-turns.ts';
export { listDirectory, listOpen, type NamedEntry } from './names.ts';
export { locateNamed, type NamedPath, openPlainly } from './read-plainly.ts';
export { Cascade, type CompiledFile, CompiledFiles } from './rules/cascade.ts';
export { compileNamePattern, escapeGlob, isGlob } from './rules/glob.ts';
export { adviseGlob } from './rules/glob-advice.ts';
export type { RuleContext } from './rules/pattern.ts';
export { parseRules, type Rule } from './rules/rule-file.ts';
export { RuleList } from './rules/rule-list.ts';
export { walk } from './walk.ts';
export type { WalkEntry } from './walk-entry.ts';
export { type Decider, EXCLUDED_DIRECTORIES, type TakenFiles, type WalkOptions } from './walk-options.ts';
export { LeftOut, oneLine, showPath } from './warnings.ts';
