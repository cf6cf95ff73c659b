export type { CommandSpec, Flag, FlagTable } from './command-spec.ts';
export { choose, FlagError, ParsedFlags, toUnknown } from './parsed-flags.ts';
