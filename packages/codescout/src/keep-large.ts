import type { Tool, ToolContext, ToolOutput } from '@jinn/core';
import { fitToHost } from './fit-to-host.ts';
import { cutList, keepResult } from './large-result.ts';

/**
 * Makes a tool keep a result that is too large for an answer in a buffer; the answer has the first items of its longest list.
 * `isPaged` is true for a tool that has an argument `offset`.
 */
export function keepLarge<T extends Tool>(tool: T, { isPaged }: { isPaged: boolean }): T {
  const bounded = { ...tool, run: async (args: never, ctx: ToolContext) => bound(ctx, await tool.run(args, ctx)) };
  return fitToHost(bounded, { isPaged, keep: keepResult });
}

function bound(ctx: ToolContext, output: ToolOutput): ToolOutput {
  // What a host takes decides where there is such a limit.
  if (ctx.maxResult !== undefined) return output;
  const data: Readonly<Record<string, unknown>> = { ...output.data };
  const [key, list] = longestList(data);
  if (key === undefined) return output;
  const { items, reference } = cutList(ctx, list, () => data);
  if (items.length === list.length) return output;
  return {
    ...output,
    data: { ...data, [key]: items, ...tell(data, list.length, { items, reference }) },
    truncated: true,
  };
}

function longestList(data: Readonly<Record<string, unknown>>): [string, readonly unknown[]] | [undefined, readonly []] {
  const lists = Object.entries(data).filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]));
  return lists.sort(([, a], [, b]) => b.length - a.length)[0] ?? [undefined, []];
}

interface Cut {
  readonly items: readonly unknown[];
  readonly reference: string | undefined;
}

/** Says what was cut. The next page begins behind what is shown, not behind what is kept. */
function tell(data: Readonly<Record<string, unknown>>, length: number, { items, reference }: Cut): object {
  const before = (data['overflow'] ?? {}) as Readonly<Record<string, unknown>>;
  const next = before['next_offset'];
  const hint = reference
    ? `read_file reads the whole result from ${reference}, with json_path a part of it`
    : 'Ask for less: a narrower path, or a lower limit';
  const overflow = {
    ...before,
    shown: items.length,
    total: before['total'] ?? length,
    hint,
    ...(typeof next === 'number' && { next_offset: next - (length - items.length) }),
  };
  return { ...(reference && { output_id: reference }), overflow };
}
