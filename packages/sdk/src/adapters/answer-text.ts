import type { ModelBlock, TextBlock } from '@jinn/core/model-content';
import type { ModelAnswer } from '@jinn/toolsets';
import type { ToolResultPart } from 'ai';

type Content = readonly ModelBlock[];

/** Reports whether an answer is only text, which every model accepts as the result of a call. */
export function isText(content: Content): content is readonly TextBlock[] {
  return content.every(({ type }) => type === 'text');
}

/** Returns the text of an answer. */
export function answerText(content: Content): string {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

/** Formats an answer as the AI SDK gives it to a model. Mastra takes the same form. */
export function toModelOutput({ ok, content }: ModelAnswer): ToolResultPart['output'] {
  const text = answerText(content);
  if (!ok) return { type: 'error-text', value: text };
  return isText(content) ? { type: 'text', value: text } : { type: 'content', value: content.map(toPart) };
}

function toPart(block: ModelBlock) {
  if (block.type === 'text') return block;
  const { mimeType: mediaType, data } = block;
  return { type: 'file' as const, mediaType, data: { type: 'data' as const, data } };
}
