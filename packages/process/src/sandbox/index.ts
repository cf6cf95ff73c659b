// A module that another package imports dynamically has an export of its own: with this one, all of it would be loaded.
export { findSandbox } from './find-sandbox.ts';
export type { Denial } from './start-confined.ts';
export { type ConfinedEnd, startConfined } from './start-confined.ts';
export { findHidden, startConfinedServer, temporaryInside } from './start-confined-server.ts';
