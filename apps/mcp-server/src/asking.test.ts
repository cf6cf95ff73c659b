import { makeTempDirectory } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { buildFixture } from './fixture/build.ts';
import { connectNew, connectOld } from './fixture/connect.ts';

const program = await buildFixture();

type Action = 'accept' | 'decline' | 'cancel';

interface Person {
  readonly capabilities?: object;
  /** What a person does with each question. */
  readonly actions: readonly Action[];
}

async function askOld({ capabilities = { elicitation: {} }, actions }: Person, text: string) {
  const { ElicitRequestSchema } = await import('@modelcontextprotocol/sdk/types.js');
  const { client, connect } = await connectOld({ cwd: makeTempDirectory(), program }, capabilities);
  const asked: string[] = [];
  if ('elicitation' in capabilities) {
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      asked.push(params.message);
      return { action: actions[asked.length - 1] as Action, content: {} };
    });
  }
  await connect();
  return { asked, result: await client.callTool({ name: 'ask', arguments: { text } }) };
}

async function askNew({ capabilities = { elicitation: { form: {} } }, actions }: Person, text: string) {
  const { client, connect } = await connectNew({ cwd: makeTempDirectory(), program }, { capabilities });
  const asked: string[] = [];
  if ('elicitation' in capabilities) {
    client.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push(params.message);
      return { action: actions[asked.length - 1] as Action, content: {} };
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

test.for(ERAS)('%s: who declines or turns away has not', async ([, ask]) => {
  for (const action of ['decline', 'cancel'] as const) {
    const { result } = await ask({ actions: [action] }, 'Run rm?');
    expect(result.content).toEqual([{ type: 'text', text: 'declined' }]);
  }
});

test.for(ERAS)('%s: each question of a call is asked once', async ([, ask]) => {
  const { asked, result } = await ask({ actions: ['accept', 'accept', 'decline'] }, 'a?,b?,c?');
  expect(asked).toEqual(['a?', 'b?', 'c?']);
  expect(result.content).toEqual([{ type: 'text', text: 'approved,approved,declined' }]);
});

test.for([
  ['by handshake', askOld, {}],
  ['stateless', askNew, {}],
  ['by handshake, with web pages only', askOld, { elicitation: { url: {} } }],
  ['stateless, with web pages only', askNew, { elicitation: { url: {} } }],
] as const)('%s: a host that cannot ask is told so', async ([, ask, capabilities]) => {
  const { asked, result } = await ask({ capabilities, actions: [] }, 'Run rm?');
  expect([asked, result.content]).toEqual([[], [{ type: 'text', text: 'nobody to ask' }]]);
});

test('an answer is good for the call that it was given for, and for no other', async () => {
  const capabilities = { elicitation: { form: {} } };
  const { client, connect } = await connectNew(
    { cwd: makeTempDirectory(), program },
    { capabilities, inputRequired: { autoFulfill: false } },
  );
  await connect();
  const ask = (text: string, more = {}) =>
    client.callTool({ name: 'ask', arguments: { text }, ...more }, { allowInputRequired: true });
  const first = (await ask('safe?')) as { requestState?: string };
  const answered = { inputResponses: { approval: { action: 'accept' } }, requestState: first.requestState };
  expect(await ask('safe?', answered)).toMatchObject({ content: [{ text: 'approved' }] });
  expect(await ask('dangerous?', answered)).toMatchObject({ resultType: 'input_required' });
  expect(await ask('safe?', { ...answered, requestState: `${first.requestState}x` })).toMatchObject({
    resultType: 'input_required',
  });
  expect(await ask('safe?', { inputResponses: answered.inputResponses })).toMatchObject({
    resultType: 'input_required',
  });
});

test.for([
  ['by handshake', connectOld],
  ['stateless', connectNew],
] as const)('%s: a tool tells how far it is', async ([, connectTo]) => {
  const { client, connect } = await connectTo({ cwd: makeTempDirectory(), program });
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
