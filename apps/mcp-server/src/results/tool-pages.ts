import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';

/** Not every host asks for a second page, so that only who has very many tools gets one. */
const PAGE = 250;
const CURSOR = /^\d{1,9}$/;

/** A page of a list, and where the next one begins, as MCP says it. */
export interface Page<T> {
  readonly page: readonly T[];
  readonly nextCursor?: string;
}

/** Cuts a list into pages. Throws what a host is answered for a cursor that no page has given. */
export function pageOf<T>(list: readonly T[], cursor = '0'): Page<T> {
  if (!CURSOR.test(cursor)) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'unknown cursor');
  const end = Number(cursor) + PAGE;
  return { page: list.slice(Number(cursor), end), ...(end < list.length && { nextCursor: String(end) }) };
}
