import { wrapRun, type ZodTool } from '@jinn/core';
import { fitToHost } from '../fit/fit-to-host.ts';
import { rejectReference } from './buffers.ts';
import { INLINE_LENGTH, keepResult } from './large-result.ts';

/**
 * Makes a tool of another toolset fit into this one: it keeps a result that is too large for an answer in a buffer, and it refuses buffers as `path`. `isPaged` is true for a tool that has an argument `offset`.
 */
export function keepLarge(tool: ZodTool, { isPaged }: { isPaged: boolean }): ZodTool {
  const checked = wrapRun(tool, async (run, args, ctx) => {
    const { path } = args as { path?: unknown };
    if (typeof path === 'string') rejectReference(ctx, path);
    return run(ctx);
  });
  return fitToHost(checked, { isPaged, most: INLINE_LENGTH, keep: keepResult });
}
