import fs from 'node:fs';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { connectNew, connectOld } from './fixture/connect-here.ts';

const ERAS = [
  ['by handshake', connectOld],
  ['stateless', connectNew],
] as const;

type Action = 'accept' | 'decline' | 'cancel';

/** Connects a host whose person does one thing with each question; one that cannot ask if there is no person. */
async function open(connect: (typeof ERAS)[number][1], person?: Action, args: readonly string[] = []) {
  const cwd = makeTempDirectory();
  makeTree(cwd, { 'src/a.txt': 'one' });
  const elicitation = person && { elicitation: { form: {} } };
  const isOld = connect === connectOld;
  const place = { cwd, args: ['--sandbox', 'off', ...args] };
  const connection = isOld
    ? await connectOld(place, elicitation)
    : await connectNew(place, elicitation && { capabilities: elicitation });
  const client = connection.client as Awaited<ReturnType<typeof connectNew>>['client'];
  let asked = 0;
  const answer = async () => {
    asked++;
    return { action: person as Action, content: { decision: 'Allow once' } };
  };
  if (person && isOld) {
    const { ElicitRequestSchema } = await import('@modelcontextprotocol/sdk/types.js');
    client.setRequestHandler(ElicitRequestSchema as never, answer as never);
  } else if (person) client.setRequestHandler('elicitation/create', answer);
  await connection.connect();
  const remove = (more: object = {}) =>
    client.callTool({ name: 'run_shell', arguments: { command: 'rm -rf src', ...more } });
  return { client, remove, asked: () => asked, isThere: () => fs.existsSync(`${cwd}/src/a.txt`) };
}

test.for(ERAS)('%s: a person who says no is obeyed, whether the call is forced or not', async ([, connect]) => {
  const { remove, asked, isThere } = await open(connect, 'decline');
  const refused = {
    isError: true,
    content: [{ text: expect.stringMatching(/^command_blocked: the user denied this call/) }],
  };
  expect(await remove()).toMatchObject(refused);
  expect(await remove({ force: true })).toMatchObject(refused);
  expect([asked(), isThere()]).toEqual([2, true]);
});

test.for(ERAS)('%s: a person who turns away has not said no', async ([, connect]) => {
  const { remove, isThere } = await open(connect, 'cancel');
  expect(await remove({ force: true })).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/^command_blocked: the user did not answer/) }],
  });
  expect(isThere()).toBe(true);
});

test.for(ERAS)('%s: a person who accepts has approved', async ([, connect]) => {
  const { remove, isThere } = await open(connect, 'accept');
  const warning = { text: '[warning: unknown argument "force" was ignored]' };
  expect(await remove({ force: true })).toMatchObject({ content: [{}, warning] });
  expect(isThere()).toBe(false);
});

test.for(ERAS)(
  '%s: where no user can be asked, no argument and no word of jinn leads around that',
  async ([, connect]) => {
    const { client, remove, isThere } = await open(connect);
    const refused = await remove({ force: true });
    expect(refused).toMatchObject({ isError: true, _meta: { jinn: { error_code: 'command_blocked' } } });
    expect(isThere()).toBe(true);
    const listed = await client.callTool({ name: 'list_tools', arguments: { include_schema: true } });
    const { tools } = await client.listTools();
    expect(JSON.stringify([refused, listed, tools])).not.toMatch(/force/i);
  },
);

test.for(ERAS)('%s: the operator can allow dangerous commands, or deny them', async ([, connect]) => {
  const denied = await open(connect, 'accept', ['--dangerous', 'deny']);
  expect(await denied.remove()).toMatchObject({ isError: true, _meta: { jinn: { error_code: 'command_blocked' } } });
  expect([denied.asked(), denied.isThere()]).toEqual([0, true]);
  const allowed = await open(connect, undefined, ['--dangerous=allow']);
  expect((await allowed.remove()).isError).toBeFalsy();
  expect(allowed.isThere()).toBe(false);
});
