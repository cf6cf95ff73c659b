export { openHistory } from './history/open-history.ts';
export { openMemory } from './memory/open-memory.ts';
export { openGrants } from './open-grants.ts';
export { explainNoSqlite } from './sqlite.ts';
