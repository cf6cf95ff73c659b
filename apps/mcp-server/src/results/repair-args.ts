import { NOTES, nearestArgument, repairMembers, type ToolDescription } from '@jinn/core';

type Schema = ToolDescription['schema'];
type Members = Readonly<Record<string, unknown>>;

/** Keys that known hosts add to the arguments of every call for their own use. They are left out without a warning. */
const INJECTED = ['intent', 'accept_large_output', 'wait_for_previous'];
const MAX_SHOWN_KEY = 60;

export interface RepairedArgs {
  readonly args: object;
  readonly warnings: readonly string[];
}

/**
 * Undoes what hosts do to arguments: it leaves out keys that they add and nulls for what is optional, and parses lists,
 * objects, numbers and booleans that come as text. A key that any tool has, or that is like one of this tool's, stays: it
 * is a mistake that the tool must refuse. `known` returns the arguments of all tools.
 */
export async function repairArgs(
  schema: Schema,
  args: Members,
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
      .map(([key]) => `unknown argument ${quote(key)} was left out`),
  };
}

function quote(key: string): string {
  return JSON.stringify(key.slice(0, MAX_SHOWN_KEY));
}
