import { type Tool, type ToolContext, wrapRun } from '@jinn/core';

export interface HostFitting {
  /** True for a tool whose argument `offset` leads to the next page of its list. */
  readonly isPaged: boolean;
  /** The most bytes of the JSON of an answer for a host without a limit; undefined for any number. */
  readonly most?: number;
  /** Keeps a whole result in a buffer and returns its reference; undefined if it cannot be kept. */
  keep?(ctx: ToolContext, result: object, args: object): string | undefined;
}

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

/** A call that was answered. */
export interface FittedCall {
  readonly tool: Tool;
  readonly args: Readonly<Record<string, unknown>>;
  readonly ctx: ToolContext;
  readonly fitting: HostFitting;
}
