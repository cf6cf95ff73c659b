// An agent on the AI SDK. AI_GATEWAY_API_KEY chooses a real model; without it a script speaks.
import { generateText, isStepCount, type ModelMessage, type ToolApprovalResponse } from 'ai';
import { createJinn } from 'jinn-sdk';
import { jinnTools } from 'jinn-sdk/ai';
import { askPerson, openProject } from './project.ts';
import { scriptedModel } from './scripted-ai.ts';

const { AI_GATEWAY_API_KEY, AI_MODEL = 'anthropic/claude-sonnet-4.5' } = process.env;
const model = AI_GATEWAY_API_KEY ? AI_MODEL : scriptedModel();
const { root, task } = openProject();

const jinn = createJinn({ root });
const tools = await jinnTools(jinn);
const messages: ModelMessage[] = [{ role: 'user', content: task }];
for (;;) {
  const turn = await generateText({ model, ...tools, messages, stopWhen: isStepCount(50) });
  messages.push(...turn.responseMessages);
  const answers: ToolApprovalResponse[] = [];
  for (const part of turn.content) {
    if (part.type !== 'tool-approval-request') continue;
    const approved = await askPerson(part.reason ?? '');
    answers.push({ type: 'tool-approval-response', approvalId: part.approvalId, approved });
  }
  if (answers.length === 0) {
    console.log(turn.text);
    break;
  }
  messages.push({ role: 'tool', content: answers });
}
await jinn.close();
process.exit();
