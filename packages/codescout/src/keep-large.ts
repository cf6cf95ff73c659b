import { wrapRun, type ZodTool } from '@jinn/core';
import { fitToHost } from './fit-to-host.ts';
import { INLINE_LENGTH, keepResult } from './large-result.ts';
import { refuseReference } from './refuse-reference.ts';
import { withAliases } from './with-aliases.ts';

/**
 * Makes a tool of another toolset fit into this one: it keeps a result that is too large for an answer in a buffer, it takes numbers and
 * booleans as text, and it refuses buffers as `path`. `isPaged` is true for a tool that has an argument `offset`.
 */
export function keepLarge(tool: ZodTool, { isPaged }: { isPaged: boolean }): ZodTool {
  const checked = wrapRun(tool, async (run, args, ctx) => {
    const { path } = args as { path?: unknown };
    if (typeof path === 'string') refuseReference(ctx, path);
    return run(ctx);
  });
  const fitted = fitToHost(checked, { isPaged, most: INLINE_LENGTH, keep: keepResult });
  return withAliases(fitted, (args) => args);
}
