import fs from 'node:fs';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { chooseToolsets, TOOLSET_NAMES } from '@jinn/toolsets';
import { expect, test } from 'vitest';
import { connectNew as connectNewProgram, connectOld as connectOldProgram, PROGRAM } from './fixture/connect.ts';
import { connectNew, connectOld } from './fixture/connect-here.ts';
import { converse } from './fixture/converse.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const FILES = { 'a.txt': 'one\ntwo\n', 'src/b.json': '{"a":1}', 'dot.png': PNG, '.env': 'KEY=1' };

const DEFAULTS = ['jinn', 'jinni', 'custom'].filter((name) => TOOLSET_NAMES.includes(name));
const SERVED = chooseToolsets(DEFAULTS.filter((name) => name !== 'custom'))
  .flatMap((toolset) => ('tools' in toolset ? toolset.tools : []))
  .map(({ name }) => name);

const ERAS = [
  ['the client of the 1.x line, by handshake', connectOld],
  ['the client of the 2.x line, stateless', connectNew],
] as const;

type Connect = typeof connectOld | typeof connectNew | typeof connectOldProgram | typeof connectNewProgram;

async function open(connect: Connect, args: readonly string[] = []) {
  const cwd = makeTempDirectory();
  makeTree(cwd, FILES);
  const { client, connect: start } = await connect({ cwd, args });
  await start();
  const call = (name: string, given: object = {}) =>
    client.callTool({ name, arguments: given as Record<string, unknown> });
  return { cwd, client, call };
}

test.for(ERAS)('%s lists the tools with all that a host may want to know', async ([, connect]) => {
  const { client, cwd } = await open(connect);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(SERVED);
  expect(tools.find(({ name }) => name === 'list_dir')).toMatchObject({
    description: expect.stringMatching(/^List a directory/),
    inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
    annotations: { readOnlyHint: true },
  });
  const annotationsOf = (tool: string) => tools.find(({ name }) => name === tool)?.annotations;
  expect([annotationsOf('edit_file'), annotationsOf('run_shell')]).toEqual([{ openWorldHint: false }, {}]);
  expect(client.getServerVersion()?.name).toBe('jinn');
  expect(client.getInstructions()).toContain(`confined to it: ${fs.realpathSync(cwd)}`);
  for (const { inputSchema, outputSchema } of tools) {
    expect(outputSchema).toBeUndefined();
    expect(Object.keys(inputSchema.properties ?? {})).not.toEqual(expect.arrayContaining(['root']));
    expect(Object.keys(inputSchema.properties ?? {})).not.toContain('force');
    expect(Object.keys(inputSchema.properties ?? {})).not.toContain('streams');
  }
  const always = tools.filter(({ _meta }) => _meta?.['anthropic/alwaysLoad']).map(({ name }) => name);
  expect(always).toEqual(['run_shell', 'read_file', 'write_file', 'edit_file', 'search_files']);
  expect(tools.find(({ name }) => name === 'read_context')?._meta).toMatchObject({
    'anthropic/maxResultSizeChars': 200_000,
    'anthropic/searchHint': expect.any(String),
  });
});

test.for(ERAS)('%s gets a prompt for each thing that people start with', async ([, connect]) => {
  const { client } = await open(connect);
  const { prompts } = await client.listPrompts();
  expect(prompts.map(({ name }) => name)).toEqual(['review_changes', 'explain_project', 'safe_refactor']);
  const textOf = async (name: string, args: Record<string, string> = {}) => {
    const { messages } = await client.getPrompt({ name, arguments: args });
    return (messages[0] as { content: { text: string } }).content.text;
  };
  expect(await textOf('review_changes')).toContain('git diff HEAD');
  expect(await textOf('review_changes', { base: 'main; rm x' })).toContain("git diff 'main; rm x'...HEAD");
  expect(await textOf('explain_project', { focus: 'the parser' })).toContain('Look most at this: the parser');
  expect(await textOf('safe_refactor', { goal: 'split a.ts' })).toContain('split a.ts');
  await expect(textOf('safe_refactor')).rejects.toThrow('needs the argument goal');
  await expect(textOf('constructor')).rejects.toThrow('Unknown prompt');
});

test.for(ERAS)('%s gets text, data, images and errors, each in its form', async ([, connect]) => {
  const { call } = await open(connect);
  expect(await call('read_file', { path: 'a.txt', line_numbers: false })).toMatchObject({
    content: [{ type: 'text', text: 'one\ntwo\n' }],
    _meta: { jinn: { meta: { version: expect.any(String) } } },
  });
  const listed = await call('list_dir', { path: 'src', format: 'paths' });
  const data = { entries: ['src/b.json'], truncated: false, total_count: 1 };
  expect([listed.content, listed.structuredContent]).toEqual([
    [{ type: 'text', text: JSON.stringify(data) }],
    undefined,
  ]);
  expect(await call('read_file', { path: 'dot.png' })).toMatchObject({
    content: [
      { type: 'text', text: '[image: image/png, 1x1, 70 bytes]' },
      { type: 'image', mimeType: 'image/png', data: PNG.toString('base64') },
    ],
  });
  const json = await call('read_file', { path: 'src/b.json', line_numbers: false });
  expect(json.content).toEqual([{ type: 'text', text: '{"a":1}' }]);
  expect(await call('stat_file', { path: 'nope' })).toMatchObject({
    isError: true,
    content: [{ type: 'text', text: 'file_not_found: file not found: nope\nuse list_dir to see what is there' }],
    _meta: { jinn: { error_code: 'file_not_found' } },
  });
  expect(await call('read_file', { path: '.env' })).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('path_outside_sandbox: blocked: sensitive path: .env') }],
  });
});

test.for(ERAS)('%s hears of wrong arguments as a result, and of no such tool as an error', async ([, connect]) => {
  const { call } = await open(connect);
  expect(await call('read_file', { paht: 'a.txt' })).toMatchObject({
    isError: true,
    content: [
      {
        text: expect.stringMatching(
          /^invalid_args: .*\ndid you mean "path"\?\na valid call: \{"name":"read_file","arguments":\{"path":"a.txt"\}\}$/,
        ),
      },
    ],
  });
  await expect(call('raed_file')).rejects.toThrow(/Unknown tool: raed_file. The tools are .*read_file, /);
});

test.for(ERAS)('%s may send what hosts add, and lists as their text', async ([, connect]) => {
  const { call } = await open(connect);
  const added = await call('read_file', { path: 'a.txt', intent: 'look', accept_large_output: true });
  expect(added.isError).toBeFalsy();
  const texts = await call('multi_read', { files: '[{"path":"a.txt","line_numbers":false}]' });
  expect(texts.content).toEqual([{ type: 'text', text: '[a.txt]\none\ntwo\n' }]);
  expect(await call('read_file', { path: '["a.txt"]' })).toMatchObject({ isError: true });
});

test.for(ERAS)('%s may send keys that no tool has, but no key that may be a mistake', async ([, connect]) => {
  const { call } = await open(connect);
  const added = await call('read_file', { path: 'a.txt', wait_for_previous: true, zebra: 1 });
  expect(added).toMatchObject({ content: [{}, { text: '[warning: unknown argument "zebra" was ignored]' }] });
  for (const key of ['old_text', 'new_text']) {
    const refused = await call('read_file', { path: 'a.txt', [key]: 'b.txt' });
    expect([key, refused]).toMatchObject([key, { content: [{ text: expect.stringContaining('unknown argument') }] }]);
  }
});

test.for(ERAS)('%s may use the names that arguments have elsewhere, and describe a call', async ([, connect]) => {
  const { call } = await open(connect);
  const known = { file_path: 'a.txt', offset: '2', limit: 1, line_numbers: 'false', description: 'Look at a line' };
  expect((await call('read_file', known)).content).toEqual([{ type: 'text', text: expect.stringMatching(/^two\n/) }]);
  expect(await call('read_file', { path: 'a.txt', file_path: 'b.txt' })).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('"path" is given twice with different values') }],
  });
});

test.for(ERAS)('%s may send null for what is optional, and numbers and booleans as text', async ([, connect]) => {
  const { call } = await open(connect);
  const second = { path: 'a.txt', start_line: '2', end_line: null, line_numbers: 'false' };
  expect(await call('read_file', second)).toMatchObject({ content: [{ text: expect.stringMatching(/^two\n/) }] });
  const files = [{ path: 'a.txt', start_line: '2', end_line: null, line_numbers: 'false' }];
  expect(await call('multi_read', { files })).toMatchObject({
    content: [{ text: expect.stringMatching(/\]\ntwo\n$/) }],
  });
  expect(await call('read_file', { path: null })).toMatchObject({ isError: true });
  expect(await call('read_file', { path: 'a.txt', start_line: '2x' })).toMatchObject({ isError: true });
  expect(await call('write_file', { path: 'n.json', content: '{"a":1}' })).not.toMatchObject({ isError: true });
});

test.for(ERAS)('%s has a session: an edit of what has changed since it was read is refused', async ([, connect]) => {
  const { call, cwd } = await open(connect);
  await call('read_file', { path: 'a.txt' });
  fs.writeFileSync(`${cwd}/a.txt`, 'one\ntwo\nthree\n');
  const edit = { path: 'a.txt', old_text: 'two', new_text: 'zwei' };
  expect(await call('edit_file', edit)).toMatchObject({ isError: true, _meta: { jinn: { error_code: 'stale_file' } } });
  await call('read_file', { path: 'a.txt' });
  expect((await call('edit_file', edit)).isError).toBeFalsy();
  expect(fs.readFileSync(`${cwd}/a.txt`, 'utf8')).toBe('one\nzwei\nthree\n');
});

test('in the toolset codescout, too, a model sees the versions that it may name', async () => {
  const { call } = await open(connectOld, ['--toolset', 'codescout']);
  const textOf = async (...given: Parameters<typeof call>) =>
    ((await call(...given)).content as { text: string }[])[0]?.text ?? '';
  const { version } = JSON.parse(await textOf('read_file', { path: 'a.txt' }));
  const edit = { path: 'a.txt', old_string: 'two', new_string: 'zwei', if_version: version };
  const [, next = ''] = /^"ok"\n\[version: (\S+)\]$/.exec(await textOf('edit_file', edit)) ?? [];
  expect(await textOf('edit_file', { ...edit, old_string: 'one' })).toMatch(/^stale_file/);
  expect(await textOf('edit_file', { ...edit, old_string: 'one', if_version: next })).toMatch(/^"ok"/);
});

test.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])('speaks revision %s', async (version) => {
  const { send, receive } = converse({ cwd: makeTempDirectory() });
  send({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: version, capabilities: {}, clientInfo: { name: 'x', version: '1' } },
  });
  expect((await receive()).result).toMatchObject({ protocolVersion: version, serverInfo: { name: 'jinn' } });
  send({ method: 'notifications/initialized' });
  send({ id: 'two', method: 'ping' });
  expect(await receive()).toEqual({ jsonrpc: '2.0', id: 'two', result: {} });
});

test('offers its newest revision with a handshake to a client that asks for one to come', async () => {
  const { send, receive } = converse({ cwd: makeTempDirectory() });
  send({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2099-01-01', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
  });
  expect((await receive()).result?.['protocolVersion']).toBe('2025-11-25');
});

test('the list of tools is not to be kept, comes in one order, and costs at most 3,600 tokens', async () => {
  const first = await (await open(connectNew)).client.listTools();
  const again = await (await open(connectOld)).client.listTools();
  expect(again.tools).toEqual(first.tools);
  expect(first).toMatchObject({ ttlMs: 0, cacheScope: 'private' });
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
  expect(countTokens(JSON.stringify(first.tools))).toBeLessThanOrEqual(3_600);
});

test('the list of the toolset lean costs at most 2,400 tokens', async () => {
  const { tools } = await (await open(connectNew, ['--toolset', 'lean'])).client.listTools();
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
  expect(tools.length).toBeGreaterThanOrEqual(8);
  expect(countTokens(JSON.stringify(tools))).toBeLessThanOrEqual(2_400);
});

test('an argument that few calls need is not listed, and is taken', async () => {
  const { client, call, cwd } = await open(connectNew);
  const { tools } = await client.listTools();
  const propertiesOf = (name: string) => tools.find((tool) => tool.name === name)?.inputSchema.properties ?? {};
  expect(Object.keys(propertiesOf('edit_file'))).not.toContain('expected_count');
  expect(JSON.stringify(propertiesOf('multi_read'))).not.toContain('truncate');
  const edit = { path: 'a.txt', old_text: 'o', new_text: '0', expected_count: 2 };
  expect((await call('edit_file', edit)).isError).toBeUndefined();
  expect(fs.readFileSync(`${cwd}/a.txt`, 'utf8')).toBe('0ne\ntw0\n');
});

test.for([
  ['the client of the 1.x line', connectOldProgram],
  ['the client of the 2.x line', connectNewProgram],
] as const)('the program serves %s as the server in this process does', async ([, connect]) => {
  const [program, here] = [await open(connect), await open(connectOld)];
  expect((await program.client.listTools()).tools).toEqual((await here.client.listTools()).tools);
  for (const path of ['a.txt', 'nope.txt']) {
    const given = { path, line_numbers: false };
    expect(await program.call('read_file', given)).toMatchObject({
      ...(await here.call('read_file', given)),
      _meta: expect.anything(),
    });
  }
});

test('the program is there under its own name', () => {
  expect(fs.readFileSync(PROGRAM, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
});
