/**
 * Returns the name under which a person's part of what is kept for a place stands: the place itself for a person without a
 * name. A place is "global" or begins with a slash, and a person's name has neither slash nor colon, so that no two are equal.
 */
export function ownedBy(person: string, place: string): string {
  return person === '' ? place : `${person}:${place}`;
}

/** Returns the place in such a name; undefined if it is another person's. */
export function placeOf(person: string, owned: string): string | undefined {
  if (person === '') return /^[^/:]+:/.test(owned) ? undefined : owned;
  return owned.startsWith(`${person}:`) ? owned.slice(person.length + 1) : undefined;
}
