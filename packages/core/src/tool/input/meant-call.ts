import type { ExampleCall } from '../../errors/index.ts';
import { isObject } from '../../text/is-object.ts';
import { toPlain } from './argument-names.ts';
import type { JsonSchema } from './input.ts';
import { EDITOR, type Members, TOOLS } from './other-agents.ts';
import { readArgs } from './read-args.ts';

const MAX_TEXT = 300;

export interface ServedTool {
  readonly name: string;
  readonly schema: JsonSchema;
}

/** Returns the name of the tool that a call of another agent's tool stands for; undefined if none of `names` does. */
export function meantTool(name: string, sent: unknown, names: readonly string[]): string | undefined {
  return findMeaning(name, sent, names)?.tool;
}

/** Returns the call that a call of another agent's tool stands for, with its values; undefined if there is none. */
export function meantCall(name: string, sent: unknown, tools: readonly ServedTool[]): ExampleCall | undefined {
  const meaning = findMeaning(
    name,
    sent,
    tools.map((tool) => tool.name),
  );
  const tool = tools.find((served) => served.name === meaning?.tool);
  return meaning && tool && { tool: tool.name, args: fill(tool, meaning.args) };
}

function findMeaning(
  name: string,
  sent: unknown,
  served: readonly string[],
): { tool: string; args: Members } | undefined {
  const given: Members = isObject(sent) ? { ...sent } : {};
  const plain = toPlain(name.replace(/^.*(?:__|\.)/, '')).toLowerCase();
  const isEditor = EDITOR.names.split(' ').includes(plain);
  const { command, ...rest } = given;
  const asked = isEditor ? (EDITOR.commands[String(command)] ?? 'edit') : plain;
  const args = isEditor ? rest : given;
  for (const { own, names, to } of TOOLS) {
    const tool = own.split(' ').find((ours) => served.includes(ours));
    if (tool && `${own} ${names}`.split(' ').includes(asked)) return { tool, args: to ? to(args, tool) : args };
  }
  return undefined;
}

function fill({ name, schema: { properties = {}, required = [], ...rest } }: ServedTool, args: Members): object {
  const read = Object.entries(readOrNothing({ properties, required, ...rest }, args, name));
  const known = read.filter(([key]) => Object.hasOwn(properties, key)).map(([key, value]) => [key, shorten(value)]);
  const missing = required.filter((key) => !known.some(([name]) => name === key)).map((key) => [key, '…']);
  return Object.fromEntries([...known, ...missing]);
}

function readOrNothing(schema: JsonSchema, args: Members, name: string): object {
  try {
    return readArgs(schema, args, name) as object;
  } catch {
    return {};
  }
}

function shorten(value: unknown): unknown {
  if (typeof value === 'string') return value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}…` : value;
  if (Array.isArray(value)) return value.slice(0, 5).map(shorten);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shorten(member)]));
}
