import { expect, test, vi } from 'vitest';
import { makePlace, openSession } from './fixture/open-session.ts';

/** One pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const FILES = { 'a.txt': 'one\n', 'empty.txt': '', 'a.png': Buffer.from(PNG, 'base64') };
const ID = 'call_1';

const APIS = {
  openai: {
    call: (name: unknown, args: object | string) => ({
      id: ID,
      type: 'function',
      function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
    }),
    answer: (content: unknown, _ok = true) => ({ role: 'tool', tool_call_id: ID, content }),
  },
  'openai-responses': {
    call: (name: unknown, args: object | string) => ({
      id: 'fc_1',
      call_id: ID,
      type: 'function_call',
      status: 'completed',
      name,
      arguments: typeof args === 'string' ? args : JSON.stringify(args),
    }),
    answer: (output: unknown, _ok = true) => ({ type: 'function_call_output', call_id: ID, output }),
  },
  anthropic: {
    call: (name: unknown, input: object | string) => ({ type: 'tool_use', id: ID, name, input }),
    answer: (content: unknown, ok = true) => ({
      type: 'tool_result',
      tool_use_id: ID,
      content,
      ...(!ok && { is_error: true }),
    }),
  },
};

async function ask(request: object, flags: readonly string[] = []) {
  const session = openSession(flags, makePlace(FILES));
  session.send(request);
  return { answer: await session.receive(), session };
}

forEachApi((name, { call, answer }) => {
  test(`a call of ${name} is answered as its API takes it`, async () => {
    const { answer: read, session } = await ask(call('read_file', { path: 'a.txt', end_line: null }));
    expect(read).toEqual(answer('1\tone'));
    session.send(call('write_file', { path: 'b.txt', content: 'b' }));
    expect(await session.receive()).toEqual(answer(expect.stringContaining('b.txt')));
    expect(session.has('b.txt')).toBe(true);
  });

  test(`an error is answered to ${name} with its code and the next step`, async () => {
    const { answer: missing } = await ask(call('read_file', { path: 'nope.txt' }));
    expect(missing).toEqual(answer(expect.stringMatching(/^file_not_found: .*\n./), false));
    const { answer: unknown } = await ask(call('read_fil', {}));
    expect(unknown).toEqual(answer(expect.stringMatching(/^unknown_tool: [\s\S]*read_file/), false));
  });

  test(`arguments of ${name} that are none are refused in the words of its API`, async () => {
    for (const args of ['[1]', '{"path":', '{"path":"a","path":"b"}']) {
      const { answer: refused } = await ask(call('read_file', args));
      expect(refused).toEqual(answer(expect.stringMatching(/^invalid_request: .*the arguments of a /), false));
    }
    const { answer: nameless } = await ask(call(7, {}));
    expect(nameless).toEqual(answer(expect.stringContaining('the name of a'), false));
  });

  test(`a wrong key beside a call of ${name} is refused in the words of its API`, async () => {
    for (const [key, wrong] of Object.entries({ protocol: 2, parallel: 'yes', client: 1, meta: 'all' })) {
      const { answer: refused, session } = await ask({
        ...call('write_file', { path: 'b', content: '' }),
        [key]: wrong,
      });
      expect(refused).toEqual(answer(expect.stringMatching(`^invalid_request: .*"${key}"`), false));
      expect(session.has('b')).toBe(false);
    }
  });

  test(`a call of ${name} can be canceled by its id, runs in parallel, and is asked about`, async () => {
    const session = openSession(['--approvals=stdio'], makePlace({ 'gone/a': '' }));
    session.send({ ...call('run_shell', { command: 'touch begun; sleep 50' }), parallel: true });
    await vi.waitFor(() => expect(session.has('begun')).toBe(true), { timeout: 20_000 });
    session.send({ tool: 'list_dir', request_id: 2 });
    expect(await session.receive()).toMatchObject({ ok: true, request_id: 2 });
    session.send({ cancel: ID });
    expect(await session.receive()).toEqual(answer(expect.stringMatching(/^canceled: /), false));
    session.send(call('run_shell', { command: 'rm -rf gone' }));
    const { approval } = await session.receive();
    expect(approval).toMatchObject({ tool: 'run_shell', args: { command: 'rm -rf gone' }, request_id: ID });
    session.send({ approval: approval.id, answer: 'deny' });
    expect(await session.receive()).toEqual(answer(expect.stringContaining('the user denied this call'), false));
  });

  test(`a call of ${name} without an id is refused`, async () => {
    const { id: _, call_id: __, ...rest } = call('read_file', {}) as Record<string, unknown>;
    const { answer: refused } = await ask(rest);
    expect(refused).toMatchObject({
      ok: false,
      error: expect.stringMatching(/the (id|call_id) of a \w+ must be a string/),
    });
  });
});

function forEachApi(tests: (name: string, api: (typeof APIS)['openai']) => void): void {
  for (const [name, api] of Object.entries(APIS)) tests(name, api as (typeof APIS)['openai']);
}

test('each API gets a picture as it takes one', async () => {
  const pictureOf = async (name: keyof typeof APIS) =>
    (await ask(APIS[name].call('read_file', { path: 'a.png' }))).answer;
  expect((await pictureOf('anthropic')).content).toContainEqual({
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data: expect.stringMatching(/^iVBOR/) },
  });
  expect((await pictureOf('openai-responses')).output).toContainEqual({
    type: 'input_image',
    detail: 'auto',
    image_url: expect.stringMatching(/^data:image\/png;base64,iVBOR/),
  });
  expect((await pictureOf('openai')).content).toContain('[an image, image/png: a tool message holds text alone]');
});

test('arguments may be absent where there are none', async () => {
  const { answer } = await ask(APIS.openai.call('list_dir', ''));
  expect(answer.content).toContain('a.txt');
  const { answer: used } = await ask({ type: 'tool_use', id: ID, name: 'list_dir' });
  expect(used.content).toContain('a.txt');
});

test('an object of another type is no call', async () => {
  const { answer } = await ask({ type: 'text', id: ID, name: 'read_file' });
  expect(answer).toMatchObject({ ok: false, error_code: 'invalid_request' });
  const { answer: own } = await ask({ type: 'tool_use', tool: 'read_file', args: { path: 'a.txt' } });
  expect(own).toMatchObject({ ok: true, result: '1\tone' });
});
