import { AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages';
import { Command, MemorySaver } from '@langchain/langgraph';
import { type AgentMiddleware, createAgent, fakeModel, humanInTheLoopMiddleware } from 'langchain';
import { expect, test } from 'vitest';
import type { ModelJinn } from '../create-jinn.ts';
import {
  expectMended,
  GREET,
  LOOK,
  MEND,
  openScene,
  PIXEL,
  REMOVE,
  type ScriptedCall,
  TICK,
} from '../fixture/scene.ts';
import { jinnTools } from './langchain.ts';

/** Makes a model that asks for these calls, one a turn, and then says "done". */
function scripted(calls: readonly ScriptedCall[]) {
  const model = fakeModel();
  for (const { name, args } of calls) model.respondWithTools([{ name, args: { ...args } }]);
  return model.respond(new AIMessage('done'));
}

interface StartOptions {
  /** False: the agent interrupts no call. */
  readonly interrupts?: boolean;
  readonly signal?: AbortSignal;
}

/** Starts an agent; `decide` resumes it with a decision on its one call. */
async function start(
  jinn: ModelJinn,
  calls: readonly ScriptedCall[],
  { interrupts = true, signal }: StartOptions = {},
) {
  const { tools, interruptOn } = await jinnTools(jinn);
  // Its types do not hold with exactOptionalPropertyTypes.
  const middleware = interrupts ? [humanInTheLoopMiddleware({ interruptOn } as never) as AgentMiddleware] : [];
  const agent = createAgent({ model: scripted(calls), tools, middleware, checkpointer: new MemorySaver() });
  const config = { configurable: { thread_id: 'one' }, ...(signal && { signal }) };
  const first = await agent.invoke({ messages: [{ role: 'user', content: 'Mend it.' }] }, config);
  const decide = (decision: object) => agent.invoke(new Command({ resume: { decisions: [decision] } }), config);
  return { first, question: first.__interrupt__?.[0]?.value, decide };
}

const answersOf = ({ messages }: { messages: readonly BaseMessage[] }) => messages.filter(ToolMessage.isInstance);
const textsOf = (state: { messages: readonly BaseMessage[] }) => answersOf(state).map(({ content }) => String(content));

test('an agent reads, edits, runs a test, undoes, and reads an error', async () => {
  const { root, jinn } = openScene();
  const { first } = await start(jinn, MEND);
  expect(first.messages.at(-1)?.content).toBe('done');
  expectMended(root, textsOf(first));
  expect(answersOf(first).map(({ status }) => status)).toEqual([...Array(4).fill('success'), 'error']);
});

test('a model gets images', async () => {
  const { first } = await start(openScene().jinn, [LOOK]);
  const image = { type: 'image', mimeType: 'image/png', data: PIXEL };
  expect(answersOf(first)[0]?.content).toEqual([expect.objectContaining({ type: 'text' }), image]);
});

test('a dangerous call interrupts the agent, which says what it does, and runs after a yes', async () => {
  const { jinn, has } = openScene();
  const { question, decide } = await start(jinn, [REMOVE]);
  const request = { name: 'run_shell', description: expect.stringContaining('rm -rf build') };
  expect(question).toMatchObject({ actionRequests: [request] });
  expect(has('build')).toBe(true);
  expect(textsOf(await decide({ type: 'approve' }))).toEqual([expect.stringContaining('[exit: 0]')]);
  expect(has('build')).toBe(false);
});

test('a call that the person rejects does not run', async () => {
  const { jinn, has } = openScene();
  const { decide } = await start(jinn, [REMOVE]);
  expect(textsOf(await decide({ type: 'reject', message: 'keep it' }))).toEqual(['keep it']);
  expect(has('build')).toBe(true);
});

test('without interrupts, a dangerous call is refused', async () => {
  const { jinn, has } = openScene();
  const { first } = await start(jinn, [REMOVE], { interrupts: false });
  expect(textsOf(first)).toEqual([expect.stringContaining('command_blocked')]);
  expect(has('build')).toBe(true);
});

test('what has changed since the person saw it does not run', async () => {
  const { jinn, has, writeTool } = openScene({ toolsets: ['custom'] });
  writeTool('seen');
  const { question, decide } = await start(jinn, [GREET]);
  expect(question).toBeDefined();
  writeTool('changed');
  expect(textsOf(await decide({ type: 'approve' }))).toEqual([expect.stringContaining('approval_required')]);
  expect([has('seen'), has('changed')]).toEqual([false, false]);
});

test('the signal of the agent ends a call', async () => {
  const { jinn, has, expectStopped } = openScene();
  const stop = new AbortController();
  const running = start(jinn, [TICK], { signal: stop.signal }).catch((error: unknown) => error);
  await expect.poll(() => has('tick')).toBe(true);
  stop.abort();
  expect(await running).toBeInstanceOf(Error);
  await expectStopped();
});
