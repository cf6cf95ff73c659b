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
export { fileNotFound, fromSystemError, isOutOfDescriptors, notADirectory } from './system-error.ts';
export { closedToWriting, fromWriteError } from './write-error.ts';
