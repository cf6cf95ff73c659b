import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { LAST_WORDS, SCRIPT } from './project.ts';

/** The part of a request to the Messages API of Anthropic that the script looks at. */
interface Conversation {
  readonly tools?: readonly { readonly name: string }[];
  readonly messages?: readonly { readonly content: string | readonly { readonly type: string }[] }[];
}

/** Starts a server that is the Messages API, and speaks from the script. Returns the variables that lead Claude Code to it. */
export async function speakFromScript() {
  const server = createServer(async (request, response) => {
    const events = request.url?.startsWith('/v1/messages?') ? nextTurn((await json(request)) as Conversation) : [];
    response.writeHead(events.length > 0 ? 200 : 404, { 'content-type': 'text/event-stream' });
    response.end(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`,
    ANTHROPIC_API_KEY: 'none',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  };
}

/** Returns the events of the next call of the script, under the name that Claude Code has for the tool, or of the last words. */
function nextTurn({ tools = [], messages = [] }: Conversation) {
  const blocks = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
  const answered = blocks.filter(({ type }) => type === 'tool_result').length;
  const call = SCRIPT[answered];
  const name = tools.find((tool) => tool.name === `mcp__jinn__${call?.name}`)?.name;
  if (!call || !name) return turn({ type: 'text', text: '' }, { type: 'text_delta', text: LAST_WORDS }, 'end_turn');
  const input = { type: 'input_json_delta', partial_json: JSON.stringify(call.args) };
  return turn({ type: 'tool_use', id: `toolu_${answered}`, name, input: {} }, input, 'tool_use');
}

function turn(content_block: object, delta: object, stop_reason: string) {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: 'one', type: 'message', role: 'assistant', model: 'script', content: [], usage };
  return [
    { type: 'message_start', message },
    { type: 'content_block_start', index: 0, content_block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason }, usage },
    { type: 'message_stop' },
  ];
}
