export { parseIgnoreRules } from './ignore-rules.ts';
export { locateNamed, type NamedPath, openNamed } from './named-path.ts';
export { mightMatch } from './names-pattern.ts';
export { StarPattern } from './star-pattern.ts';
export { walk } from './walk.ts';
export type { WalkEntry } from './walk-entry.ts';
export type { Decider, WalkOptions } from './walk-options.ts';
