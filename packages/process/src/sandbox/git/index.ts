// A module that another package imports dynamically has an export of its own: with this one, all of it would be loaded.

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
export {
  type BytePath,
  byteText,
  entriesAt,
  entriesOf,
  identityAt,
  isSettled,
  setMode,
  statOf,
  toBytePath,
  toSystemPath,
  withDirectory,
} from './held-directory.ts';
