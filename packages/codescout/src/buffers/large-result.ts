import type { ToolContext } from '@jinn/core';
import type { Workspace } from '@jinn/workspace';
import { buffersOf } from './buffers.ts';

/** The characters of a list, as JSON, that an answer holds. Only a raised limit of a page exceeds it. */
export const INLINE_LENGTH = 50_000;
/** The most bytes of an answer with a list and what is next to it, if the host accepts so much. */
export const MOST_SHOWN_BYTES = 64_000;
/** The most directories or files whose counts an answer has. */
export const MAX_COUNTED = 15;

export interface CutList<T> {
  readonly items: readonly T[];
  /** The reference of a buffer with all of the result, or undefined if nothing was cut, or it cannot be kept. */
  readonly reference: string | undefined;
  /** Names the call that reads the rest of the list from the buffer, or undefined without a buffer. */
  readonly goOn?: string;
}

/** Cuts a list that is too large for an answer, and keeps the whole result as JSON in a buffer, unless `whole` is absent. */
export function cutToAnswer<T>(ctx: ToolContext, items: readonly T[], whole: (() => object) | undefined): CutList<T> {
  let [count, length] = [0, 0];
  for (const item of items) {
    length += JSON.stringify(item).length + 1;
    if (length > INLINE_LENGTH) break;
    count++;
  }
  if (count === items.length) return { items, reference: undefined };
  const cut = { items: items.slice(0, count), reference: whole && keepResult(ctx, whole()) };
  if (cut.reference === undefined) return cut;
  const call = JSON.stringify({ path: cut.reference, start_line: lineOf(items, count) });
  return { ...cut, goOn: `Call read_file with ${call} to continue` };
}

/** Returns the line at which an item starts in the indented JSON of an object that has the list as its first member. */
export function lineOf(items: readonly unknown[], index: number): number {
  const isBreak = /\n/g;
  let line = 3;
  for (const item of items.slice(0, index))
    line += 1 + (JSON.stringify(item, undefined, 2).match(isBreak)?.length ?? 0);
  return line;
}

/** Keeps a result, as indented JSON, in a buffer and returns its reference, or undefined if nothing can be kept here. */
export function keepResult(ctx: ToolContext, result: object): string | undefined {
  return keepText(ctx, [Buffer.from(`${JSON.stringify(result, undefined, 2)}\n`)]);
}

/** Keeps a text of at most 16 MiB in a buffer and returns its reference, or undefined if nothing can be kept here. */
export function keepText(ctx: ToolContext, chunks: Iterable<Uint8Array>): string | undefined {
  const output = ctx.spill.save('result', chunks);
  const id = output === undefined ? undefined : buffersOf(ctx).add(ctx, { kind: 'tool', output });
  return id === undefined ? undefined : `@${id}`;
}

/** Lists the directories with the largest counts, the largest first. */
export function largestCounts(counts: ReadonlyMap<string, number>): { directory: string; count: number }[] {
  const largest = [...counts].sort(([, a], [, b]) => b - a).slice(0, MAX_COUNTED);
  return largest.map(([directory, count]) => ({ directory, count }));
}

/** Makes the absolute path, as answers show it, of a path below the workspace root, or of a file that jinn keeps. */
export function outputPath({ root }: Pick<Workspace, 'root'>, path: string): string {
  if (path === '.') return root;
  if (path.startsWith('/')) return path;
  return `${root === '/' ? '' : root}/${path}`;
}
