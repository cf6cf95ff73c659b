export { type Classification, type CommandReading, classify, readCommand } from './classify.ts';
export { type CommandParts, commandParts, type ProgramName } from './command-parts.ts';
export { type StatusCommand, statusCommand } from './status-command.ts';
export { type PipelinePart, type WatchedText, watchPipelines } from './watch-pipelines.ts';
