/** Ids of operations begin with this; ids of entries do not. */
export const OPERATION_PREFIX = 'op-';

/** A short id. It need not be secret, and the table refuses one that it has already. */
export function randomId(): string {
  return Math.floor(Math.random() * 2 ** 40)
    .toString(16)
    .padStart(10, '0');
}
