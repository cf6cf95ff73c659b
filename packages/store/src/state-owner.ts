import type { Grants, Memory } from '@jinn/core';
import type { History } from '@jinn/workspace';
import type { HistoryLimits } from './history/open-history.ts';

export interface StateOwner {
  readonly root: string;
  readonly person: string;
  readonly directory: string | undefined;
  readonly limits?: HistoryLimits;
}

/** Opens what is kept for the user. */
export interface StateOfPerson {
  grants(): Promise<Grants>;
  memory(): Promise<Memory>;
  history(): Promise<History>;
}

/** Returns the name for what the user has at a place, which is "global" or starts with a slash. A name has no slash and no colon. */
export function ownedBy(person: string, place: string): string {
  return person === '' ? place : `${person}:${place}`;
}

/** Returns the place in such a name, or undefined if it is another person's. */
export function placeOf(person: string, owned: string): string | undefined {
  if (person === '') return /^[^/:]+:/.test(owned) ? undefined : owned;
  return owned.startsWith(`${person}:`) ? owned.slice(person.length + 1) : undefined;
}
