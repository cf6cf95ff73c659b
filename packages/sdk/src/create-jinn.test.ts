import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { makeTempDirectory, makeTree, readHeads } from '@jinn/testkit';
import { expect, expectTypeOf, onTestFinished, test } from 'vitest';
import { type Approve, createJinn, type JinnOptions, type ToolArgs, ToolError, type ToolsetName } from './index.ts';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Opens the tools on a fresh directory, with a state of their own. */
function scene<const T extends ToolsetName = 'jinn'>(options: Partial<JinnOptions<T>> = {}) {
  const [root, home] = [makeTempDirectory(), makeTempDirectory()];
  const environment = { PATH: process.env['PATH'], HOME: home };
  const jinn = createJinn<T>({ root, environment, sandbox: 'off', ...options });
  onTestFinished(() => jinn.close());
  const write = (name: string, content: string | Buffer) => fs.writeFileSync(`${root}/${name}`, content);
  return { root, home, jinn, write };
}

test('reads, edits, runs and undoes in the process of the caller', async () => {
  const { root, jinn, write } = scene();
  write('add.js', 'module.exports = (a, b) => a - b;\n');
  write('test.js', "if (require('./add')(1, 2) !== 3) process.exit(1);\n");
  expect((await jinn.call('read_file', { path: 'add.js' })).text).toContain('a - b');
  await jinn.call('edit_file', { path: 'add.js', old_text: 'a - b', new_text: 'a + b' });
  expect((await jinn.call('run_shell', { command: 'node test.js' })).text).toContain('[exit: 0]');
  await jinn.call('undo', { action: 'restore', last: 1 });
  expect(fs.readFileSync(`${root}/add.js`, 'utf8')).toContain('a - b');
});

test('confines commands by default, if the system can', async () => {
  const environment = { PATH: process.env['PATH'], HOME: makeTempDirectory() };
  const jinn = createJinn({ root: makeTempDirectory(), environment });
  onTestFinished(() => jinn.close());
  const { meta } = await jinn.call('run_shell', { command: 'true' });
  expect(meta).toMatchObject({ sandbox: expect.stringMatching(/^(?:bubblewrap|sandbox-exec|none: (?!off))/) });
});

test('answers with data, and with images', async () => {
  const { jinn, write } = scene();
  write('a.txt', 'one\ntwo\n');
  write('a.png', Buffer.from(PIXEL, 'base64'));
  const { data } = await jinn.call('stat_file', { path: 'a.txt' });
  expectTypeOf(data.lines).toEqualTypeOf<number | undefined>();
  expect(data).toMatchObject({ path: 'a.txt', lines: 2 });
  expect(await jinn.call('read_file', { path: 'a.png' })).toMatchObject({
    text: '',
    content: [{ mimeType: 'image/png' }],
  });
});

test('names faults by code', async () => {
  const { jinn } = scene();
  const fault = await jinn.call('read_file', { path: '../x' }).catch((error: unknown) => error);
  expect(fault).toBeInstanceOf(ToolError);
  expect(fault).toMatchObject({ code: 'path_outside_sandbox', suggestion: expect.any(String) });
});

test('the stack of an error names the line of the call', async () => {
  const { jinn } = scene();
  const readNone = async () => {
    await jinn.call('read_file', { path: 'none' });
  };
  await expect(readNone()).rejects.toHaveProperty(
    'stack',
    expect.stringMatching(/^ToolError: .*at (?:async )?readNone \(.*test\.ts:/s),
  );
});

test('the arguments and names are typed', async () => {
  const { jinn } = scene();
  // @ts-expect-error: a path is missing.
  await expect(jinn.call('read_file', {})).rejects.toMatchObject({ code: 'invalid_args' });
  // @ts-expect-error: there is no such tool.
  await expect(jinn.call('read_fil', { path: 'x' })).rejects.toMatchObject({ code: 'unknown_tool' });
  const both = scene({ toolsets: ['jinni', 'symbols', 'custom'] }).jinn;
  expectTypeOf<ToolArgs<'read_context', 'jinni'>>().toHaveProperty('max_tokens');
  await expect(both.call('my_own_tool', { any: 1 })).rejects.toMatchObject({ code: 'unknown_tool' });
});

test('serves the tools that are chosen, and describes them', async () => {
  const { jinn } = scene({ readOnly: true, excludeTools: ['memory'] });
  const names = (await jinn.tools()).map(({ name }) => name);
  expect(names).toContain('read_file');
  expect(names).not.toContain('write_file');
  const [shell] = await scene({ tools: ['run_shell'] }).jinn.tools();
  expect(shell).toMatchObject({ name: 'run_shell', effect: 'execute', schema: { type: 'object' } });
  expect(shell?.schema.properties).not.toHaveProperty('force');
});

test('refuses a root that is none, and toolsets and tools that do not exist', async () => {
  const { root, write } = scene();
  write('file', '');
  expect(() => createJinn({ root: `${root}/none` })).toThrow(expect.objectContaining({ code: 'file_not_found' }));
  expect(() => createJinn({ root: `${root}/file` })).toThrow(expect.objectContaining({ code: 'not_a_directory' }));
  const wrong = scene({ toolsets: ['jin' as 'jinn'] }).jinn;
  await expect(wrong.call('read_file', { path: 'a' })).rejects.toMatchObject({ code: 'invalid_request' });
  await expect(scene({ tools: ['reed_file'] }).jinn.tools()).rejects.toMatchObject({ code: 'unknown_tool' });
});

test('asks before a dangerous command, and runs it only after a yes', async () => {
  const questions: string[] = [];
  const answers = ['deny', 'once', undefined] as const;
  const { root, jinn, write } = scene({
    approve: ({ tool, args, message }) => {
      questions.push(`${tool} ${JSON.stringify(args)} ${message}`);
      return answers[questions.length - 1];
    },
  });
  write('a.txt', '');
  const remove = () => jinn.call('run_shell', { command: 'rm -rf a.txt' });
  await expect(remove()).rejects.toMatchObject({ code: 'command_blocked' });
  expect(fs.existsSync(`${root}/a.txt`)).toBe(true);
  await remove();
  expect(fs.existsSync(`${root}/a.txt`)).toBe(false);
  await expect(remove()).rejects.toMatchObject({ code: 'command_blocked' });
  expect(questions).toHaveLength(3);
  expect(questions[0]).toContain('run_shell {"command":"rm -rf a.txt"}');
});

test.each([false, true, null, 'yes', 'everybody'])('what approve may not answer is no yes: %j', async (answer) => {
  const { root, jinn, write } = scene({ approve: () => answer as 'once' });
  write('a.txt', '');
  await expect(jinn.call('run_shell', { command: 'rm -rf a.txt' })).rejects.toMatchObject({ code: 'command_blocked' });
  expect(fs.existsSync(`${root}/a.txt`)).toBe(true);
});

test('a question is known before the call, which runs if that question was approved', async () => {
  const { root, jinn, write } = scene({ approve: () => 'deny' });
  write('a.txt', '');
  write('b.txt', '');
  const args = { command: 'rm -rf a.txt' };
  const question = await jinn.question('run_shell', args);
  expect(question).toMatchObject({ tool: 'run_shell', args, message: expect.stringContaining('rm -rf a.txt') });
  expect(fs.existsSync(`${root}/a.txt`)).toBe(true);
  const approve: Approve = ({ token }) => (token === question?.token ? 'once' : undefined);
  await expect(jinn.call('run_shell', { command: 'rm -rf b.txt' }, { approve })).rejects.toBeInstanceOf(ToolError);
  await jinn.call('run_shell', args, { approve });
  expect(['a.txt', 'b.txt'].map((name) => fs.existsSync(`${root}/${name}`))).toEqual([false, true]);
});

test.for([
  ['reads', 'read_file', { path: 'a.txt' }],
  ['fails', 'run_shell', { command: '' }],
  ['is unknown', 'no_such_tool', {}],
  ['is harmless', 'run_shell', { command: 'touch ran' }],
] as const)('there is no question about a call that %s', async ([, name, args]) => {
  const { root, jinn } = scene();
  expect(await jinn.question(name, args)).toBeUndefined();
  expect(fs.readdirSync(root)).toEqual([]);
});

test('a call that was approved for always has no question any more', async () => {
  const { jinn } = scene({ approve: () => 'always' });
  const args = { command: 'rm -rf a.txt' };
  expect(await jinn.question('run_shell', args)).toBeDefined();
  await jinn.call('run_shell', args);
  expect(await jinn.question('run_shell', args)).toBeUndefined();
});

test.for([
  ['the directory', { command: 'rm -rf a.txt', cwd: 'sub' }],
  ['the deadline', { command: 'rm -rf a.txt', timeout: 5 }],
  ['the input', { command: 'rm -rf a.txt', stdin: 'x' }],
])('the token of a question is for one call: %s', async ([, other]) => {
  const { root, jinn } = scene();
  fs.mkdirSync(`${root}/sub`);
  const tokenOf = async (args: unknown) => (await jinn.question('run_shell', args))?.token;
  const token = await tokenOf({ command: 'rm -rf a.txt' });
  expect(await tokenOf({ command: 'rm -rf a.txt' })).toBe(token);
  expect(await tokenOf(other)).not.toBe(token);
});

test('the token of a question is for one directory', async () => {
  const { root, home, jinn } = scene();
  const tokenOf = async (one: typeof jinn) => (await one.question('run_shell', { command: 'rm -rf a.txt' }))?.token;
  const open = (at: string) => createJinn({ root: at, environment: { HOME: home }, sandbox: 'off' });
  const [same, other] = [open(root), open(makeTempDirectory())];
  onTestFinished(() => void Promise.all([same.close(), other.close()]));
  expect(await tokenOf(same)).toBe(await tokenOf(jinn));
  expect(await tokenOf(other)).not.toBe(await tokenOf(jinn));
});

test.for([
  ['ask', false],
  ['deny', false],
  ['allow', true],
] as const)('where no user can be asked, %s lets a dangerous command run: %s', async ([dangerous, runs]) => {
  const { root, jinn, write } = scene({ dangerous });
  write('a.txt', '');
  const args = { command: 'rm -rf a.txt', force: true } as { command: string };
  const answer = await jinn.call('run_shell', args).catch((error: unknown) => error);
  expect(answer instanceof ToolError).toBe(!runs);
  expect(fs.existsSync(`${root}/a.txt`)).toBe(!runs);
});

const removal = { command: 'rm -rf a.txt' };

test('a call whose approval throws does not run, and rejects with the same error', async () => {
  const closed = new Error('the window was closed');
  const lines: string[] = [];
  const approve = () => Promise.reject(closed);
  const { root, jinn, write } = scene({ approve, log: (line) => lines.push(line) });
  write('a.txt', '');
  await expect(jinn.call('run_shell', removal)).rejects.toBe(closed);
  await expect(jinn.callForModel('run_shell', removal)).rejects.toBe(closed);
  const own = () => {
    throw 'a text';
  };
  await expect(jinn.call('run_shell', removal, { approve: own })).rejects.toBe('a text');
  expect(fs.existsSync(`${root}/a.txt`)).toBe(true);
  expect(lines).toEqual([]);
});

test('an approval that gives up as its call is canceled is no error of its own', async () => {
  const stop = new AbortController();
  const { jinn } = scene({
    approve: async (_, signal) => {
      stop.abort();
      signal?.throwIfAborted();
      return undefined;
    },
  });
  await expect(jinn.call('run_shell', removal, { signal: stop.signal })).rejects.toMatchObject({ code: 'canceled' });
});

test.for([
  [{ readonly: true }, 'unknown option "readonly"', 'did you mean "readOnly"?'],
  [{ exclude_tools: ['memory'] }, 'unknown option "exclude_tools"', 'did you mean "excludeTools"?'],
  [{ sandbox: 'required' }, 'sandbox: Invalid option', 'did you mean "require"?'],
  [{ network: 'off' }, 'network: Invalid input: expected boolean', undefined],
  [{ dangerous: 'never' }, 'dangerous: Invalid option: expected one of "ask"|"allow"|"deny"', undefined],
  [{ dangerous: 'force' }, 'dangerous: Invalid option', undefined],
  [{ toolsets: 'lean' }, 'toolsets: Invalid input: expected array', undefined],
  [{ approve: true }, 'approve: Invalid input: expected function', undefined],
  [{ signal: {} }, 'signal: Invalid input', undefined],
  [{ environment: { HOME: 5 } }, 'environment: Invalid input: expected an object of strings', undefined],
  [{ root: undefined }, 'missing required option root', undefined],
  [{ cache: '/x', Root: '.' }, 'unknown option "cache", "Root"', 'did you mean "root"?'],
] as const)('refuses wrong options: %j', ([options, message, suggestion]) => {
  const wrong = { root: makeTempDirectory(), ...options } as unknown as JinnOptions;
  expect(() => createJinn(wrong)).toThrow(
    expect.objectContaining({ code: 'invalid_args', message: expect.stringContaining(message), suggestion }),
  );
});

test('refuses no options at all, and accepts those that are undefined', () => {
  expect(() => createJinn(undefined as unknown as JinnOptions)).toThrow('missing required option root');
  expect(() => scene({ tools: undefined, approve: undefined } as unknown as Partial<JinnOptions>)).not.toThrow();
  expect(() => scene({ environment: process.env })).not.toThrow();
});

test.for([
  [{ timeout: 5 }, 'unknown option "timeout"'],
  [{ onprogress: () => {} }, 'unknown option "onprogress"'],
  [{ approve: 'once' }, 'approve: Invalid input: expected function'],
  [{ meta: 1 }, 'meta: Invalid input: expected boolean'],
] as const)('refuses wrong options of a call: %j', async ([options, message]) => {
  const { jinn } = scene();
  const refused = { code: 'invalid_args', message: expect.stringContaining(message) };
  await expect(jinn.call('list_dir', {}, options as never)).rejects.toMatchObject(refused);
  await expect(jinn.callForModel('list_dir', {}, options as never)).rejects.toMatchObject(refused);
});

test('a signal ends one call, and that of the instance all', async () => {
  const all = new AbortController();
  const { jinn } = scene({ signal: all.signal });
  const one = new AbortController();
  const sleep = (signal?: AbortSignal) => jinn.call('run_shell', { command: 'sleep 60' }, signal ? { signal } : {});
  const [first, second] = [sleep(one.signal), sleep()];
  one.abort();
  await expect(first).rejects.toMatchObject({ code: 'canceled' });
  all.abort();
  await expect(second).rejects.toMatchObject({ code: 'canceled' });
  await expect(sleep(new AbortController().signal)).rejects.toMatchObject({ code: 'canceled' });
});

test('closing ends jobs and refuses later calls', async () => {
  const { root, jinn } = scene();
  {
    await using inner = jinn;
    await inner.call('run_shell', { command: 'while :; do date +%s%N > tick; sleep 0.05; done', background: true });
    await expect.poll(() => fs.existsSync(`${root}/tick`)).toBe(true);
  }
  const tick = () => fs.readFileSync(`${root}/tick`, 'utf8');
  const last = tick();
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(tick()).toBe(last);
  await expect(jinn.call('read_file', { path: 'tick' })).rejects.toMatchObject({ code: 'canceled' });
});

test('two instances with different roots do not meet', async () => {
  const home = makeTempDirectory();
  const environment = { PATH: process.env['PATH'], HOME: home };
  const [one, two] = [scene({ environment }), scene({ environment })];
  for (const [i, { jinn, write }] of [one, two].entries()) {
    write('same.txt', `content of ${i}\n`);
    await jinn.call('memory', { action: 'save', key: 'which', value: String(i) });
  }
  for (const [i, { jinn }] of [one, two].entries()) {
    expect((await jinn.call('read_file', { path: 'same.txt' })).text).toContain(`content of ${i}`);
    expect((await jinn.call('memory', { action: 'recall', key: 'which' })).text).toContain(String(i));
    expect((await jinn.call('run_shell', { command: 'pwd' })).text).toContain([one, two][i]?.root);
  }
  await one.jinn.call('write_file', { path: 'same.txt', content: 'changed\n' });
  expect((await two.jinn.call('undo', { action: 'list' })).text).not.toContain('same.txt');
  const job = await one.jinn.call('run_shell', { command: 'sleep 60', background: true });
  expect(job.text).toContain('job-1');
  await expect(two.jinn.call('run_shell', { job: 'job-1', action: 'output' })).rejects.toMatchObject({
    code: 'not_found',
  });
  await one.jinn.close();
  expect((await two.jinn.call('read_file', { path: 'same.txt' })).text).toContain('content of 1');
});

test('answers a model, which sends what it likes', async () => {
  const { jinn, write } = scene();
  write('a.txt', 'text\n'.repeat(50_000));
  const { ok, content } = await jinn.callForModel('read_file', { path: 'a.txt' });
  expect(ok).toBe(true);
  expect(Buffer.byteLength(JSON.stringify(content))).toBeLessThan(80_000);
  const missing = await jinn.callForModel('no_such_tool', 'not even an object');
  expect(missing).toMatchObject({
    ok: false,
    content: [{ type: 'text', text: expect.stringContaining('unknown_tool') }],
  });
  await jinn.close();
  expect(await jinn.callForModel('read_file', {})).toMatchObject({ ok: false });
});

test.for([
  [
    { type: 'tool_use', id: 'a', name: 'read_file', input: { path: 'a.txt' } },
    { type: 'tool_result', tool_use_id: 'a', content: '1\tone' },
  ],
  [
    { type: 'function', id: 'a', function: { name: 'read_file', arguments: '{"path":"a.txt"}' } },
    { role: 'tool', tool_call_id: 'a', content: '1\tone' },
  ],
  [
    { type: 'function_call', call_id: 'a', name: 'read_file', arguments: '{"path":"a.txt"}' },
    { type: 'function_call_output', call_id: 'a', output: '1\tone' },
  ],
  [
    { type: 'tool_use', id: 'a', name: 'read_file', input: { path: 'none' } },
    { type: 'tool_result', tool_use_id: 'a', content: expect.stringMatching(/^file_not_found: /), is_error: true },
  ],
  [
    { type: 'function', id: 'a', function: { name: 'read_file', arguments: '{"path":' } },
    { role: 'tool', tool_call_id: 'a', content: expect.stringMatching(/^invalid_request: /) },
  ],
] as const)('answers a call as an API gives it, as the API takes it: %j', async ([call, answer]) => {
  const { jinn, write } = scene();
  write('a.txt', 'one\n');
  expect(await jinn.answer(call)).toEqual(answer);
});

test('refuses what no API gives as a call, and asks about one as about any', async () => {
  const { jinn } = scene({ approve: () => 'deny' });
  await expect(jinn.answer({ type: 'text' } as never)).rejects.toMatchObject({ code: 'invalid_request' });
  await expect(jinn.answer({ type: 'tool_use' })).rejects.toMatchObject({ code: 'invalid_request' });
  const call = { type: 'tool_use', id: 'a', name: 'run_shell', input: removal } as const;
  const { content, is_error } = await jinn.answer(call);
  expect([content, is_error]).toEqual([expect.stringContaining('the user denied this call'), true]);
  const approve = () => Promise.reject(new Error('closed'));
  await expect(jinn.answer(call, { approve })).rejects.toThrow('closed');
});

test('describes the tools as each API takes them', async () => {
  const { jinn } = scene({ tools: ['read_file', 'run_shell'] });
  const [shell, read] = await jinn.tools('anthropic');
  expect(read).toMatchObject({ name: 'read_file', input_schema: { type: 'object', required: ['path'] } });
  expect(shell?.input_schema['properties']).not.toHaveProperty('force');
  expect((await jinn.tools('openai')).map((tool) => tool.function.name)).toEqual(['run_shell', 'read_file']);
  const [strict] = await jinn.tools('openai-responses', { strict: true });
  expect(strict).toMatchObject({ strict: true, parameters: { additionalProperties: false } });
  const wrong = expect.stringContaining('tools: format: Invalid option: expected one of "openai"');
  await expect(jinn.tools('claude' as 'mcp')).rejects.toMatchObject({ code: 'invalid_args', message: wrong });
  await expect(jinn.tools('openai', { Strict: true } as object)).rejects.toMatchObject({ code: 'invalid_args' });
});

test('tells how far a call is', async () => {
  const { jinn } = scene();
  const heard: string[] = [];
  await jinn.call(
    'run_shell',
    { command: 'for i in 1 2 3; do echo $i; sleep 0.4; done' },
    { onProgress: (message) => heard.push(message) },
  );
  expect(heard.length).toBeGreaterThan(0);
});

test('starts no process to read and edit', async () => {
  const children = () =>
    execFileSync('ps', ['--ppid', String(process.pid), '-o', 'pid='], { encoding: 'utf8' })
      .trim()
      .split('\n').length;
  const before = children();
  const { jinn, write } = scene();
  write('a.txt', 'a\n');
  await jinn.call('edit_file', { path: 'a.txt', old_text: 'a', new_text: 'b' });
  expect(children()).toBeLessThanOrEqual(before);
});

test('calls are written down where config.json says so', async () => {
  const { home, jinn, write } = scene();
  makeTree(`${home}/.config/jinn`, { 'config.json': '{"journal":"always"}' });
  write('a.txt', 'one\n');
  await jinn.call('read_file', { path: 'a.txt' });
  expect(readHeads(`${home}/.cache`)).toMatchObject([
    { k: 'start', door: 'library', tool: 'read_file', what: 'a.txt' },
    { k: 'end', ok: true },
  ]);
});
