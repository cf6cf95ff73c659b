import type { Incoming } from '@jinn/core/text';

/**
 * Returns the id of a request as JSON text; undefined if it has none, or one that is neither a string nor a number. A
 * number stays as it was written: JavaScript would change a long one.
 */
export function requestIdOf(incoming: Incoming): string | undefined {
  return idOf(incoming, 'request_id');
}

/** Returns the id under a key as JSON text; undefined if there is none. */
export function idOf(incoming: Incoming, key: 'request_id' | 'cancel'): string | undefined {
  if (!incoming.ok) return undefined;
  const id = (Object(incoming.value) as Readonly<Record<string, unknown>>)[key];
  if (typeof id === 'number') return incoming.numbers?.get(key) ?? String(id);
  return typeof id === 'string' ? JSON.stringify(id) : undefined;
}

/** Returns the JSON of an object that has members, with the id of a request, which is JSON text, as its last one. */
export function withRequestId(members: object, requestId: string | undefined): string {
  const text = JSON.stringify(members);
  return requestId === undefined ? text : `${text.slice(0, -1)},"request_id":${requestId}}`;
}
