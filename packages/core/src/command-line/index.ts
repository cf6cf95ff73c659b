export { type CommandSpec, type Flag, type FlagTable, HELP, SHELLS } from './command-spec.ts';
export { choose, FlagError, ParsedFlags, toUnknown } from './parsed-flags.ts';
