import { type ToolContext, ToolError } from '@jinn/core';

/** The same context for a part of a call that may take less time: its checkpoint throws `timeout` after `limitMs`. */
export function withTimeLimit(ctx: ToolContext, limitMs: number): ToolContext {
  const end = process.uptime() + limitMs / 1000;
  return {
    ...ctx,
    checkpoint: async () => {
      await ctx.checkpoint();
      if (process.uptime() <= end) return;
      throw new ToolError('timeout', `timed out after ${Math.round(limitMs / 100) / 10} seconds`, {
        suggestion: 'search fewer files with a narrower path, or pass a longer timeout',
      });
    },
  };
}
