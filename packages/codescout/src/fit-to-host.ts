import type { Tool, ToolContext } from '@jinn/core';

export interface HostFitting {
  /** True for a tool whose argument `offset` leads to the next page of its list. */
  readonly isPaged: boolean;
  /** Keeps a whole result in a buffer and returns its reference; undefined if it cannot be kept. */
  keep?(ctx: ToolContext, result: object, args: object): string | undefined;
}

/**
 * Makes a tool cut its data to what the host takes, if there is such a limit. The data stays valid: a list ends after a whole
 * item, and `overflow` says how much there is and names the call that goes on.
 */
export function fitToHost<T extends Tool>(tool: T, fitting: HostFitting): T {
  return {
    ...tool,
    run: async (args: never, ctx: ToolContext) => {
      const output = await tool.run(args, ctx);
      if (ctx.maxResult === undefined || !output.data) return output;
      const { fitData } = await import('./fit-data.ts');
      return fitData(output, ctx.maxResult, { tool, args, ctx, fitting });
    },
  };
}

/** A call that was answered. */
export interface FittedCall {
  readonly tool: Tool;
  readonly args: Readonly<Record<string, unknown>>;
  readonly ctx: ToolContext;
  readonly fitting: HostFitting;
}
