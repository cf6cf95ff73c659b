import type { ExampleCall } from '../../errors/index.ts';
import { isObject } from '../../text/index.ts';
import type { ListedTool } from '../tool.ts';
import type { JsonSchema } from './input.ts';
import { EDITOR, type Members, TOOLS } from './other-agents.ts';
import { readArgs, toPlain } from './read-args.ts';

const MAX_TEXT = 300;

/** Returns the call that a call of another agent's tool stands for, with its values, or undefined if there is none. */
export async function meantCall(
  name: string,
  sent: unknown,
  tools: readonly Pick<ListedTool, 'name' | 'schema'>[],
): Promise<ExampleCall | undefined> {
  const names = tools.map((tool) => tool.name);
  const meaning = findMeaning(name, sent, names);
  const tool = tools.find((served) => served.name === meaning?.tool);
  return meaning && tool && { tool: tool.name, args: fill(tool.name, await tool.schema(), meaning.args) };
}

/** Returns the call of another tool that takes just these arguments, if the tool of this name does not. */
export async function fittingCall(
  name: string,
  sent: unknown,
  tools: readonly Pick<ListedTool, 'name' | 'schema'>[],
): Promise<ExampleCall | undefined> {
  if (!isObject(sent)) return undefined;
  for (const tool of tools.toSorted((a, b) => Number(b.name === name) - Number(a.name === name))) {
    const schema = await tool.schema();
    if (!fits(schema, readOrNothing(schema, sent, tool.name))) continue;
    return tool.name === name ? undefined : { tool: tool.name, args: fill(tool.name, schema, sent) };
  }
  return undefined;
}

function fits({ properties = {}, required = [] }: JsonSchema, args: object): boolean {
  const isRight = ([key, value]: [string, unknown]) => {
    const type = Object.hasOwn(properties, key) ? properties[key]?.type : 'none';
    const given = Array.isArray(value) ? 'array' : typeof value;
    return type === undefined || type === given || (type === 'integer' && given === 'number');
  };
  const entries = Object.entries(args);
  return entries.length > 0 && required.every((key) => Object.hasOwn(args, key)) && entries.every(isRight);
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

function fill(name: string, { properties = {}, required = [], ...rest }: JsonSchema, args: Members): object {
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
