/** What ids of operations begin with, and ids of entries do not. */
export const OPERATION_PREFIX = 'op-';

/** Ids need not be secret, only short; the table refuses one that is there already. */
export function randomId(): string {
  return Math.floor(Math.random() * 2 ** 40)
    .toString(16)
    .padStart(10, '0');
}
