import type { ModelAnswer } from '@jinn/toolsets';
import { createTool, type Tool } from '@mastra/core/tools';
import type { ModelJinn } from '../create-jinn.ts';
import { toModelOutput } from './answer-text.ts';
import { createDecisions } from './decisions.ts';

/**
 * Makes the tools of an instance tools of Mastra, by name. A call that jinn would ask about waits for
 * `approveToolCall`. `jinn.question` returns the text for the user.
 */
export async function jinnTools(jinn: ModelJinn): Promise<Record<string, Tool<unknown, unknown>>> {
  const decisions = createDecisions(jinn);
  const described = await jinn.tools();
  const entries = described.map(({ name, description, schema }) => {
    const made = createTool({
      id: name,
      description,
      inputSchema: schema as never,
      requireApproval: async (args: unknown) => (await decisions.question({ name, args })) !== undefined,
      execute: (args: unknown, { abortSignal }) => decisions.run({ name, args }, abortSignal),
      toModelOutput: (answer) => toModelOutput(answer as ModelAnswer),
    });
    return [name, made];
  });
  return Object.fromEntries(entries);
}
