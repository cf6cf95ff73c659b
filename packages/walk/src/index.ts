export { walk } from './walk.ts';
export type { WalkEntry } from './walk-entry.ts';
