import { ToolError } from '@jinn/errors';
import { NOTES, ownName } from './argument-names.ts';
import type { JsonSchema } from './input.ts';
import { repairMembers, toNumber } from './repair-values.ts';

type Members = Readonly<Record<string, unknown>>;

/**
 * Returns arguments by the names and with the types of the schema if their meaning is certain; the others unchanged, to
 * be checked. The schema that hosts see does not show this, so it costs no tokens. Throws `invalid_args` for an
 * argument that is given twice, under two names and with two values.
 */
export function readArgs(schema: JsonSchema, args: unknown, tool: string): unknown {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return args;
  return repairMembers(schema, args, (at, members) => toOwnNames(at, members as Members, tool));
}

function toOwnNames({ properties }: JsonSchema, given: Members, tool: string): object {
  if (properties === undefined) return given;
  const names = Object.keys(properties);
  const named = new Map<string, unknown>();
  for (const [name, value] of Object.entries(withoutLimit(given, names))) {
    if (NOTES.includes(name) && !names.includes(name)) continue;
    const own = names.includes(name) ? name : (ownName(name, names) ?? name);
    const before = named.get(own) ?? null;
    if (value === null && before !== null) continue;
    const isFirst = own === 'start_line' && name === 'offset' && (value === 0 || value === '0');
    const meant = isFirst ? 1 : toOwnValue(own, value, properties[own]);
    if (before !== null && !isSame(before, meant)) throw givenTwice(tool, own, given);
    named.set(own, meant);
  }
  return Object.fromEntries(named);
}

/** The names of other tools for the formats of a search. */
const FORMATS: Readonly<Record<string, string>> = {
  files_with_matches: 'filenames',
  count: 'filenames',
  content: 'grouped',
};

function toOwnValue(name: string, value: unknown, schema: JsonSchema | undefined): unknown {
  if (name !== 'format' || typeof value !== 'string' || !Object.hasOwn(FORMATS, value)) return value;
  return schema?.enum?.includes(FORMATS[value]) ? FORMATS[value] : value;
}

/** Converts a number of lines to a last line, for a tool that takes a first and a last line. */
function withoutLimit(given: Members, names: readonly string[]): Members {
  const { limit, ...rest } = given;
  if (!names.includes('end_line') || names.includes('limit') || (given['end_line'] ?? null) !== null) return given;
  const startName = Object.keys(given).find((name) => name === 'start_line' || ownName(name, names) === 'start_line');
  const start = integerFrom(startName === undefined ? 1 : (given[startName] ?? 1));
  const count = integerFrom(limit ?? 0);
  if (start === undefined || count === undefined || count < 1) return limit === null ? rest : given;
  return { ...rest, end_line: Math.max(1, start) + count - 1 };
}

function integerFrom(value: unknown): number | undefined {
  const number = typeof value === 'string' ? toNumber(value) : value;
  return Number.isSafeInteger(number) ? (number as number) : undefined;
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function givenTwice(tool: string, own: string, given: Members): ToolError {
  const names = Object.keys(given).map((name) => JSON.stringify(name.slice(0, 60)));
  return new ToolError(
    'invalid_args',
    `${tool}: "${own}" is given twice with different values, in ${names.join(', ')}`,
    {
      suggestion: `send ${own} alone`,
    },
  );
}
