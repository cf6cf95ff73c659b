import type { JsonSchema, ZodTool } from '@jinn/core';

type Members = Record<string, unknown>;

/**
 * Makes a tool that also takes arguments by the names that agents use for them elsewhere, and numbers and booleans as text, as
 * hosts send them now and then. The schema does not show this, so that it costs no tokens. `rename` gets the arguments as they
 * came, and returns them by their own names.
 */
export function withAliases(tool: ZodTool, rename: (args: Members) => Members): ZodTool {
  const toOwn = (schema: JsonSchema, args: unknown) => (isMembers(args) ? fromTexts(schema, rename(args)) : args);
  const { input } = tool;
  return {
    ...tool,
    input: {
      schema: () => input.schema(),
      parse: async (args) => input.parse(toOwn(await input.schema(), args)),
      withSchema: (generated) => {
        const checked = input.withSchema(generated);
        return { schema: () => checked.schema(), parse: (args) => checked.parse(toOwn(generated, args)) };
      },
    },
  };
}

/** Gives members other names. An alias of a name that is given too stays, and is refused as unknown. */
export function renamed(args: Members, aliases: Readonly<Record<string, string>>): Members {
  const entries = Object.entries(args).map(([name, value]) => {
    const own = Object.hasOwn(aliases, name) ? aliases[name] : undefined;
    return own === undefined || Object.hasOwn(args, own) ? [name, value] : [own, value];
  });
  return Object.fromEntries(entries);
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

function isMembers(args: unknown): args is Members {
  return typeof args === 'object' && args !== null && !Array.isArray(args);
}
