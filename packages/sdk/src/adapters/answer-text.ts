import type { ModelBlock, TextBlock } from '@jinn/core/model-content';

type Content = readonly ModelBlock[];

/** Reports whether an answer is text alone, which every model accepts as the result of a call. */
export function isText(content: Content): content is readonly TextBlock[] {
  return content.every(({ type }) => type === 'text');
}

/** Returns the text of an answer. */
export function toText(content: Content): string {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}
