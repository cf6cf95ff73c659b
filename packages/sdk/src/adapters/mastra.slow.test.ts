import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import { expect, test } from 'vitest';
import type { ModelJinn } from '../create-jinn.ts';
import { outputsOf, scripted } from '../fixture/ai-model.ts';
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
import { jinnTools } from './mastra.ts';

/** Starts an agent; `approve` and `decline` answer for its one call. */
async function start(jinn: ModelJinn, calls: readonly ScriptedCall[], abortSignal?: AbortSignal) {
  const model = scripted(calls);
  const tools = await jinnTools(jinn);
  const config = { id: 'mender', name: 'mender', instructions: 'Mend it.', tools };
  // The type of Mastra's models leaves no room for a generated result.
  const agent = new Agent({ ...config, model: model as never });
  new Mastra({ agents: { agent }, logger: false });
  const first = await agent.generate('Mend it.', { maxSteps: 20, ...(abortSignal && { abortSignal }) });
  const { runId = '' } = first;
  const approve = () => agent.approveToolCallGenerate({ runId });
  const decline = () => agent.declineToolCallGenerate({ runId });
  return { first, approve, decline, outputs: () => outputsOf(model) };
}

const textsOf = (outputs: ReturnType<typeof outputsOf>) => outputs.map((output) => JSON.stringify(output));

test('an agent reads, edits, runs a test, undoes, and reads an error', async () => {
  const { root, jinn } = openScene();
  const { first, outputs } = await start(jinn, MEND);
  expect(first.text).toBe('done');
  expectMended(root, textsOf(outputs()));
  expect(outputs().at(-1)?.type).toBe('error-text');
});

test('a model gets images', async () => {
  const { outputs } = await start(openScene().jinn, [LOOK]);
  expect(textsOf(outputs())).toEqual([expect.stringContaining(PIXEL)]);
});

test('a dangerous call waits for the person, and runs after a yes', async () => {
  const { jinn, has } = openScene();
  const { first, approve, outputs } = await start(jinn, [REMOVE]);
  expect(first).toMatchObject({
    finishReason: 'suspended',
    suspendPayload: { toolName: 'run_shell', args: REMOVE.args },
  });
  expect(has('build')).toBe(true);
  expect((await approve()).text).toBe('done');
  expect(has('build')).toBe(false);
  expect(textsOf(outputs())).toEqual([expect.stringContaining('[exit: 0]')]);
});

test('a call that the person declines does not run', async () => {
  const { jinn, has } = openScene();
  const { decline, outputs } = await start(jinn, [REMOVE]);
  expect((await decline()).text).toBe('done');
  expect(has('build')).toBe(true);
  expect(textsOf(outputs())).toEqual([expect.stringContaining('not approved')]);
});

test('what has changed since the call was suspended does not run', async () => {
  const { jinn, has, writeTool } = openScene({ toolsets: ['custom'] });
  writeTool('seen');
  const { first, approve, outputs } = await start(jinn, [GREET]);
  expect(first.finishReason).toBe('suspended');
  writeTool('changed');
  await approve();
  expect([has('seen'), has('changed')]).toEqual([false, false]);
  expect(textsOf(outputs())).toEqual([expect.stringContaining('approval_required')]);
});

test('the signal of the agent ends a call', async () => {
  const { jinn, has, expectStopped } = openScene();
  const stop = new AbortController();
  const running = start(jinn, [TICK], stop.signal).catch((error: unknown) => error);
  await expect.poll(() => has('tick')).toBe(true);
  stop.abort();
  await running;
  await expectStopped();
});
