import { type Tool, wrapRun } from '@jinn/core';
import type { HostFitting } from './fit-data.ts';

/**
 * Makes a tool cut its data to the limit of the host, or to `most` bytes if the host has none. The data stays valid: a
 * list ends after a whole item, and `overflow` says how many items there are and names the call that reads the rest.
 */
export function fitToHost<T extends Tool>(tool: T, fitting: HostFitting): T {
  return wrapRun(tool, async (run, args, ctx) => {
    const output = await run(ctx);
    const { maxResult = fitting.most } = ctx;
    if (maxResult === undefined || !output.data) return output;
    if (Buffer.byteLength(JSON.stringify(output.data)) <= maxResult) return output;
    const { fitData } = await import('./fit-data.ts');
    return fitData(output, maxResult, { tool, args, ctx, fitting });
  });
}
