export { chooseLimit } from './choose-limit.ts';
export type { CollectOptions, Overrides } from './collect.ts';
export { explainLine } from './explain-line.ts';
export { type ListedFile, listFiles } from './list.ts';
export { showPath } from './show-path.ts';
export { type Sink, Spool } from './spool.ts';
export { planNamedTargets } from './targets.ts';
export { translateWslPath } from './wsl-path.ts';
