export { openGrants } from './open-grants.ts';
export { openHistory } from './open-history.ts';
export { openMemory } from './open-memory.ts';
