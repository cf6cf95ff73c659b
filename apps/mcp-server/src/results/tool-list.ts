import { meantCall, NOTES, nearestArgument, repairMembers, type ToolDescription, type ToolList } from '@jinn/core';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';

/** Not every host asks for a second page, so that a list is split only if it has very many tools. */
const PAGE = 250;
const CURSOR = /^\d{1,9}$/;

/** Returns a page of a list, and the cursor of the next one. Throws a ProtocolError for a cursor that no page has given. */
export function toolPageOf<T>(
  list: readonly T[],
  cursor = '0',
): { readonly page: readonly T[]; readonly nextCursor?: string } {
  if (!CURSOR.test(cursor)) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'unknown cursor');
  const end = Number(cursor) + PAGE;
  return { page: list.slice(Number(cursor), end), ...(end < list.length && { nextCursor: String(end) }) };
}

const MAX_NAMES_BYTES = 1_500;
const MAX_REASON = 500;
const MAX_SHOWN_NAME = 100;

/** Cuts the name of an unknown tool. */
export function showToolName(name: string): string {
  return name.slice(0, MAX_SHOWN_NAME);
}

/** Makes the error for an unknown tool: why it is missing, the call that may be meant, and which tools exist. */
export async function unknownTool(
  { name, arguments: args }: { readonly name: string; readonly arguments?: unknown },
  { tools, leftOut }: ToolList,
): Promise<ProtocolError> {
  const meant = await meantCall(name, args, tools);
  const call = meant && JSON.stringify({ name: meant.tool, arguments: meant.args });
  const reason = leftOut.find(({ names }) => names.includes(name))?.reason;
  const shown = fitLines(tools.map((tool) => tool.name).join('\n'), MAX_NAMES_BYTES)
    .replaceAll('\n', ', ')
    .replace(/\[(\d+) more lines\]$/, 'and $1 more');
  const why = reason === undefined ? '' : `. It cannot be used: ${reason.slice(0, MAX_REASON)}`;
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Unknown tool: ${showToolName(name)}${why}${call ? `. Did you mean ${call}?` : '.'} The tools are ${shown}`,
  );
}

const MORE_BYTES = 24;

/** Returns as many of the first lines as fit into `maxBytes`, and how many are omitted. If even the first line is too long, it is cut. */
export function fitLines(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  const lines = text.split('\n');
  const shown: string[] = [];
  let room = maxBytes - MORE_BYTES;
  for (const line of lines) {
    const size = Buffer.byteLength(line) + 1;
    if (size > room) break;
    shown.push(line);
    room -= size;
  }
  if (shown.length === 0) shown.push(cutLine(lines[0] ?? '', room));
  const left = lines.length - shown.length;
  return left === 0 ? shown.join('\n') : `${shown.join('\n')}\n[${left} more lines]`;
}

function cutLine(line: string, maxBytes: number): string {
  const bytes = Buffer.from(line).subarray(0, Math.max(0, maxBytes - Buffer.byteLength('…')));
  return `${bytes.toString().replace(/\ufffd+$/, '')}…`;
}

const INJECTED = ['intent', 'accept_large_output', 'wait_for_previous'];
const MAX_SHOWN_KEY = 60;

export interface RepairedArgs {
  readonly args: object;
  readonly warnings: readonly string[];
}

/** Undoes what hosts do to arguments: added keys, nulls, and values as text. A key of any tool stays: `known` returns those. */
export async function repairArgs(
  schema: ToolDescription['schema'],
  args: Readonly<Record<string, unknown>>,
  known: () => Promise<Set<string>>,
): Promise<RepairedArgs> {
  const { properties = {}, additionalProperties } = schema;
  const isOurs = (key: string) => Object.hasOwn(properties, key) || !INJECTED.includes(key);
  const given = Object.entries(args).filter(([key]) => isOurs(key));
  const isUnknown = ([key]: [string, unknown]) =>
    additionalProperties === false &&
    !Object.hasOwn(properties, key) &&
    nearestArgument(key, Object.keys(properties)) === undefined;
  const others = given.some(isUnknown) ? await known() : new Set<string>();
  const isAdded = (entry: [string, unknown]) => isUnknown(entry) && !others.has(entry[0]);
  const kept = given.filter((entry) => !isAdded(entry));
  return {
    args: repairMembers(schema, Object.fromEntries(kept)),
    warnings: given
      .filter((entry) => isAdded(entry) && !NOTES.includes(entry[0]))
      .map(([key]) => `unknown argument ${JSON.stringify(key.slice(0, MAX_SHOWN_KEY))} was ignored`),
  };
}
