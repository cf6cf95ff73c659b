import type { ModelBlock } from '@jinn/core/model-content';
import { type ContentBlock, ToolMessage } from '@langchain/core/messages';
import { type StructuredToolInterface, type ToolRunnableConfig, tool } from '@langchain/core/tools';
import type { InterruptOnConfig } from 'langchain';
import type { ModelJinn } from '../create-jinn.ts';
import { answerText, isText } from './answer-text.ts';
import { createDecisions } from './decisions.ts';

/** The options for `createDeepAgent`, and for `createAgent` with `humanInTheLoopMiddleware({ interruptOn })`. */
export interface LangChainTools {
  /** The tools. */
  readonly tools: StructuredToolInterface[];
  /** Interrupts the agent before a call that jinn would ask about. The description is the text for the user. */
  readonly interruptOn: Record<string, InterruptOnConfig>;
}

/** Makes the tools of an instance tools of LangChain. */
export async function jinnTools(jinn: ModelJinn): Promise<LangChainTools> {
  const decisions = createDecisions(jinn);
  const described = await jinn.tools();
  const tools = described.map(({ name, description, schema }) => {
    const run = async (args: unknown, { toolCall, signal }: ToolRunnableConfig) => {
      const { id = '' } = toolCall ?? {};
      const { ok, content } = await decisions.run({ id, name, args }, signal);
      const shown = isText(content) ? answerText(content) : content.map(toPart);
      return new ToolMessage({ content: shown, tool_call_id: id, name, status: ok ? 'success' : 'error' });
    };
    return tool(run, { name, description, schema });
  });
  const interrupt = (name: string): InterruptOnConfig => ({
    allowedDecisions: ['approve', 'reject'],
    when: async ({ toolCall: { id, args } }) => (await decisions.question({ id, name, args })) !== undefined,
    description: async ({ id, args }) => (await decisions.question({ id, name, args })) ?? '',
  });
  return { tools, interruptOn: Object.fromEntries(described.map(({ name }) => [name, interrupt(name)])) };
}

function toPart(block: ModelBlock): ContentBlock.Standard {
  if (block.type === 'text') return { type: 'text', text: block.text };
  return { type: 'image', mimeType: block.mimeType, data: block.data };
}
