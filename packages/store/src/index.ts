export { openHistory } from './open-history.ts';
