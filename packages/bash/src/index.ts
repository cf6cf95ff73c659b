export { type Classification, classify } from './classify.ts';
export { type StatusCommand, statusCommand } from './status-command.ts';
