import type { ModelBlock } from '@jinn/core/model-content';
import type { ModelAnswer } from '@jinn/toolsets';
import type { ToolResultPart } from 'ai';
import { isText, toText } from './answer-text.ts';

/** Formats an answer as the AI SDK gives it to a model; Mastra takes the same form. */
export function toModelOutput({ ok, content }: ModelAnswer): ToolResultPart['output'] {
  const text = toText(content);
  if (!ok) return { type: 'error-text', value: text };
  return isText(content) ? { type: 'text', value: text } : { type: 'content', value: content.map(toPart) };
}

function toPart(block: ModelBlock) {
  if (block.type === 'text') return block;
  const { mimeType: mediaType, data } = block;
  return { type: 'file' as const, mediaType, data: { type: 'data' as const, data } };
}
