import { ToolError } from '@jinn/errors';
import type { ToolContext } from '@jinn/tool';

/** Returns the same context for a part of a call with less time: its checkpoint throws `timeout` after `limitMs`. */
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
