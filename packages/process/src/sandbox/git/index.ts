// A module that another package imports dynamically has an export of its own: with this one, all of it would be loaded.
export { type BytePath, byteText, toBytePath, toSystemPath } from './byte-path.ts';
export {
  adoptSettings,
  attempt,
  failure,
  stateOf,
  type UndoneTrap,
  type UnitState,
  undoLink,
  undoTraps,
} from './git-check.ts';
export { isLineByLine } from './git-config.ts';
export {
  findUnits,
  GitlinkReader,
  type GitUnit,
  type Mount,
  OBEYED,
  readOnlyMounts,
  repositoryOf,
  unitMounts,
} from './git-units.ts';
export { entriesAt, entriesOf, identityAt, setMode, statOf, withDirectory } from './held-directory.ts';
