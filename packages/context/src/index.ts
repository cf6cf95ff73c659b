export { type Sink, Spool } from './document/spool.ts';
export { type ListedFile, listFiles } from './list.ts';
export { explainLine } from './rules/classify-entry.ts';
export { compileGlobs } from './rules/exclusions.ts';
export type { CollectOptions } from './targets/collect.ts';
export { escapePath } from './targets/escape-path.ts';
export {
  type NamedTargets,
  planNamedTargets,
  type TargetPlan,
  targetDirectories,
  translateWslPath,
} from './targets/targets.ts';
