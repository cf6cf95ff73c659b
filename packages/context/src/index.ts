export { chooseLimit } from './choose-limit.ts';
export type { CollectOptions } from './collect-options.ts';
export { explainLine } from './explanation.ts';
export { type ListedFile, listFiles } from './list.ts';
export type { Overrides } from './rule-lists.ts';
export { showPath } from './show-path.ts';
export { type Sink, Spool } from './spool.ts';
export { planNamedTargets } from './targets.ts';
export { translateWslPath } from './wsl-path.ts';
