import type { ZodTool } from './define-tool.ts';
import type { JsonSchema } from './input.ts';

type Members = Record<string, unknown>;

/** Makes a tool that changes its arguments before they are checked. The schema does not show that, so that it costs no tokens. */
export function mapArgs(tool: ZodTool, map: (args: Members, schema: JsonSchema) => Members): ZodTool {
  const { input } = tool;
  const mapped = (schema: JsonSchema, args: unknown) => (isMembers(args) ? map(args, schema) : args);
  return {
    ...tool,
    input: {
      schema: () => input.schema(),
      parse: async (args) => input.parse(mapped(await input.schema(), args)),
      withSchema: (generated) => {
        const checked = input.withSchema(generated);
        return { schema: () => checked.schema(), parse: (args) => checked.parse(mapped(generated, args)) };
      },
    },
  };
}

/** Gives arguments their own names. An alias of one that is given too stays, and is refused as unknown. */
export function renameArgs(args: Members, aliases: Readonly<Record<string, string>>): Members {
  const renamed: Members = {};
  for (const [name, value] of Object.entries(args)) {
    const own = Object.hasOwn(aliases, name) ? (aliases[name] as string) : name;
    const isFree = own !== name && !Object.hasOwn(args, own) && !Object.hasOwn(renamed, own);
    renamed[isFree ? own : name] = value;
  }
  return renamed;
}

function isMembers(args: unknown): args is Members {
  return typeof args === 'object' && args !== null && !Array.isArray(args);
}
