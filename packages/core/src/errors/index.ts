export {
  ERROR_CODES,
  type ErrorCode,
  type ErrorDetails,
  type ExampleCall,
  ToolError,
  type ToolErrorOptions,
} from './errors.ts';
export { isOneEditAway, MIN_MISSPELT } from './misspelling.ts';
export { nearestName } from './nearest.ts';
export { fromReadError } from './read-error.ts';
export {
  closedToWriting,
  fileNotFound,
  fromSystemError,
  fromWriteError,
  isOutOfDescriptors,
  notADirectory,
} from './system-error.ts';
