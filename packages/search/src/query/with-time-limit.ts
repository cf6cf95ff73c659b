import type { ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';

/** Makes the error for a search that was not done when its time was over. */
export function searchTimeout(limitMs: number, cause?: unknown): ToolError {
  return new ToolError('timeout', `the search was not done after ${Math.round(limitMs / 100) / 10} seconds`, {
    suggestion: 'search fewer files with a narrower path, or pass a longer timeout',
    cause,
  });
}

/** Returns the same context for a part of a call with less time: its checkpoint throws `timeout` after `limitMs`. */
export function withTimeLimit(ctx: ToolContext, limitMs: number): ToolContext {
  const end = process.uptime() + limitMs / 1000;
  return {
    ...ctx,
    checkpoint: async () => {
      await ctx.checkpoint();
      if (process.uptime() <= end) return;
      throw searchTimeout(limitMs);
    },
  };
}
