import { Agent, type Model, type ModelRequest, type ModelResponse, Runner, Usage } from '@openai/agents';
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
import { jinnTools } from './openai-agents.ts';

/** A model that asks for these calls, one a turn, and then says "done". */
class ScriptedModel implements Model {
  readonly requests: ModelRequest[] = [];
  readonly #calls: readonly ScriptedCall[];

  constructor(calls: readonly ScriptedCall[]) {
    this.#calls = calls;
  }

  async getResponse(request: ModelRequest): Promise<ModelResponse> {
    const turn = this.requests.push(request) - 1;
    const call = this.#calls[turn];
    const said = { type: 'output_text' as const, text: 'done' };
    if (!call) return answer({ type: 'message', role: 'assistant', status: 'completed', content: [said] });
    const { name, args } = call;
    return answer({ type: 'function_call', callId: `call-${turn}`, name, arguments: JSON.stringify(args) });
  }

  getStreamedResponse(): AsyncIterable<never> {
    throw new Error('this model does not stream');
  }

  /** What the model has read of its calls. */
  get outputs(): unknown[] {
    const { input = [] } = this.requests.at(-1) ?? {};
    return typeof input === 'string'
      ? []
      : input.flatMap((item) => (item.type === 'function_call_result' ? [item.output] : []));
  }

  get texts(): string[] {
    return this.outputs.map((output) => JSON.stringify(output));
  }
}

function answer(item: ModelResponse['output'][number]): ModelResponse {
  return { usage: new Usage(), output: [item] };
}

const runner = new Runner({ tracingDisabled: true });

/** Starts an agent with the tools of an instance and a model that asks for these calls. */
async function start(jinn: ModelJinn, calls: readonly ScriptedCall[], signal?: AbortSignal) {
  const model = new ScriptedModel(calls);
  const agent = new Agent({ name: 'mender', model, tools: await jinnTools(jinn) });
  const result = await runner.run(agent, 'Mend it.', { maxTurns: 20, ...(signal && { signal }) });
  const [interruption] = result.interruptions;
  const decide = async (how: 'approve' | 'reject', always: { alwaysApprove?: boolean } = {}) => {
    if (interruption) result.state[how](interruption, always);
    return runner.run(agent, result.state);
  };
  return { model, result, interruption, decide };
}

test('an agent reads, edits, runs a test, undoes, and reads an error', async () => {
  const { root, jinn } = openScene();
  const { model, result } = await start(jinn, MEND);
  expect(result.finalOutput).toBe('done');
  expectMended(root, model.texts);
});

test('a model gets images, and the schemas of the tools', async () => {
  const { jinn } = openScene();
  const { model } = await start(jinn, [LOOK]);
  const image = { type: 'input_image', image: `data:image/png;base64,${PIXEL}` };
  expect(model.outputs).toMatchObject([[{ type: 'input_text' }, image]]);
  const served = model.requests[0]?.tools.find((tool) => tool.name === 'read_file');
  expect(served).toMatchObject({ parameters: { properties: { path: { type: 'string' } }, required: ['path'] } });
});

test('a dangerous call interrupts the run, and runs after a yes', async () => {
  const { jinn, has } = openScene();
  const { model, result, interruption, decide } = await start(jinn, [REMOVE]);
  expect([result.finalOutput, interruption?.name, has('build')]).toEqual([undefined, 'run_shell', true]);
  expect((await decide('approve')).finalOutput).toBe('done');
  expect(has('build')).toBe(false);
  expect(model.texts).toEqual([expect.stringContaining('[exit: 0]')]);
});

test('a call that the person rejects does not run', async () => {
  const { jinn, has } = openScene();
  const { model, decide } = await start(jinn, [REMOVE]);
  expect((await decide('reject')).finalOutput).toBe('done');
  expect(has('build')).toBe(true);
  expect(model.texts).toEqual([expect.stringContaining('not approved')]);
});

test('a yes to all later calls of a tool is none to what jinn would ask about', async () => {
  const { root, jinn, has } = openScene();
  const again = { name: 'run_shell', args: { command: `rm -rf ${root}/add.js` } };
  const { decide } = await start(jinn, [REMOVE, again]);
  const { finalOutput, interruptions } = await decide('approve', { alwaysApprove: true });
  expect([has('build'), has('add.js')]).toEqual([false, true]);
  expect([finalOutput, interruptions.length]).toEqual(['done', 0]);
});

test('what has changed since the run was interrupted does not run', async () => {
  const { jinn, has, writeTool } = openScene({ toolsets: ['custom'] });
  writeTool('seen');
  const { model, interruption, decide } = await start(jinn, [GREET]);
  expect(interruption?.name).toBe('greet');
  writeTool('changed');
  await decide('approve');
  expect([has('seen'), has('changed')]).toEqual([false, false]);
  expect(model.texts).toEqual([expect.stringContaining('approval_required')]);
});

test('the signal of the run ends a call', async () => {
  const { jinn, has, expectStopped } = openScene();
  const stop = new AbortController();
  const running = start(jinn, [TICK], stop.signal).catch((error: unknown) => error);
  await expect.poll(() => has('tick')).toBe(true);
  stop.abort();
  expect(await running).toBeInstanceOf(Error);
  await expectStopped();
});
