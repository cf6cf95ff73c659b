export { parseIgnoreRules, type Rule } from './ignore-rules.ts';
export { locateNamed, type NamedPath, openNamed } from './named-path.ts';
export { walk } from './walk.ts';
export { compareNames, type WalkEntry } from './walk-entry.ts';
export type { Decide } from './walk-options.ts';
