// A deep agent whose own tools work through jinn. ANTHROPIC_API_KEY chooses a real model; without it a script speaks.
import { AIMessage } from '@langchain/core/messages';
import { createDeepAgent } from 'deepagents';
import { createJinn } from 'jinn-sdk';
import { jinnBackend } from 'jinn-sdk/deepagents';
import { jinnTools } from 'jinn-sdk/langchain';
import { fakeModel } from 'langchain';
import { askPerson, LAST_WORDS, openProject } from './project.ts';

const { ANTHROPIC_API_KEY, LANGCHAIN_MODEL = 'anthropic:claude-sonnet-4-5' } = process.env;
const { root, task } = openProject();

const jinn = createJinn({ root, approve: async ({ message }) => ((await askPerson(message)) ? 'once' : 'deny') });
const { tools } = await jinnTools(jinn);
const agent = createDeepAgent({
  model: ANTHROPIC_API_KEY ? LANGCHAIN_MODEL : scriptedModel(),
  backend: jinnBackend(jinn),
  // What a deep agent has not itself.
  tools: tools.filter(({ name }) => ['undo', 'search_replace', 'lsp_query'].includes(name)),
});
const { messages } = await agent.invoke({ messages: [{ role: 'user', content: task }] }, { recursionLimit: 200 });
console.log(messages.at(-1)?.text);
await jinn.close();
process.exit();

function scriptedModel() {
  const edit = (old_string: string, new_string: string) => ({
    name: 'edit_file',
    args: { file_path: '/mean.mjs', old_string, new_string },
  });
  const execute = (command: string) => ({ name: 'execute', args: { command } });
  const calls = [
    { name: 'read_file', args: { file_path: '/mean.mjs' } },
    execute('node --test'),
    edit('(numbers.length + 1)', 'numbers.length'),
    execute('node --test'),
    { name: 'undo', args: { action: 'restore', last: 1 } },
    edit('(numbers.length + 1)', '(numbers.length || 1)'),
    execute('node --test'),
    execute('rm -rf build'),
  ];
  const model = fakeModel();
  for (const call of calls) model.respondWithTools([call]);
  return model.respond(new AIMessage(LAST_WORDS));
}
