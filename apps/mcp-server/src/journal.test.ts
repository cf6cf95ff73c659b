import fs from 'node:fs';
import { makeTempDirectory, makeTree, standInPage } from '@jinn/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { connectNew, connectOld } from './fixture/connect-here.ts';
import { connectNewHttp, listen } from './fixture/listen.ts';

const REMOVE = { name: 'run_shell', arguments: { command: 'rm -rf src' } };
const ARGS = ['--sandbox', 'off'];

/** Stands where the page does, and answers each question so. */
async function openPage(cache: string, answer: string) {
  const page = await standInPage(cache, ({ sha }, say) => say({ k: 'seen' }, { k: 'answer', sha, answer }));
  onTestFinished(page.close);
  return page;
}

test.each([
  ['by handshake', connectOld, 'once'],
  ['by handshake', connectOld, 'deny'],
  ['stateless', connectNew, 'once'],
] as const)('%s: a host that cannot ask has the page to ask: %3$s', async (_, connect, decision) => {
  const [cwd, home] = [makeTempDirectory(), makeTempDirectory()];
  makeTree(cwd, { 'src/a.txt': 'one' });
  const page = await openPage(`${home}/cache`, decision);
  const connection = await connect({ cwd, home, args: ARGS });
  await connection.connect();
  const result = await connection.client.callTool(REMOVE);
  const isRemoved = decision === 'once';
  expect([result.isError ?? false, fs.existsSync(`${cwd}/src`)]).toEqual([!isRemoved, !isRemoved]);
  expect(page.heads()).toMatchObject([
    { k: 'start', door: 'jinn-mcp', client: 'test', tool: 'run_shell', what: 'rm -rf src' },
    { k: 'end', ok: isRemoved, settled: isRemoved ? 'once' : 'denied' },
  ]);
});

test('over HTTP: a call is written down, with who called', async () => {
  const home = makeTempDirectory();
  const page = await openPage(`${home}/cache`, 'deny');
  const { url } = await listen({ args: ARGS, variables: { HOME: home, XDG_CACHE_HOME: `${home}/cache` } });
  const { client, connect } = await connectNewHttp(url);
  await connect();
  await client.callTool({ name: 'read_file', arguments: { path: 'a.txt' } });
  expect(page.heads().at(-1)).toMatchObject({
    k: 'end',
    door: 'jinn-mcp --http',
    client: 'test',
    tool: 'read_file',
    ok: true,
  });
});

test('host and page are both asked; the first answer counts, and the other is told', async () => {
  const [cwd, home] = [makeTempDirectory(), makeTempDirectory()];
  makeTree(cwd, { 'src/a.txt': 'one' });
  let [asked, closed, forms] = [0, 0, 0];
  const page = await standInPage(`${home}/cache`, ({ sha }, say, socket) => {
    socket.on('close', () => closed++);
    say({ k: 'seen' }, ...(++asked === 2 ? [{ k: 'answer', sha, answer: 'once' }] : []));
  });
  onTestFinished(page.close);
  const connection = await connectOld({ cwd, home, args: ARGS }, { elicitation: { form: {} } });
  const { ElicitRequestSchema } = await import('@modelcontextprotocol/sdk/types.js');
  let isTold = false;
  connection.client.setRequestHandler(ElicitRequestSchema, async (_, { signal }) => {
    const isFirst = ++forms === 1;
    await expect.poll(() => asked).toBe(forms);
    if (isFirst) return { action: 'accept', content: { decision: 'Allow once' } };
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
    isTold = true;
    return { action: 'cancel' };
  });
  await connection.connect();
  expect((await connection.client.callTool(REMOVE)).isError ?? false).toBe(false);
  await expect.poll(() => closed).toBe(1);
  // The first request has the id 0, which this client cannot cancel.
  expect((await connection.client.callTool(REMOVE)).isError ?? false).toBe(false);
  await expect.poll(() => isTold).toBe(true);
});

test('the page goes on to be asked where the host gives no answer', async () => {
  const [cwd, home] = [makeTempDirectory(), makeTempDirectory()];
  makeTree(cwd, { 'src/a.txt': 'one' });
  let answerByPage: (() => void) | undefined;
  const page = await standInPage(`${home}/cache`, ({ sha }, say) => {
    say({ k: 'seen' });
    answerByPage = () => say({ k: 'answer', sha, answer: 'once' });
  });
  onTestFinished(page.close);
  const connection = await connectOld({ cwd, home, args: ARGS }, { elicitation: { form: {} } });
  const { ElicitRequestSchema } = await import('@modelcontextprotocol/sdk/types.js');
  connection.client.setRequestHandler(ElicitRequestSchema, async () => {
    await expect.poll(() => answerByPage).toBeDefined();
    setTimeout(() => answerByPage?.(), 200);
    return { action: 'cancel' };
  });
  await connection.connect();
  expect((await connection.client.callTool(REMOVE)).isError ?? false).toBe(false);
});
