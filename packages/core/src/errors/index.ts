export {
  ERROR_CODES,
  type ErrorCode,
  type ErrorDetails,
  type ExampleCall,
  ToolError,
  type ToolErrorOptions,
  UsageError,
} from './errors.ts';
export { isOneEditAway, MIN_MISSPELT, nearestName } from './nearest.ts';
export {
  closedToWriting,
  fileNotFound,
  fromReadError,
  fromSystemError,
  fromWriteError,
  isOutOfDescriptors,
  notADirectory,
} from './system-error.ts';
