import type { ModelBlock } from '@jinn/core/model-content';
import { type Tool, tool } from '@openai/agents';
import type { ModelJinn } from '../create-jinn.ts';
import { answerText, isText } from './answer-text.ts';
import { createDecisions } from './decisions.ts';

type Parameters = { type: 'object'; properties: object; required: never[]; additionalProperties: true };

/**
 * Makes the tools of an instance tools of the OpenAI Agents SDK. A call that jinn would ask about interrupts the run.
 * `jinn.question` returns the text for the user.
 */
export async function jinnTools(jinn: ModelJinn): Promise<Tool[]> {
  const decisions = createDecisions(jinn);
  const described = await jinn.tools();
  return described.map(({ name, description, schema }) =>
    tool({
      name,
      description,
      // jinn checks the arguments itself, and says what is wrong with them.
      strict: false,
      parameters: { properties: {}, required: [], ...schema } as Parameters,
      needsApproval: async (_, args, id) => (await decisions.question({ id, name, args })) !== undefined,
      execute: async (args, _, { toolCall, signal } = {}) => {
        const { content } = await decisions.run({ id: toolCall?.callId, name, args }, signal);
        return isText(content) ? answerText(content) : content.map(toPart);
      },
    }),
  );
}

function toPart(block: ModelBlock) {
  if (block.type === 'text') return block;
  const { mimeType: mediaType, data } = block;
  return { type: 'image' as const, image: { data, mediaType } };
}
