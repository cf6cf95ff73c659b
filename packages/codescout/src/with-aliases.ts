import { type JsonSchema, mapArgs, type ZodTool } from '@jinn/core';

type Members = Record<string, unknown>;

/**
 * Makes a tool that also takes arguments by the names that agents use for them elsewhere, and numbers and booleans as text, as
 * hosts send them now and then. The schema does not show this, so that it costs no tokens. `rename` gets the arguments as they
 * came, and returns them by their own names.
 */
export function withAliases(tool: ZodTool, rename: (args: Members) => Members): ZodTool {
  return mapArgs(tool, (args, schema) => fromTexts(schema, rename(args)));
}

function fromTexts({ properties = {} }: JsonSchema, args: Members): Members {
  const entries = Object.entries(args).map(([name, value]) => {
    const type = Object.hasOwn(properties, name) ? properties[name]?.type : undefined;
    return [name, typeof value === 'string' ? fromText(type, value) : value];
  });
  return Object.fromEntries(entries);
}

/** Returns the number or the boolean that a text stands for, if that is wanted; else the text. */
function fromText(type: string | undefined, text: string): unknown {
  if (type === 'boolean' && /^(true|false)$/.test(text)) return text === 'true';
  return type === 'integer' ? toNumber(text) : text;
}

/** Returns the integer that a text stands for; any other value as it is. */
export function toNumber(value: unknown): unknown {
  return typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
}
