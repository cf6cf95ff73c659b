// An agent on Mastra. ANTHROPIC_API_KEY chooses a real model; without it a script speaks.
import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import { createJinn } from 'jinn-sdk';
import { jinnTools } from 'jinn-sdk/mastra';
import { askPerson, openProject } from './project.ts';
import { scriptedModel } from './scripted-ai.ts';

const { ANTHROPIC_API_KEY, MASTRA_MODEL = 'anthropic/claude-sonnet-4-5' } = process.env;
// The type of Mastra's models leaves no room for a result that is not streamed.
const model = ANTHROPIC_API_KEY ? MASTRA_MODEL : (scriptedModel() as never);
const { root, task } = openProject();

const jinn = createJinn({ root });
const agent = new Agent({ id: 'mender', name: 'mender', instructions: '', model, tools: await jinnTools(jinn) });
new Mastra({ agents: { agent }, logger: false });
let turn = await agent.generate(task, { maxSteps: 50 });
while (turn.finishReason === 'suspended') {
  const { runId = '', suspendPayload } = turn;
  const { toolName, args } = suspendPayload as { toolName: string; args: unknown };
  const question = await jinn.question(toolName, args);
  const isApproved = question !== undefined && (await askPerson(question.message));
  turn = isApproved
    ? await agent.approveToolCallGenerate({ runId, maxSteps: 50 })
    : await agent.declineToolCallGenerate({ runId, maxSteps: 50 });
}
console.log(turn.text);
await jinn.close();
process.exit();
