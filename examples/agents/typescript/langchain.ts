// An agent on LangChain. ANTHROPIC_API_KEY chooses a real model, with the package @langchain/anthropic; without it a script speaks.
import { AIMessage } from '@langchain/core/messages';
import { Command, MemorySaver } from '@langchain/langgraph';
import { createJinn } from 'jinn-sdk';
import { jinnTools } from 'jinn-sdk/langchain';
import { createAgent, fakeModel, type HITLRequest, humanInTheLoopMiddleware } from 'langchain';
import { askPerson, LAST_WORDS, openProject, SCRIPT } from './project.ts';

const { ANTHROPIC_API_KEY, LANGCHAIN_MODEL = 'anthropic:claude-sonnet-4-5' } = process.env;
const model = ANTHROPIC_API_KEY ? LANGCHAIN_MODEL : scriptedModel();
const { root, task } = openProject();

const jinn = createJinn({ root });
const { tools, interruptOn } = await jinnTools(jinn);
const middleware = [humanInTheLoopMiddleware({ interruptOn })];
const agent = createAgent({ model, tools, middleware, checkpointer: new MemorySaver() });
const thread = { configurable: { thread_id: 'one' }, recursionLimit: 200 };
let state = await agent.invoke({ messages: [{ role: 'user', content: task }] }, thread);
while (state.__interrupt__) {
  const requests = state.__interrupt__.flatMap(({ value }) => (value as HITLRequest).actionRequests);
  const decisions = [];
  for (const { description = '' } of requests) {
    decisions.push({ type: (await askPerson(description)) ? 'approve' : 'reject' });
  }
  state = await agent.invoke(new Command({ resume: { decisions } }), thread);
}
console.log(state.messages.at(-1)?.text);
await jinn.close();
process.exit();

function scriptedModel() {
  const model = fakeModel();
  for (const call of SCRIPT) model.respondWithTools([call]);
  return model.respond(new AIMessage(LAST_WORDS));
}
