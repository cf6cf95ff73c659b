import type { ZodTool } from '@jinn/core';

/** Names by which agents know the argument `path` from other tools. */
const ALIASES = ['relative_path', 'file_path', 'file'] as const;

/** Makes a tool that also takes its path by other names. The schema does not show these, so that they cost no tokens. */
export function takesPath(tool: ZodTool): ZodTool {
  const { input } = tool;
  return {
    ...tool,
    input: {
      schema: () => input.schema(),
      parse: (args) => input.parse(withPath(args)),
      withSchema: (generated) => {
        const checked = input.withSchema(generated);
        return { schema: () => checked.schema(), parse: (args) => checked.parse(withPath(args)) };
      },
    },
  };
}

/** An alias beside the path itself stays, and is refused as unknown. */
function withPath(args: unknown): unknown {
  if (typeof args !== 'object' || args === null || Array.isArray(args) || Object.hasOwn(args, 'path')) return args;
  const alias = ALIASES.find((name) => Object.hasOwn(args, name));
  if (alias === undefined) return args;
  const { [alias]: path, ...rest } = args as Record<string, unknown>;
  return { ...rest, path };
}
