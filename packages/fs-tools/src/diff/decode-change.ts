import { type CharsetContext, findCharset } from '@jinn/workspace/find-charset';
import type { ComparedContents } from './unified-diff.ts';

/** Decodes both sides of a change. What is UTF-8, or in an unknown encoding, stays as it is. */
export async function decodeChange<C extends ComparedContents>(
  ctx: CharsetContext,
  change: C,
): Promise<C & { readonly encoding?: string | undefined }> {
  const { path, content: before } = change.file;
  const [old, now] = await Promise.all(
    [before, change.after].map((content) => content && findCharset(ctx, { path, content })),
  );
  const charset = old ?? now;
  if (!charset) return change;
  const decode = (content: Buffer | undefined, own: unknown) => (own ? content && charset.decode(content) : content);
  const file = { ...change.file, content: decode(before, old) };
  return { ...change, file, after: decode(change.after, now), encoding: charset.name };
}
