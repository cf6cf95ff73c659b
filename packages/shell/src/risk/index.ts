export {
  type Classification,
  type CommandReading,
  classify,
  type PipelinePart,
  type RunnableCommand,
  readCommand,
  type WatchedText,
  watchPipelines,
} from './classify.ts';
export { type CommandParts, commandParts, filterStage, type ProgramName } from './command-parts.ts';
export { readInput, type TypedSoFar } from './read-input.ts';
export { type StatusCommand, statusCommand } from './status-command.ts';
export { parse as parseCommand } from './syntax/parse-bash.ts';
