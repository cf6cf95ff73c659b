// An agent on the Claude Agent SDK, with a key of Anthropic. It has the tools of jinn in the place of its own.
import { query } from '@anthropic-ai/claude-agent-sdk';
import { createJinn } from 'jinn-sdk';
import { jinnServer } from 'jinn-sdk/claude-agent';
import { askPerson, openProject } from './project.ts';

const { root, task } = openProject();

const jinn = createJinn({ root, approve: async ({ message }) => ((await askPerson(message)) ? 'once' : 'deny') });
const options = { cwd: root, tools: [], mcpServers: { jinn: jinnServer(jinn) }, allowedTools: ['mcp__jinn__*'] };
for await (const message of query({ prompt: task, options })) {
  if (message.type === 'result') console.log(message.subtype === 'success' ? message.result : message.subtype);
}
await jinn.close();
process.exit();
