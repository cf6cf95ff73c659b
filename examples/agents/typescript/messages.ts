// An agent on the Messages API of Anthropic, without a framework, which draws its own transcript. ANTHROPIC_API_KEY chooses a
// real model; without it a script speaks.
import { type ApiAnswers, type ApiTools, createJinn } from 'jinn-sdk';
import { askPerson, LAST_WORDS, openProject, SCRIPT } from './project.ts';

const { ANTHROPIC_API_KEY, ANTHROPIC_MODEL: model = 'claude-sonnet-4-5' } = process.env;
const { root, task } = openProject();

type Block =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: unknown };

interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: string | readonly (Block | ApiAnswers['tool_use'])[];
}

/** Asks the model for its next turn. */
async function speak(messages: readonly Message[], tools: readonly ApiTools['anthropic'][]): Promise<readonly Block[]> {
  if (!ANTHROPIC_API_KEY) return speakFromScript(messages);
  const response = await fetch('https://api.anthropic.com/v1/messages', {
    method: 'POST',
    headers: { 'x-api-key': ANTHROPIC_API_KEY, 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
    body: JSON.stringify({ model, max_tokens: 8_192, tools, messages }),
  });
  if (!response.ok) throw new Error(await response.text());
  return ((await response.json()) as { readonly content: readonly Block[] }).content;
}

function speakFromScript(messages: readonly Message[]): readonly Block[] {
  const turn = messages.filter(({ role }) => role === 'assistant').length;
  const call = SCRIPT[turn];
  return call
    ? [{ type: 'tool_use', id: `toolu_${turn}`, name: call.name, input: call.args }]
    : [{ type: 'text', text: LAST_WORDS }];
}

const jinn = createJinn({ root, approve: async ({ message }) => ((await askPerson(message)) ? 'once' : 'deny') });
const draw = async () => {
  for await (const event of jinn.events()) {
    if (event.type === 'start') console.log(`${event.call} ${event.tool} ${JSON.stringify(event.args)}`);
    if (event.type === 'decision') console.log(`${event.call} ${event.decision ?? 'not answered'}`);
    if (event.type === 'end') console.log(`${event.call} ${event.ok ? event.answer.text : event.error.message}`);
  }
};
const drawn = draw();
const tools = await jinn.tools('anthropic');
const messages: Message[] = [{ role: 'user', content: task }];
for (;;) {
  const content = await speak(messages, tools);
  messages.push({ role: 'assistant', content });
  const calls = content.filter((block) => block.type === 'tool_use');
  if (calls.length === 0) break;
  messages.push({ role: 'user', content: await Promise.all(calls.map((call) => jinn.answer(call))) });
}
await jinn.close();
await drawn;
const last = messages.at(-1)?.content;
if (typeof last === 'object')
  console.log(last.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n'));
process.exit();
