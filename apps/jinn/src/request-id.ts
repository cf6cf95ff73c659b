import type { Incoming } from '@jinn/text';

/**
 * Returns the id of a request as JSON text; undefined if it has none, or one that is neither a string nor a number. A
 * number stays as it was written: JavaScript would change a long one.
 */
export function requestIdOf(incoming: Incoming): string | undefined {
  if (!incoming.ok) return undefined;
  const { request_id: id } = Object(incoming.value) as { request_id?: unknown };
  if (typeof id === 'number') return incoming.numbers?.get('request_id') ?? String(id);
  return typeof id === 'string' ? JSON.stringify(id) : undefined;
}

/** Returns the JSON of an object that has members, with the id of a request, which is JSON text, as its last one. */
export function withRequestId(members: object, requestId: string | undefined): string {
  const text = JSON.stringify(members);
  return requestId === undefined ? text : `${text.slice(0, -1)},"request_id":${requestId}}`;
}
