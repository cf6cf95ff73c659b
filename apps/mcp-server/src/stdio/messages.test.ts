import fs from 'node:fs';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { converse, shakeHands } from '../fixture/converse.ts';
import { listen } from '../fixture/listen.ts';

const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const JSON_ADVICE = 'let a JSON library write the request';

/** A call of write_file with these arguments, as JSON text. */
function call(args: string, id = '7'): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"write_file","arguments":${args}}}`;
}

/** The bytes of a text in which `?` stands for a byte that is not UTF-8. */
function broken(text: string): Buffer {
  return Buffer.from(text.replaceAll('?', '\xff'), 'latin1');
}

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const ID_FAULT = 'the id of a request must be a string or an integer from -(2^53 - 1) to 2^53 - 1';

/** What is sent, the id and the code of the answer, and its message. */
const REFUSED: readonly [string | Buffer, string, number, string][] = [
  ['{"jsonrpc":"2.0","id":7,', 'null', -32_700, `the text ends inside an object (line 1, column 25); ${JSON_ADVICE}`],
  [
    broken(call('{"path":"a","content":"a?b"}')),
    '7',
    -32_700,
    'found a byte that is not UTF-8 (line 1, column 113); encode the request as UTF-8',
  ],
  [
    broken(call('{"path":"f?.txt","content":""}', '"i?"')),
    'null',
    -32_700,
    'found a byte that is not UTF-8 (line 1, column 25); encode the request as UTF-8',
  ],
  [call('{"path":"a","path":"b","content":""}'), '7', -32_600, 'duplicate key "path"; give each key of an object once'],
  [call('{"path":"a","content":""}', '7,"id":8'), '8', -32_600, 'duplicate key "id"; give each key of an object once'],
  [
    call(`{"path":"a","content":"","x":${nested(62)}}`, '"seven"'),
    '"seven"',
    -32_600,
    'nested deeper than 64 levels; send it with at most 64 levels',
  ],
  [
    call(`{"path":"a","content":"","x":${nested(20_000)}}`),
    '7',
    -32_600,
    'nested deeper than 64 levels; send it with at most 64 levels',
  ],
  [`${nested(600_000)}`, 'null', -32_700, 'nested deeper than 64 levels; send it with at most 64 levels'],
  [
    call('{"path":"a","path":"b","content":""}', '9007199254740993'),
    'null',
    -32_600,
    'duplicate key "path"; give each key of an object once',
  ],
];

const REFUSED_IDS: readonly [string, string][] = [
  ['9007199254740993', '9007199254740993'],
  ['12345678901234567890', '12345678901234567890'],
  ['-9007199254740993', '-9007199254740993'],
  ['1e400', '1e400'],
  ['1.5', '1.5'],
  ['{}', 'null'],
  ['true', 'null'],
  ['null', 'null'],
];

const CASES = [
  ...REFUSED.map(([sent, id, code, message]) => ({ sent, answered: response(id, code, `invalid JSON: ${message}`) })),
  ...REFUSED_IDS.map(([id, answered]) => ({
    sent: call('{"path":"a","content":""}', id),
    answered: response(answered, -32_600, ID_FAULT),
  })),
].map(({ sent, answered }) => ({ name: sent.toString().slice(0, 150), sent, answered }));

function response(id: string, code: number, message: string): string {
  return `{"jsonrpc":"2.0","id":${id},"error":{"code":${code},"message":${JSON.stringify(message)}}}`;
}

test('stdio refuses what cannot be read as it was meant, changes nothing, and reads on', async () => {
  const cwd = makeTempDirectory();
  const server = converse({ cwd });
  await shakeHands(server);
  for (const { name, sent, answered } of CASES) {
    server.child.stdin?.write(Buffer.concat([Buffer.from(sent), Buffer.from('\n')]));
    expect([name, await server.receiveLine()]).toEqual([name, answered]);
  }
  server.send({ id: 3, method: 'ping' });
  expect((await server.receive()).id).toBe(3);
  expect(fs.readdirSync(cwd)).toEqual([]);
  expect(server.log()).toBe('');
});

test('HTTP refuses the same in the same words', async () => {
  const { url, cwd } = await listen();
  for (const { name, sent, answered } of CASES) {
    const answer = await fetch(url, { method: 'POST', headers: HEADERS, body: Buffer.from(sent) });
    expect([name, answer.status, await answer.text()]).toEqual([name, 400, answered]);
  }
  expect(fs.readdirSync(cwd)).toEqual(['a.txt']);
});

test('a message that the SDK would not take is answered, with its id', async () => {
  const server = converse({ cwd: makeTempDirectory() });
  await shakeHands(server);
  const ping = (members: object) => JSON.stringify({ jsonrpc: '2.0', id: 5, method: 'ping', ...members });
  const wrong: [string, unknown][] = [
    [ping({ params: { _meta: { progressToken: {} } } }), 5],
    [ping({ params: { _meta: 'x' } }), 5],
    [ping({ params: [1] }), 5],
    [ping({ method: 7 }), 5],
    [`[${ping({ id: 1.5 })}]`, 1.5],
    [`[${ping({})},${ping({ id: 2 ** 60 })}]`, null],
  ];
  for (const [line, id] of wrong) {
    server.send(line);
    const answers = [await server.receive(), ...(line.includes('},{') ? [await server.receive()] : [])];
    const refused = answers.find(({ error }) => error !== undefined);
    expect([line, refused]).toMatchObject([line, { id, error: { code: -32_600 } }]);
  }
});

test('ids at the limits of an integer are taken', async () => {
  const server = converse({ cwd: makeTempDirectory() });
  await shakeHands(server);
  for (const id of [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 0, '', '12345678901234567890']) {
    server.send({ id, method: 'ping' });
    expect(await server.receive()).toMatchObject({ id, result: {} });
  }
});

test('null for the arguments of a call is no arguments', async () => {
  const { cwd, url } = await listen();
  const server = converse({ cwd });
  await shakeHands(server);
  const request = { id: 1, method: 'tools/call', params: { name: 'list_dir', arguments: null } };
  server.send(request);
  const answers = [(await server.receive()).result];
  const post = (more: object, headers = {}) =>
    fetch(url, {
      method: 'POST',
      headers: { ...HEADERS, ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', ...more }),
    });
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const begun = await post({ id: 1, method: 'initialize', params });
  const answer = await post(request, { 'mcp-session-id': begun.headers.get('mcp-session-id') });
  answers.push(JSON.parse(/^data: (\{.*)$/m.exec(await answer.text())?.[1] ?? '{}').result);
  for (const result of answers) expect(JSON.stringify(result)).toContain('a.txt');
});

test('a tool of another agent is answered with the call that may be meant', async () => {
  const server = converse({ cwd: makeTempDirectory() });
  await shakeHands(server);
  server.send({ id: 1, method: 'tools/call', params: { name: 'Read', arguments: { file_path: 'b.txt', offset: 2 } } });
  expect((await server.receive()).error).toMatchObject({
    message: expect.stringContaining(
      'Unknown tool: Read. Did you mean {"name":"read_file","arguments":{"path":"b.txt","start_line":2}}? The tools are ',
    ),
  });
});

test('text that stands for a list or a number is held to the same', async () => {
  const cwd = makeTempDirectory();
  fs.writeFileSync(`${cwd}/a.txt`, 'one\n');
  const server = converse({ cwd });
  await shakeHands(server);
  const callWith = async (name: string, args: object) => {
    server.send({ id: 1, method: 'tools/call', params: { name, arguments: args } });
    return JSON.stringify((await server.receive()).result);
  };
  const edits = '[{"path":"a.txt","old_text":"one","new_text":"two","new_text":"three"}]';
  expect(await callWith('multi_edit', { edits })).toContain('invalid_args: multi_edit: edits: ');
  expect(await callWith('multi_edit', { edits: nested(20_000) })).toContain('invalid_args: multi_edit: edits: ');
  expect(await callWith('read_file', { path: 'a.txt', tail: '9007199254740993' })).toContain(
    'invalid_args: read_file: tail',
  );
  expect(fs.readFileSync(`${cwd}/a.txt`, 'utf8')).toBe('one\n');
  expect(await callWith('multi_edit', { edits: edits.replace(',"new_text":"two"', '') })).not.toContain('isError');
  expect(fs.readFileSync(`${cwd}/a.txt`, 'utf8')).toBe('three\n');
  expect(server.log()).toBe('');
});
