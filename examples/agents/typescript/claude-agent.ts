// An agent on the Claude Agent SDK, with the tools of jinn in the place of its own. ANTHROPIC_API_KEY chooses a real model;
// without it a script speaks.
import { query } from '@anthropic-ai/claude-agent-sdk';
import { createJinn } from 'jinn-sdk';
import { jinnServer } from 'jinn-sdk/claude-agent';
import { askPerson, openProject } from './project.ts';
import { speakFromScript } from './scripted-anthropic.ts';

const { ANTHROPIC_API_KEY } = process.env;
if (!ANTHROPIC_API_KEY) Object.assign(process.env, await speakFromScript());
const { root, task } = openProject();

const jinn = createJinn({ root, approve: async ({ message }) => ((await askPerson(message)) ? 'once' : 'deny') });
const options = { cwd: root, tools: [], mcpServers: { jinn: jinnServer(jinn) }, allowedTools: ['mcp__jinn__*'] };
for await (const message of query({ prompt: task, options })) {
  if (message.type === 'result') console.log(message.subtype === 'success' ? message.result : message.subtype);
}
await jinn.close();
process.exit();
