import type { ZodTool } from '@jinn/core';

type Members = Record<string, unknown>;

/**
 * Makes a tool that also takes arguments by the names that agents use for them elsewhere. The schema does not show these,
 * so that they cost no tokens. `rename` gets the arguments as they came, and returns them by their own names.
 */
export function withAliases(tool: ZodTool, rename: (args: Members) => Members): ZodTool {
  const toOwn = (args: unknown) => (isMembers(args) ? rename(args) : args);
  const { input } = tool;
  return {
    ...tool,
    input: {
      schema: () => input.schema(),
      parse: (args) => input.parse(toOwn(args)),
      withSchema: (generated) => {
        const checked = input.withSchema(generated);
        return { schema: () => checked.schema(), parse: (args) => checked.parse(toOwn(args)) };
      },
    },
  };
}

/** Gives members other names. An alias of a name that is given too stays, and is refused as unknown. */
export function renamed(args: Members, aliases: Readonly<Record<string, string>>): Members {
  const entries = Object.entries(args).map(([name, value]) => {
    const own = Object.hasOwn(aliases, name) ? aliases[name] : undefined;
    return own === undefined || Object.hasOwn(args, own) ? [name, value] : [own, toNumber(value)];
  });
  return Object.fromEntries(entries);
}

/** Hosts send numbers as text now and then; those of arguments that the schema shows are repaired before. */
export function toNumber(value: unknown): unknown {
  return typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
}

function isMembers(args: unknown): args is Members {
  return typeof args === 'object' && args !== null && !Array.isArray(args);
}
