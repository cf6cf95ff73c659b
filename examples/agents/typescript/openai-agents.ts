// An agent on the OpenAI Agents SDK. OPENAI_API_KEY chooses a real model; without it a script speaks.
import { Agent, Runner } from '@openai/agents';
import { createJinn } from 'jinn-sdk';
import { jinnTools } from 'jinn-sdk/openai-agents';
import { askPerson, openProject } from './project.ts';
import { ScriptedModel } from './scripted-openai.ts';

const { OPENAI_API_KEY, OPENAI_MODEL = 'gpt-5' } = process.env;
const model = OPENAI_API_KEY ? OPENAI_MODEL : new ScriptedModel();
const { root, task } = openProject();

const jinn = createJinn({ root });
const agent = new Agent({ name: 'mender', model, tools: await jinnTools(jinn) });
const runner = new Runner({ tracingDisabled: !OPENAI_API_KEY });
let result = await runner.run(agent, task, { maxTurns: 50 });
while (result.interruptions.length > 0) {
  for (const call of result.interruptions) {
    const question = await jinn.question(call.name ?? '', JSON.parse(call.arguments ?? '{}'));
    const isApproved = question !== undefined && (await askPerson(question.message));
    if (isApproved) result.state.approve(call);
    else result.state.reject(call);
  }
  result = await runner.run(agent, result.state, { maxTurns: 50 });
}
console.log(result.finalOutput);
await jinn.close();
process.exit();
