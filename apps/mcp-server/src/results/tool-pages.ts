import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';

/** Not every host asks for a second page, so that a list is split only if it has very many tools. */
const PAGE = 250;
const CURSOR = /^\d{1,9}$/;

/** A page of a list, and the cursor of the next one. */
export interface Page<T> {
  readonly page: readonly T[];
  readonly nextCursor?: string;
}

/** Cuts a list into pages. Throws the error that MCP has for a cursor that no page has given. */
export function pageOf<T>(list: readonly T[], cursor = '0'): Page<T> {
  if (!CURSOR.test(cursor)) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'unknown cursor');
  const end = Number(cursor) + PAGE;
  return { page: list.slice(Number(cursor), end), ...(end < list.length && { nextCursor: String(end) }) };
}
