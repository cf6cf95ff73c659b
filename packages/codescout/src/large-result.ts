import type { ToolContext } from '@jinn/core';
import { buffersOf } from './buffers.ts';

/** Characters of a list, as JSON, that an answer holds. The pages' own caps stay below, so only a raised limit exceeds it. */
const INLINE_LENGTH = 50_000;
/** With what stands beside the list: the most bytes of an answer with a list, where a host takes so much. */
export const MOST_SHOWN_BYTES = 64_000;

export interface CutList<T> {
  /** The items that an answer holds. */
  readonly items: readonly T[];
  /** The reference of a buffer with all of the result; undefined if nothing was cut, or it cannot be kept. */
  readonly reference: string | undefined;
}

/**
 * Cuts a list that is too large for an answer, and keeps the result as a whole, as indented JSON, in a buffer. Without
 * `whole` nothing is kept.
 */
export function cutList<T>(ctx: ToolContext, items: readonly T[], whole: (() => object) | undefined): CutList<T> {
  let [count, length] = [0, 0];
  for (const item of items) {
    length += JSON.stringify(item).length + 1;
    if (length > INLINE_LENGTH) break;
    count++;
  }
  if (count === items.length) return { items, reference: undefined };
  return { items: items.slice(0, count), reference: whole && keepResult(ctx, whole()) };
}

/** Keeps a result, as indented JSON, in a buffer and returns its reference; undefined if nothing can be kept here. */
export function keepResult(ctx: ToolContext, result: object): string | undefined {
  const output = ctx.spill.save('result', [Buffer.from(`${JSON.stringify(result, undefined, 2)}\n`)]);
  const id = output === undefined ? undefined : buffersOf(ctx).add(ctx, { kind: 'tool', output });
  return id === undefined ? undefined : `@${id}`;
}
