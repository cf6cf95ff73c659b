import { nearestName, ToolError } from '../../errors/index.ts';
import { isObject } from '../../text/index.ts';
import type { JsonSchema } from './input.ts';
import { ALIASES, CONVERSIONS, LARGEST, type Members, type Names, NOTES, RELATED, VALUES } from './other-agents.ts';
import { parseText, repairMembers, toNumber } from './repair-values.ts';

/** How the description of an argument starts that holds globs. As a text, it may be a list in JSON. */
const GLOBS = /^Globs?: /;

/**
 * Returns arguments by the names and with the types of the schema if their meaning is certain. The others unchanged, to
 * be checked. Throws `invalid_args` for an argument that is given under two names with two values.
 */
export function readArgs(schema: JsonSchema, args: unknown, tool: string): unknown {
  if (!isObject(args)) return args;
  return repairMembers(schema, args, (at, members) => toOwnNames(at, members as Members, tool));
}

function toOwnNames({ properties }: JsonSchema, given: Members, tool: string): object {
  if (properties === undefined) return given;
  const names = Object.keys(properties);
  const named = new Map<string, unknown>();
  for (const [name, value] of Object.entries(sharePath(properties, given))) {
    for (const [own, meant] of meaningOf(name, value, { names, properties, given })) {
      const before = named.get(own) ?? null;
      if (before === null) named.set(own, meant);
      else if (meant !== null && LARGEST.includes(own)) named.set(own, Math.max(numberOf(before), numberOf(meant)));
      else if (meant !== null && JSON.stringify(before) !== JSON.stringify(meant)) throw givenTwice(tool, own, given);
    }
  }
  return Object.fromEntries(named);
}

interface Sent {
  readonly names: readonly string[];
  readonly properties: NonNullable<JsonSchema['properties']>;
  readonly given: Members;
}

function meaningOf(name: string, value: unknown, { names, properties, given }: Sent): (readonly [string, unknown])[] {
  const conversions = conversionsOf(name, names);
  if (value === null && conversions[0]) return [[conversions[0].needs, null]];
  const converted = conversions.map(({ to }) => to(value, given)).find((found) => found !== undefined);
  if (converted) return Object.entries(converted).filter(([own]) => names.includes(own));
  if (!names.includes(name) && NOTES.includes(name)) return [];
  const own = names.includes(name) ? name : (ownName(name, names) ?? name);
  if (Array.isArray(value) && GLOBS.test(properties[own]?.description ?? '')) return [[own, JSON.stringify(value)]];
  const meant = VALUES[own]?.[String(value)];
  return [[own, meant !== undefined && properties[own]?.enum?.includes(meant) ? meant : value]];
}

function sharePath(properties: Sent['properties'], given: Members): Members {
  const list = Object.keys(properties).find((name) => properties[name]?.items?.properties?.['path']);
  const isPath = (name: string) => ownName(name, ['path']) !== undefined;
  const shared = Object.keys(given).find(
    (name) => isPath(name) && ownName(name, Object.keys(properties)) === undefined,
  );
  if (list === undefined || shared === undefined) return given;
  const { [shared]: path, [list]: sent, ...rest } = given;
  const items = typeof sent === 'string' ? parseText('array', sent) : sent;
  if (!Array.isArray(items)) return given;
  const hasNone = (item: unknown) => typeof item === 'object' && item !== null && !Object.keys(item).some(isPath);
  return { ...rest, [list]: items.map((item) => (hasNone(item) ? { ...item, path } : item)) };
}

function numberOf(value: unknown): number {
  return Number(typeof value === 'string' ? toNumber(value) : value);
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

/** Returns the argument that another name or spelling stands for, such as `filePath` for `path`. */
export function ownName(name: string, names: readonly string[]): string | undefined {
  const plain = toPlain(name);
  return names.find((own) => own === plain) ?? lookUp(ALIASES, plain, names);
}

/** Returns the conversions of an argument of other tools for a tool with these arguments. */
export function conversionsOf(name: string, names: readonly string[]) {
  const plain = toPlain(name);
  return CONVERSIONS.filter(
    ({ names: others, needs }) =>
      others.split(' ').includes(plain) && names.includes(needs) && (needs === plain || !names.includes(plain)),
  );
}

/** Returns the argument that an unknown one most likely stands for. */
export function nearestArgument(unknown: string, names: readonly string[]): string | undefined {
  return (
    ownName(unknown, names) ??
    conversionsOf(unknown, names)[0]?.needs ??
    lookUp(RELATED, toPlain(unknown), names) ??
    nearestName(unknown, names)
  );
}

/** Returns `filePath` as `file_path`. A letter after a dash is a flag and stays. */
export function toPlain(name: string): string {
  return name.length > 2 ? name.replace(/[a-z](?=[A-Z])/g, '$&_').toLowerCase() : name;
}

function lookUp(table: Names, name: string, names: readonly string[]): string | undefined {
  return Object.keys(table).find((own) => names.includes(own) && table[own]?.split(' ').includes(name));
}
