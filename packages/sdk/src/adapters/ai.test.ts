import { generateText, isStepCount, type ModelMessage, type ToolApprovalResponse } from 'ai';
import { expect, test } from 'vitest';
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
import { type AiTools, jinnTools } from './ai.ts';

/** Starts an agent; `goOn` answers its one question, and lets it work on. */
async function start({ tools, toolApproval }: Partial<AiTools>, calls: readonly ScriptedCall[]) {
  const model = scripted(calls);
  const options = { model, ...(tools && { tools }), ...(toolApproval && { toolApproval }), stopWhen: isStepCount(20) };
  const messages: ModelMessage[] = [{ role: 'user', content: 'Mend it.' }];
  const first = await generateText({ ...options, messages });
  const [request] = first.content.filter((part) => part.type === 'tool-approval-request');
  const goOn = (answer: Pick<ToolApprovalResponse, 'approved' | 'reason'>) => {
    const response = { type: 'tool-approval-response' as const, approvalId: request?.approvalId ?? '', ...answer };
    const answered: ModelMessage[] = [...first.responseMessages, { role: 'tool', content: [response] }];
    return generateText({ ...options, messages: [...messages, ...answered] });
  };
  return { first, request, goOn, outputs: () => outputsOf(model) };
}

const textsOf = (outputs: ReturnType<typeof outputsOf>) => outputs.map((output) => JSON.stringify(output));

test('an agent reads, edits, runs a test, undoes, and reads an error', async () => {
  const { root, jinn } = openScene();
  const { first, outputs } = await start(await jinnTools(jinn), MEND);
  expect(first.text).toBe('done');
  expectMended(root, textsOf(outputs()));
  expect(outputs().map(({ type }) => type)).toEqual(['text', 'text', 'text', 'text', 'error-text']);
});

test('a model gets images as files', async () => {
  const { jinn } = openScene();
  const { outputs } = await start(await jinnTools(jinn), [LOOK]);
  const image = { type: 'file', mediaType: 'image/png', data: { type: 'data', data: PIXEL } };
  expect(outputs()).toMatchObject([{ type: 'content', value: [{ type: 'text' }, image] }]);
});

test('a dangerous call waits for the person, who reads what it does, and runs after a yes', async () => {
  const { jinn, has } = openScene();
  const { first, request, goOn, outputs } = await start(await jinnTools(jinn), [REMOVE]);
  expect([first.text, has('build')]).toEqual(['', true]);
  expect(request).toMatchObject({
    toolCall: { toolName: 'run_shell' },
    reason: expect.stringContaining('rm -rf build'),
  });
  expect((await goOn({ approved: true })).text).toBe('done');
  expect(has('build')).toBe(false);
  expect(textsOf(outputs())).toEqual([expect.stringContaining('[exit: 0]')]);
});

test('a call that the person denies does not run', async () => {
  const { jinn, has } = openScene();
  const { goOn, outputs } = await start(await jinnTools(jinn), [REMOVE]);
  expect((await goOn({ approved: false, reason: 'keep it' })).text).toBe('done');
  expect(has('build')).toBe(true);
  expect(outputs()).toEqual([{ type: 'execution-denied', reason: 'keep it' }]);
});

test.for([
  ['no approvals', () => ({})],
  ['approvals that say yes to all', () => ({ toolApproval: { run_shell: () => 'approved' as const } })],
] as const)('with %s, a dangerous call is refused', async ([, approvals]) => {
  const { jinn, has } = openScene();
  const { tools } = await jinnTools(jinn);
  const { first, outputs } = await start({ tools, ...approvals() }, [REMOVE]);
  expect([first.text, has('build')]).toEqual(['done', true]);
  expect(textsOf(outputs())).toEqual([expect.stringContaining('command_blocked')]);
});

test('where the SDK asks nobody, the instance asks', async () => {
  const { jinn, has } = openScene({ approve: () => 'once' });
  await start({ tools: (await jinnTools(jinn)).tools }, [REMOVE]);
  expect(has('build')).toBe(false);
});

test('what has changed since the person saw it does not run', async () => {
  const { jinn, has, writeTool } = openScene({ toolsets: ['custom'] });
  writeTool('seen');
  const { request, goOn, outputs } = await start(await jinnTools(jinn), [GREET]);
  expect(request?.reason).toContain('Run the tool greet?');
  writeTool('changed');
  await goOn({ approved: true });
  expect([has('seen'), has('changed')]).toEqual([false, false]);
  expect(textsOf(outputs())).toEqual([expect.stringContaining('approval_required')]);
});

test('the signal of the SDK ends a call', async () => {
  const { jinn, has, expectStopped } = openScene();
  const stop = new AbortController();
  const { tools } = await jinnTools(jinn);
  const options = { model: scripted([TICK]), tools, stopWhen: isStepCount(2), abortSignal: stop.signal };
  const running = generateText({ ...options, prompt: 'Go on and on.' });
  const ended = expect(running).rejects.toMatchObject({ name: 'AbortError' });
  await expect.poll(() => has('tick')).toBe(true);
  stop.abort();
  await ended;
  await expectStopped();
});
