import type { ZodTool } from '../tool.ts';

type Members = Record<string, unknown>;

/**
 * Makes a tool that changes its arguments before they are checked. The schema does not show that, so it costs no
 * tokens.
 */
export function mapArgs(tool: ZodTool, map: (args: Members) => Members): ZodTool {
  const { input } = tool;
  const mapped = (args: unknown) => (isMembers(args) ? map(args) : args);
  return {
    ...tool,
    input: {
      build: input.build,
      schema: () => input.schema(),
      parse: (args) => input.parse(mapped(args)),
      withSchema: (generated) => {
        const checked = input.withSchema(generated);
        return { schema: () => checked.schema(), parse: (args) => checked.parse(mapped(args)) };
      },
    },
  };
}

function isMembers(args: unknown): args is Members {
  return typeof args === 'object' && args !== null && !Array.isArray(args);
}
