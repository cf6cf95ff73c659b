import { makeTempDirectory } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { connectNew, connectOld } from './fixture/connect-here.ts';

type Action = 'accept' | 'decline' | 'cancel';

interface Person {
  readonly capabilities?: object;
  /** What a person does with each question. */
  readonly actions: readonly Action[];
  /** Whether the person wants not to be asked again. */
  readonly remember?: boolean;
  /** Where jinn keeps its state, and the workspace; fresh ones if absent. */
  readonly home?: string;
  readonly cwd?: string;
}

async function askOld(
  { capabilities = { elicitation: {} }, actions, remember = false, ...place }: Person,
  text: string,
) {
  const { ElicitRequestSchema } = await import('@modelcontextprotocol/sdk/types.js');
  const { client, connect } = await connectOld({ cwd: makeTempDirectory(), standIn: true, ...place }, capabilities);
  const asked: string[] = [];
  if ('elicitation' in capabilities) {
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      asked.push(params.message);
      return {
        action: actions[asked.length - 1] as Action,
        content: { decision: remember ? 'Always allow…' : 'Allow once' },
      };
    });
  }
  await connect();
  return { asked, result: await client.callTool({ name: 'ask', arguments: { text } }) };
}

async function askNew(
  { capabilities = { elicitation: { form: {} } }, actions, remember = false, ...place }: Person,
  text: string,
) {
  const { client, connect } = await connectNew({ cwd: makeTempDirectory(), standIn: true, ...place }, { capabilities });
  const asked: string[] = [];
  if ('elicitation' in capabilities) {
    client.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push(params.message);
      return {
        action: actions[asked.length - 1] as Action,
        content: { decision: remember ? 'Always allow…' : 'Allow once' },
      };
    });
  }
  await connect();
  return { asked, result: await client.callTool({ name: 'ask', arguments: { text } }) };
}

const ERAS = [
  ['by handshake', askOld],
  ['stateless', askNew],
] as const;

test.for(ERAS)('%s: a person who accepts has approved', async ([, ask]) => {
  const { asked, result } = await ask({ actions: ['accept'] }, 'Run rm?');
  expect(asked).toEqual(['Run rm?']);
  expect(result.content).toEqual([{ type: 'text', text: 'approved' }]);
});

test.for(ERAS)('%s: a person who declines has refused', async ([, ask]) => {
  const { result } = await ask({ actions: ['decline'] }, 'Run rm?');
  expect(result).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('approval_required: the user denied this call: Run rm?') }],
  });
});

test.for(ERAS)('%s: a person who turns away has not answered', async ([, ask]) => {
  const { result } = await ask({ actions: ['cancel'] }, 'Run rm?');
  expect(result).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('the user did not answer: Run rm?') }],
  });
});

test.for(ERAS)('%s: what a person lets be remembered is not asked again', async ([, ask]) => {
  const home = makeTempDirectory();
  const cwd = makeTempDirectory();
  const first = await ask({ actions: ['accept'], remember: true, home, cwd }, 'Run rm?');
  const second = await ask({ actions: [], home, cwd }, 'Run rm?');
  expect([first.asked.length, second.asked.length]).toEqual([1, 0]);
  expect(second.result.content).toEqual([{ type: 'text', text: 'approved' }]);
});

test.for([
  ['by handshake', askOld, {}],
  ['stateless', askNew, {}],
  ['by handshake, with web pages only', askOld, { elicitation: { url: {} } }],
  ['stateless, with web pages only', askNew, { elicitation: { url: {} } }],
] as const)('%s: a host that cannot ask is told so', async ([, ask, capabilities]) => {
  const { asked, result } = await ask({ capabilities, actions: [] }, 'Run rm?');
  expect(asked).toEqual([]);
  expect(result).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('approval_required: this call needs user approval') }],
  });
});

test('a host that fails to ask is a refusal with its reason, and no crash', async () => {
  const { ElicitRequestSchema } = await import('@modelcontextprotocol/sdk/types.js');
  const { client, failures, connect } = await connectOld(
    { cwd: makeTempDirectory(), standIn: true },
    { elicitation: {} },
  );
  client.setRequestHandler(ElicitRequestSchema, () => {
    throw new Error('no window\nis open');
  });
  await connect();
  expect(await client.callTool({ name: 'ask', arguments: { text: 'Run rm?' } })).toMatchObject({
    isError: true,
    content: [
      { text: expect.stringMatching(/^approval_required: the host could not ask the user: .*no window is open\n/) },
    ],
  });
  expect(failures).toEqual([]);
});

test('an answer is good for the call that it was given for, and for no other', async () => {
  const capabilities = { elicitation: { form: {} } };
  const { client, connect } = await connectNew(
    { cwd: makeTempDirectory(), standIn: true },
    { capabilities, inputRequired: { autoFulfill: false } },
  );
  await connect();
  const ask = (text: string, more = {}) =>
    client.callTool({ name: 'ask', arguments: { text }, ...more }, { allowInputRequired: true });
  const first = (await ask('safe?')) as { requestState?: string };
  const answered = {
    inputResponses: { approval: { action: 'accept', content: { decision: 'Allow once' } } },
    requestState: first.requestState,
  };
  expect(await ask('safe?', answered)).toMatchObject({ content: [{ text: 'approved' }] });
  expect(await ask('dangerous?', answered)).toMatchObject({ resultType: 'input_required' });
  expect(await ask('safe?', { ...answered, requestState: `${first.requestState}x` })).toMatchObject({
    resultType: 'input_required',
  });
  expect(await ask('safe?', { inputResponses: answered.inputResponses })).toMatchObject({
    resultType: 'input_required',
  });
  expect(await ask('safe?#other arguments', answered)).toMatchObject({ resultType: 'input_required' });
  const changing = (await ask('question %n')) as { requestState?: string };
  expect(await ask('question %n', { ...answered, requestState: changing.requestState })).toMatchObject({
    resultType: 'input_required',
  });
});

test.for([
  ['by handshake', connectOld],
  ['stateless', connectNew],
] as const)('%s: a tool tells how far it is', async ([, connectTo]) => {
  const { client, connect } = await connectTo({ cwd: makeTempDirectory(), standIn: true });
  await connect();
  const reports: unknown[] = [];
  const onprogress = (report: unknown) => reports.push(report);
  const request = { name: 'count', arguments: {} };
  const result = await ('getServerCapabilities' in client && connectTo === connectOld
    ? (client as Awaited<ReturnType<typeof connectOld>>['client']).callTool(request, undefined, { onprogress })
    : (client as Awaited<ReturnType<typeof connectNew>>['client']).callTool(request, { onprogress }));
  expect(result.content).toEqual([{ type: 'text', text: 'counted' }]);
  expect(reports).toEqual([1, 2, 3].map((i) => ({ progress: i, total: 3, message: `step ${i}` })));
});
