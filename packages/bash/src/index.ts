export { type Classification, classify } from './classify.ts';
export { filterStage } from './filter-stage.ts';
export { type StatusCommand, statusCommand } from './status-command.ts';
