import { makeTempDirectory, openTestMachine, toolsetOf } from '@jinn/testkit';
import { expect, test, vi } from 'vitest';
import { ToolError } from '../../errors/index.ts';
import { defineTool } from '../define-tool.ts';
import { createRegistry, createSession, type Surroundings } from '../registry.ts';
import { type Tool, wrapRun } from '../tool.ts';
import type { Answer, Question } from './question.ts';

type Ask = NonNullable<Surroundings['ask']>;

const answering = (answer: Awaited<ReturnType<Ask>>) => vi.fn<Ask>(async () => answer);

/** A tool that asks for a permission of its argument, and says whether it ran. */
function scene(more: Partial<Question> = {}) {
  const run = vi.fn(() => ({ text: 'ran' }));
  const tool = defineTool({
    name: 'ask',
    effect: 'execute',
    description: 'Asks before it runs.',
    input: (z) => z.strictObject({ key: z._default(z.string(), '') }),
    examples: [{}],
    prepare: ({ key }) => ({
      question: key === '' ? undefined : { message: `May I use ${key}?`, permission: { type: 'use', key }, ...more },
      run,
    }),
  });
  const state = makeTempDirectory();
  const root = makeTempDirectory();
  const call = async (
    key: string,
    ask?: Ask,
    { caller, ...other }: { root?: string; person?: string; caller?: object } = {},
  ) => {
    const registry = await createRegistry({
      toolsets: [toolsetOf('test', [tool])],
      version: '1',
      onInternalError: (error) => console.error(error),
    });
    const machine = openTestMachine({ state, root, ...other });
    return registry.call(
      { tool: 'ask', args: { key } },
      { ...machine, session: createSession(), ...(ask && { ask }), ...caller },
    );
  };
  return { call, run };
}

test('asks nothing for a call that raises no question', async () => {
  const ask = answering('deny');
  expect(await scene().call('', ask)).toMatchObject({ ok: true });
  expect(ask).not.toHaveBeenCalled();
});

test.each<[string, Answer | 'nobody' | undefined, string]>([
  ['put to nobody', 'nobody', 'this call needs user approval, but the client cannot ask for it: May I use a?'],
  ['denied', 'deny', 'the user denied this call: May I use a?'],
  ['not answered', undefined, 'the user did not answer: May I use a?'],
])('refuses what is %s, and runs nothing', async (_, answer, message) => {
  const { call, run } = scene({ details: { risk: 'dangerous' } });
  expect(await call('a', answering(answer))).toMatchObject({
    ok: false,
    error: { code: 'approval_required', message, details: { risk: 'dangerous' } },
  });
  expect(run).not.toHaveBeenCalled();
});

test('refuses where no user can be asked', async () => {
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

test.each([
  false,
  true,
  null,
  0,
  1,
  '',
  'no',
  'yes',
  'ONCE',
  ' once',
  'Always',
  'Deny',
  ['once'],
] as readonly unknown[])('takes %j for no answer, and runs nothing', async (answer) => {
  const { call, run } = scene();
  expect(await call('a', answering(answer as 'once'))).toMatchObject({
    ok: false,
    error: { code: 'approval_required', message: 'the user did not answer: May I use a?' },
  });
  expect(await call('a')).toMatchObject({ ok: false });
  expect(run).not.toHaveBeenCalled();
});

test('remembers "always" for this permission and this workspace, also where no user can be asked', async () => {
  const { call } = scene();
  expect(await call('a', answering('always'))).toMatchObject({ ok: true });
  expect(await call('a')).toMatchObject({ ok: true });
  expect(await call('b')).toMatchObject({ ok: false });
  expect(await call('a', undefined, { root: makeTempDirectory() })).toMatchObject({ ok: false });
});

test('remembers "everybody" for all people of this workspace, where it is offered', async () => {
  const { call, run } = scene();
  const { asked, ask } = person('everybody');
  const caller = { allowsForAll: true };
  expect(await call('a', ask, { caller, person: 'ann' })).toMatchObject({ ok: true });
  expect(asked).toMatchObject([{ forAll: true }]);
  for (const name of ['ann', 'bob', ''])
    expect(await call('a', undefined, { person: name })).toMatchObject({ ok: true });
  expect(await call('a', undefined, { person: 'bob', root: makeTempDirectory() })).toMatchObject({ ok: false });
  expect(run).toHaveBeenCalledTimes(4);
});

test.each([
  ['the person may not', {}, {}],
  ['nothing is remembered', {}, { caller: { allowsForAll: true, remembers: false } }],
  ['it may change', { onlyOnce: 'it may change' }, { caller: { allowsForAll: true } }],
])('runs nothing by the answer "everybody" where it is not offered: %s', async (_, more, options) => {
  const { call, run } = scene(more);
  const { asked, ask } = person('everybody');
  expect(await call('a', ask, { ...options, person: 'ann' })).toMatchObject({
    ok: false,
    error: { code: 'approval_required', message: expect.stringContaining('the user did not answer') },
  });
  expect(asked).toMatchObject([{ forAll: false }]);
  expect(await call('a', undefined, { person: 'ann' })).toMatchObject({ ok: false });
  expect(run).not.toHaveBeenCalled();
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

/** Answers, and keeps the question. */
function person(answer: Awaited<ReturnType<Ask>> = 'always') {
  const asked: Question[] = [];
  const ask: Ask = async (question) => {
    asked.push(question);
    return answer;
  };
  return { asked, ask };
}

test('what is put to a person is safe to show, whatever the tool says', async () => {
  const { asked, ask } = person();
  const { call } = scene({ always: 'It\u202e lasts.' });
  await call('a\x1b[2K\n\n\n\nb', ask);
  expect(asked).toMatchObject([
    {
      message: 'May I use a\\x1b[2K\n\nb?\n\nIt\\u{202e} lasts.',
      always: 'It\\u{202e} lasts.',
      permission: { type: 'use', key: 'a\\x1b[2K\\n\\n\\n\\nb' },
    },
  ]);
  const refused = await scene().call('c\x1b');
  expect(refused).toMatchObject({ error: { message: expect.stringContaining('May I use c\\x1b?') } });
});

test('"always" counts once where it is not offered', async () => {
  for (const [more, caller, message] of [
    [{ onlyOnce: 'it may change' }, {}, 'May I use a?\n\nThe answer "always" cannot be remembered: it may change.'],
    [{ always: 'For ever.' }, { remembers: false }, 'May I use a?'],
  ] as const) {
    const { asked, ask } = person();
    const { call } = scene(more);
    for (let times = 0; times < 2; times++) expect(await call('a', ask, { caller })).toMatchObject({ ok: true });
    expect(asked.map((question) => question.message)).toEqual([message, message]);
    expect(asked[0]?.onlyOnce).toBeDefined();
  }
});

test('a tool runs what it prepared, with a fresh clock', async () => {
  const contexts: unknown[] = [];
  const tool = defineTool({
    name: 'ask',
    effect: 'execute',
    description: 'Prepares.',
    input: (z) => z.strictObject({}),
    examples: [{}],
    prepare: (args, ctx) => ({
      run: (at) => {
        contexts.push(args, ctx === at);
        return { text: 'ran' };
      },
    }),
  });
  const options = { toolsets: [toolsetOf('test', [tool])], version: '1', onInternalError: () => {} };
  const registry = await createRegistry(options);
  const at = { ...openTestMachine({}), session: createSession() };
  expect(await registry.call({ tool: 'ask' }, at)).toMatchObject({ ok: true, text: 'ran' });
  expect(contexts).toEqual([{}, false]);
});

test('what goes around a run goes around that of a tool that prepares, too', async () => {
  const around = async (run: (at: never) => unknown) => ({
    text: `<${((await run(undefined as never)) as { text: string }).text}>`,
  });
  const base = { name: 'a', effect: 'read', description: 'a', input: {} as never, examples: [] } as const;
  const simple = wrapRun<Tool>({ ...base, run: () => ({ text: 'ran' }) }, around);
  expect(await simple.run?.({} as never, {} as never)).toEqual({ text: '<ran>' });
  const question = { message: 'May I?', permission: { type: 'a', key: 'a' } };
  const asking = wrapRun<Tool>({ ...base, prepare: () => ({ question, run: () => ({ text: 'ran' }) }) }, around);
  const call = await asking.prepare?.({} as never, {} as never);
  expect([call?.question, await call?.run({} as never)]).toEqual([question, { text: '<ran>' }]);
});
