export { parseIgnoreRules, type Rule } from './ignore-rules.ts';
export { locateNamed, type NamedPath, openNamed } from './named-path.ts';
export { StarPattern } from './star-pattern.ts';
export { walk } from './walk.ts';
export type { WalkEntry } from './walk-entry.ts';
export type { Decide } from './walk-options.ts';
