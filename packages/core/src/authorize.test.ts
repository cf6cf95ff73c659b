import { makeTempDirectory, openTestMachine, toolsetOf } from '@jinn/testkit';
import { expect, test, vi } from 'vitest';
import type { Answer, Question } from './authorize.ts';
import { defineTool } from './define-tool.ts';
import { ToolError } from './errors.ts';
import type { Surroundings } from './registry.ts';
import { createRegistry } from './registry.ts';
import { createSession } from './session.ts';

type Ask = NonNullable<Surroundings['ask']>;

const answering = (answer: Answer | undefined) => vi.fn<Ask>(async () => answer);

/** A tool that asks for a permission of its argument, and says whether it ran. */
function scene(more: Partial<Question> = {}) {
  const run = vi.fn(() => ({ text: 'ran' }));
  const tool = defineTool({
    name: 'ask',
    effect: 'execute',
    description: 'Asks before it runs.',
    input: (z) => z.strictObject({ key: z._default(z.string(), '') }),
    examples: [{}],
    question: ({ key }) =>
      key === '' ? undefined : { message: `May I use ${key}?`, permission: { type: 'use', key }, ...more },
    run,
  });
  const state = makeTempDirectory();
  const root = makeTempDirectory();
  const call = async (key: string, ask?: Ask, other: { root?: string } = {}) => {
    const registry = await createRegistry({
      toolsets: [toolsetOf('test', [tool])],
      version: '1',
      onInternalError: (error) => console.error(error),
    });
    const machine = openTestMachine({ state, root, ...other });
    return registry.call({ tool: 'ask', args: { key } }, { ...machine, session: createSession(), ...(ask && { ask }) });
  };
  return { call, run };
}

test('asks nothing for a call that raises no question', async () => {
  const ask = answering('deny');
  expect(await scene().call('', ask)).toMatchObject({ ok: true });
  expect(ask).not.toHaveBeenCalled();
});

test.each<[string, Answer | undefined, string]>([
  ['denied', 'deny', 'the person said no: May I use a?'],
  ['not answered', undefined, 'the person did not answer: May I use a?'],
])('refuses what is %s, and runs nothing', async (_, answer, message) => {
  const { call, run } = scene({ details: { risk: 'dangerous' } });
  expect(await call('a', answering(answer))).toMatchObject({
    ok: false,
    error: { code: 'approval_required', message, details: { risk: 'dangerous' } },
  });
  expect(run).not.toHaveBeenCalled();
});

test('refuses where nobody can be asked', async () => {
  const { call, run } = scene();
  expect(await call('a')).toMatchObject({ ok: false, error: { code: 'approval_required' } });
  expect(run).not.toHaveBeenCalled();
});

test('words a refusal as the tool does', async () => {
  const refusal = (reason: string) => new ToolError('command_blocked', `no: ${reason}`);
  const { call } = scene({ refusal });
  expect(await call('a')).toMatchObject({ error: { code: 'command_blocked', message: 'no: nobody' } });
  expect(await call('a', answering('deny'))).toMatchObject({ error: { message: 'no: denied' } });
  expect(await call('a', answering(undefined))).toMatchObject({ error: { message: 'no: unanswered' } });
});

test('asks again after "once"', async () => {
  const { call } = scene();
  const ask = answering('once');
  expect([await call('a', ask), await call('a', ask)]).toMatchObject([{ ok: true }, { ok: true }]);
  expect(ask).toHaveBeenCalledTimes(2);
});

test('remembers "always" for this permission and this workspace, also where nobody can be asked', async () => {
  const { call } = scene();
  expect(await call('a', answering('always'))).toMatchObject({ ok: true });
  expect(await call('a')).toMatchObject({ ok: true });
  expect(await call('b')).toMatchObject({ ok: false });
  expect(await call('a', undefined, { root: makeTempDirectory() })).toMatchObject({ ok: false });
});

test('asks again when what was approved has changed', async () => {
  const more = { fingerprint: 'one' };
  const { call } = scene(more);
  const ask = answering('always');
  await call('a', ask);
  expect(await call('a')).toMatchObject({ ok: true });
  more.fingerprint = 'two';
  expect(await call('a')).toMatchObject({ ok: false });
});

test('lets through what the host throws instead of an answer', async () => {
  const ask: Ask = async ({ message }) => {
    throw new ToolError('approval_required', message);
  };
  expect(await scene().call('a', ask)).toMatchObject({ error: { code: 'approval_required', message: 'May I use a?' } });
});
