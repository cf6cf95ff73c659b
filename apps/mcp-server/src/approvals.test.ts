import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { PROGRAM } from './fixture/connect.ts';
import { connectNew, connectOld } from './fixture/connect-here.ts';
import { converse, shakeHands } from './fixture/converse.ts';
import { INFO, listen } from './fixture/listen.ts';

const ERAS = [
  ['by handshake', connectOld],
  ['stateless', connectNew],
] as const;
const RUN = { action: 'accept', content: { decision: 'Allow once' } };
const REMOVE = { name: 'run_shell', arguments: { command: 'rm -rf src' } };
const SPENT = {
  isError: true,
  content: [{ text: expect.stringMatching(/^approval_required: this answer of the user was used before/) }],
};
const ASKED = { resultType: 'input_required' };

interface Form {
  readonly message: string;
  readonly requestedSchema: { readonly properties: Record<string, object>; readonly required: readonly string[] };
}

function makeWorkspace(): string {
  const cwd = makeTempDirectory();
  makeTree(cwd, { 'src/a.txt': 'one' });
  return cwd;
}

/** Connects a host that gives this response to each form. */
async function open(
  connect: (typeof ERAS)[number][1],
  response: object,
  home = makeTempDirectory(),
  cwd = makeWorkspace(),
) {
  const forms: Form[] = [];
  const answer = async ({ params }: { params: Form }) => {
    forms.push(params);
    return response;
  };
  const place = { cwd, home, args: ['--sandbox', 'off'] };
  const elicitation = { elicitation: { form: {} } };
  const connection =
    connect === connectOld
      ? await connectOld(place, elicitation)
      : await connectNew(place, { capabilities: elicitation });
  const client = connection.client as Awaited<ReturnType<typeof connectNew>>['client'];
  const { ElicitRequestSchema } = await import('@modelcontextprotocol/sdk/types.js');
  const method = connect === connectOld ? ElicitRequestSchema : 'elicitation/create';
  client.setRequestHandler(method as 'elicitation/create', answer as never);
  await connection.connect();
  return { cwd, home, forms, call: () => client.callTool(REMOVE), isThere: () => fs.existsSync(`${cwd}/src`) };
}

const EMPTY_FORMS = [undefined, {}, { decision: null }, { decision: true }, { decision: 'yes' }, { remember: true }];

test.for(ERAS)('%s: a host that accepts by itself approves nothing', async ([, connect]) => {
  for (const content of EMPTY_FORMS) {
    const { call, isThere } = await open(connect, { action: 'accept', ...(content && { content }) });
    const result = await call().catch((error: Error) => ({ isError: true, content: [{ text: error.message }] }));
    expect([result.isError, isThere()]).toEqual([true, true]);
  }
});

test.for(ERAS)(
  '%s: the form asks for one choice, of which the first and no preset runs nothing',
  async ([, connect]) => {
    const { call, forms, isThere } = await open(connect, { action: 'accept', content: { decision: 'Deny' } });
    expect(await call()).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('the user denied this call') }],
    });
    expect(isThere()).toBe(true);
    const [{ message, requestedSchema } = { message: '', requestedSchema: undefined }] = forms;
    expect(message).toContain('    rm -rf src');
    expect(requestedSchema).toMatchObject({
      required: ['decision'],
      properties: {
        decision: {
          type: 'string',
          enum: ['Deny', 'Allow once', 'Always allow…'],
          description: expect.stringContaining('the same command, run in the same way'),
        },
      },
    });
    expect(JSON.stringify(requestedSchema)).not.toContain('default');
  },
);

/** Connects a stateless client that gives answers by hand. */
async function byHand(connect: (options: object) => Promise<Client>) {
  const client = await connect({
    capabilities: { elicitation: { form: {} } },
    inputRequired: { autoFulfill: false },
    versionNegotiation: { mode: { pin: '2026-07-28' } },
  });
  const call = (more: object = {}) => client.callTool({ ...REMOVE, ...more }, { allowInputRequired: true });
  const ask = async () => ((await call()) as { requestState?: string }).requestState;
  return {
    call,
    ask,
    answer: (requestState: unknown, response: object) => call({ requestState, inputResponses: { approval: response } }),
  };
}

const overStdio = (cwd: string) => async (options: object) => {
  const { client, connect } = await connectNew({ cwd, args: ['--sandbox', 'off'] }, options);
  await connect();
  return client;
};

const overHttp =
  (url: URL, headers: Record<string, string> = {}) =>
  async (options: object) => {
    const client = new Client(INFO, options);
    onTestFinished(() => client.close());
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    return client;
  };

const WAYS = [
  [
    'standard input and output',
    async () => {
      const cwd = makeWorkspace();
      return { cwd, ...(await byHand(overStdio(cwd))) };
    },
  ],
  [
    'HTTP',
    async () => {
      const { cwd, url } = await listen({ args: ['--sandbox', 'off'] });
      return { cwd, ...(await byHand(overHttp(url))) };
    },
  ],
] as const;

test.for(WAYS)('once means once over %s, and a replay is refused', async ([, start]) => {
  const { cwd, ask, answer } = await start();
  const state = await ask();
  makeTree(cwd, { 'src/a.txt': 'one' });
  expect((await answer(state, RUN)).isError).toBeFalsy();
  expect(fs.existsSync(`${cwd}/src`)).toBe(false);
  makeTree(cwd, { 'src/a.txt': 'one' });
  for (let times = 0; times < 3; times++) expect(await answer(state, RUN)).toMatchObject(SPENT);
  expect(fs.existsSync(`${cwd}/src`)).toBe(true);
  expect((await answer(await ask(), RUN)).isError).toBeFalsy();
});

test.for(WAYS)('what was declined or left over %s cannot be accepted later', async ([, start]) => {
  const { cwd, ask, answer } = await start();
  makeTree(cwd, { 'src/a.txt': 'one' });
  for (const response of [
    { action: 'decline' },
    { action: 'cancel' },
    { action: 'accept', content: {} },
    { action: 'odd' },
  ]) {
    const state = await ask();
    expect((await answer(state, response)).isError).toBe(true);
    expect(await answer(state, RUN)).toMatchObject(SPENT);
  }
  expect(fs.existsSync(`${cwd}/src`)).toBe(true);
});

test('an answer is good for the session and the person that it was asked in', async () => {
  const place = makeTempDirectory();
  makeTree(place, { tokens: 'ann:the-token-of-ann\nann:the-next-token-of-ann\nbob:the-token-of-bob\n' });
  const { cwd, url } = await listen({ args: ['--sandbox', 'off', '--token-file', `${place}/tokens`] });
  const headers = { 'Jinn-Session': 'session-of-one-person', Authorization: 'Bearer the-token-of-ann' };
  const { ask, answer } = await byHand(overHttp(url, headers));
  makeTree(cwd, { 'src/a.txt': 'one' });
  const state = await ask();
  for (const other of [{ 'Jinn-Session': 'session-of-another' }, { Authorization: 'Bearer the-token-of-bob' }]) {
    expect(await (await byHand(overHttp(url, { ...headers, ...other }))).answer(state, RUN)).toMatchObject(ASKED);
  }
  const { 'Jinn-Session': _, ...bare } = headers;
  expect(await (await byHand(overHttp(url, bare))).answer(state, RUN)).toMatchObject(ASKED);
  expect(fs.existsSync(`${cwd}/src`)).toBe(true);
  const renewed = await byHand(overHttp(url, { ...headers, Authorization: 'Bearer the-next-token-of-ann' }));
  expect((await renewed.answer(state, RUN)).isError).toBeFalsy();
  expect((await answer(state, RUN)).isError).toBe(true);
});

test('servers with one approval key see which answers the others have taken', async () => {
  const variables = { JINN_MCP_APPROVAL_KEY: 'a-key-of-several-servers', JINN_CONFIG_DIR: makeTempDirectory() };
  const servers = [
    await listen({ args: ['--sandbox', 'off'], variables }),
    await listen({ args: ['--sandbox', 'off'], variables }),
  ];
  const hosts = await Promise.all(servers.map(({ url }) => byHand(overHttp(url))));
  const state = await hosts[0]?.ask();
  const answers = await Promise.all([...hosts, ...hosts].map(({ answer }) => answer(state, RUN)));
  expect(answers.filter(({ isError }) => !isError)).toHaveLength(1);
  for (const each of answers.filter(({ isError }) => isError)) expect(each).toMatchObject(SPENT);
});

test('an answer that cannot be noted as used does not count', async () => {
  const config = makeTempDirectory();
  const variables = { JINN_MCP_APPROVAL_KEY: 'a-key-of-several-servers', JINN_CONFIG_DIR: config };
  const { cwd, url } = await listen({ args: ['--sandbox', 'off'], variables });
  const { ask, answer } = await byHand(overHttp(url));
  makeTree(cwd, { 'src/a.txt': 'one' });
  const state = await ask();
  makeTree(config, { 'jinn/state.db/not-a-file': '' });
  expect(await answer(state, RUN)).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('write_failed') }],
  });
  expect(fs.existsSync(`${cwd}/src`)).toBe(true);
});

test('by handshake: an answer to a question that was answered counts for nothing', async () => {
  const cwd = makeWorkspace();
  const host = converse({ cwd, args: ['--sandbox', 'off'] });
  await shakeHands(host, { elicitation: {} });
  const remove = (id: number) => host.send({ id, method: 'tools/call', params: REMOVE });
  remove(1);
  const first = await host.receive();
  host.send({ id: first.id, result: RUN });
  expect(await host.receive()).toMatchObject({
    id: 1,
    result: { content: [{ text: expect.stringContaining('[exit: 0]') }] },
  });
  makeTree(cwd, { 'src/a.txt': 'one' });
  remove(2);
  const second = await host.receive();
  expect(second.id).not.toBe(first.id);
  host.send({ id: first.id, result: RUN });
  host.send({ id: second.id, result: { action: 'decline' } });
  host.send({ id: second.id, result: RUN });
  expect(await host.receive()).toMatchObject({ id: 2, result: { isError: true } });
  expect(fs.existsSync(`${cwd}/src`)).toBe(true);
});

test('over HTTP, where several people may ask, nothing is remembered', async () => {
  const { cwd, url } = await listen({ args: ['--sandbox', 'off'] });
  const { call, answer } = await byHand(overHttp(url));
  const asked = (await call()) as { requestState?: string };
  expect(JSON.stringify(asked)).not.toMatch(/remember|always|ask again/i);
  const remembering = { action: 'accept', content: { decision: 'Always allow…' } };
  expect((await answer(asked.requestState, remembering)).isError).toBeFalsy();
  makeTree(cwd, { 'src/a.txt': 'one' });
  expect(await (await byHand(overHttp(url))).call()).toMatchObject(ASKED);
});

test('jinn-mcp grants lists what is remembered, and takes it back', async () => {
  const remembering = { action: 'accept', content: { decision: 'Always allow…' } };
  const { cwd, home, call } = await open(connectNew, remembering);
  expect((await call()).isError).toBeFalsy();
  const run = (...args: string[]) => {
    const env = { PATH: process.env['PATH'], HOME: home };
    const { stdout, stderr, status } = spawnSync(process.execPath, [PROGRAM, 'grants', ...args], {
      cwd,
      env,
      encoding: 'utf8',
    });
    return { text: stdout + stderr, status };
  };
  expect(run().text).toMatch(/^run_shell {2}dangerous_command {2}"rm -rf src" {2}[0-9a-f]{12} {2}\d{4}-\d\d-\d\d\n$/);
  expect(JSON.parse(run('--json').text)).toMatchObject([{ tool: 'run_shell', key: 'rm -rf src' }]);
  expect(run('--root', makeTempDirectory()).text).toBe('there are no saved approvals here\n');
  expect(run('revoke', 'run_shell', 'dangerous_command', '--', '-x')).toEqual({
    text: 'revoked 0 approvals\n',
    status: 1,
  });
  expect(run('revoke', '--all')).toEqual({
    text: expect.stringMatching(/^revoked 1 approval\nrun_shell {2}dangerous_command {2}"rm -rf src" .*\n$/),
    status: 0,
  });
  expect(run('list').text).toBe('there are no saved approvals here\n');
  expect(run('frobnicate')).toMatchObject({ status: 2, text: expect.stringContaining("Unknown command 'frobnicate'") });
});
