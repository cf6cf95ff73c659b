import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { countProcessorTime } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { bashTool, makeScene, resultOf, toolMd } from './fixture/custom-registry.ts';
import { expectEcho, QUICK_ECHO } from './fixture/echo.ts';

test.for(QUICK_ECHO)('runs a script of %s', { timeout: 120_000 }, expectEcho);

test('says how to install a runtime that is missing', async () => {
  const scene = await makeScene({ config: bashTool('', { runtime: 'powershell' }), environment: { PATH: '/nowhere' } });
  expect(await scene.call('tool')).toMatchObject({
    error_code: 'not_found',
    error: 'the tool needs pwsh, which is not on the PATH',
    suggestion: expect.stringContaining('PowerShell'),
  });
});

const DUMP = `python3 -c 'import json,os,sys; print(json.dumps({"input": json.load(sys.stdin), "cwd": os.getcwd(), "env": dict(os.environ)}))'`;

test('gives the arguments with workspacePath and sessionId, which an agent cannot forge', async () => {
  const scene = await makeScene({ config: bashTool(DUMP) });
  const args = { path: 'a', n: [1, { x: null }], workspacePath: '/etc', sessionId: 'forged' };
  const first = resultOf(await scene.call('tool', args));
  const { input } = first as { input: Record<string, unknown> };
  expect(input).toEqual({ ...args, workspacePath: scene.root, sessionId: expect.stringMatching(/^[\w-]{16,}$/) });
  expect(first['cwd']).toBe(scene.root);
  const again = resultOf(await scene.call('tool'));
  expect(again).toMatchObject({ input: { sessionId: input['sessionId'] } });
  const other = await makeScene({ config: bashTool(DUMP) });
  expect(resultOf(await other.call('tool'))).not.toMatchObject({ input: { sessionId: input['sessionId'] } });
});

test('gives the safe variables and those declared in .env, as they are at the call', async () => {
  const environment = {
    PATH: process.env['PATH'],
    HOME: '/home/x',
    NODE_ENV: 'test',
    API_KEY: 'of the host',
    MINE: 'of the host',
  };
  const config = { ...bashTool(DUMP, { env: ['MINE', 'API_KEY'] }), '.env': 'MINE=1\nOTHER=2\n' };
  const scene = await makeScene({ config, environment });
  const envOf = async () => resultOf(await scene.call('tool'))['env'] as Record<string, string>;
  const first = await envOf();
  expect(first).toMatchObject({ HOME: '/home/x', NODE_ENV: 'test', MINE: '1' });
  expect(Object.keys(first)).not.toContain('API_KEY');
  expect(Object.keys(first)).not.toContain('OTHER');
  scene.write({ '.env': 'MINE=2\n' });
  expect(await envOf()).toMatchObject({ MINE: '2' });
  scene.write({ '.env': '' });
  expect(Object.keys(await envOf())).not.toContain('MINE');
});

test.each([[{}], [{ env: [] }]])('gives no variable of .env to a tool that declares none: %j', async (fields) => {
  const scene = await makeScene({ config: { ...bashTool(DUMP, fields), '.env': 'MINE=1' } });
  expect(Object.keys(resultOf(await scene.call('tool'))['env'] as object)).not.toContain('MINE');
});

test('refuses arguments that do not fit before anything runs', async () => {
  const inputSchema = {
    type: 'object',
    properties: { urls: { type: 'array', items: { type: 'string' } } },
    required: ['urls'],
    additionalProperties: false,
  };
  const scene = await makeScene({ config: bashTool('touch ran', { inputSchema }) });
  for (const args of [{}, { urls: ['a', 1] }, { urls: [], url: 1 }]) {
    expect(await scene.call('tool', args)).toMatchObject({ ok: false, error_code: 'invalid_args' });
  }
  expect(fs.readdirSync(scene.root)).toEqual([]);
});

test('leaves out a tool whose schema cannot be compiled, and names the definition', async () => {
  const inputSchema = { type: 'object', properties: { a: { $ref: '#/$defs/none' } } };
  const scene = await makeScene({ config: bashTool('touch ran', { inputSchema }) });
  expect(await scene.call('tool', { a: 1 })).toMatchObject({
    error_code: 'unknown_tool',
    error: expect.stringContaining('tools/tool/tool.md: inputSchema: properties.a.$ref: "#/$defs/none" leads nowhere'),
  });
  expect((await scene.registry.list()).leftOut.map(({ reason }) => reason)).toHaveLength(1);
});

test('a result that does not fit outputSchema is a warning', async () => {
  const outputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
  const scene = await makeScene({ config: bashTool('echo \'{"n": "x"}\'', { outputSchema }) });
  expect(await scene.call('tool')).toMatchObject({
    ok: true,
    result: '{"n":"x"}',
    meta: { warnings: ['the result does not fit outputSchema: n: must be number'] },
  });
});

const print = (text: string) => `cat > /dev/null; printf '%s' '${text.replaceAll("'", "'\\''")}'`;

test.each<[string, string, object]>([
  ['white space around it', '\n { "a" : [1, 2] } \n', { a: [1, 2] }],
  ['a byte order mark', '\ufeff{"a":1}', { a: 1 }],
  ['a member called value', '{"value":1,"b":2}', { value: 1, b: 2 }],
  ['an error that is null', '{"error":null,"a":1}', { error: null, a: 1 }],
  ['an error that is empty', '{"error":"","a":1}', { error: '', a: 1 }],
])('takes a JSON object with %s', async (_, output, expected) => {
  const scene = await makeScene({ config: bashTool(print(output)) });
  expect(resultOf(await scene.call('tool'))).toEqual(expected);
});

test('keeps a member called __proto__', async () => {
  const scene = await makeScene({ config: bashTool(print('{"__proto__":{"a":1},"_visualization":{"type":"none"}}')) });
  expect(await scene.call('tool')).toMatchObject({ result: '{"__proto__":{"a":1}}' });
});

test.each<[string, string, string]>([
  ['text', print('zebra is not json'), 'the output of the tool is not JSON: zebra is not json'],
  ['a log line before it', print('log\n{"a":1}'), 'the output of the tool is not JSON: log'],
  ['nothing', 'true', 'the tool printed nothing, not a JSON object'],
  ['an array', print('[1]'), 'the tool printed an array, not a JSON object'],
  ['null', print('null'), 'the tool printed null, not a JSON object'],
  ['a text', print('"a"'), 'the tool printed a string, not a JSON object'],
  ['an error', print('{"error":"File not found","code":5}'), 'tool: File not found'],
  ['an error with a message', print('{"error":{"message":"deep"}}'), 'tool: deep'],
  ['an error that is an object', print('{"error":{"a":1}}'), 'tool: {"a":1}'],
  ['an exit status', 'echo oops >&2; exit 3', 'the tool exited with code 3: oops'],
  ['an exit status without a word', 'exit 3', 'the tool exited with code 3'],
  ['an error and an exit status', `${print('{"error":"why"}')}; exit 1`, 'tool: why'],
  ['a result and an exit status', `${print('{"a":1}')}; exit 1`, 'the tool exited with code 1'],
  ['a signal', 'kill -SEGV $$', 'the tool was ended by SIGSEGV'],
])('reports %s as an error', async (_, script, message) => {
  const scene = await makeScene({ config: bashTool(script) });
  const answer = await scene.call('tool');
  expect(answer).toMatchObject({ ok: false, error_code: 'tool_failed' });
  expect(answer.error).toContain(message);
});

test('keeps the rest of what a failed tool printed for programs', async () => {
  const scene = await makeScene({ config: bashTool(print('{"error":"x","code":5,"_visualization":{"type":"none"}}')) });
  expect(await scene.call('tool')).toMatchObject({ meta: { output: { error: 'x', code: 5 } } });
  expect(JSON.stringify(await scene.call('tool'))).not.toContain('_visualization');
});

test('keeps characters whole that come in pieces', async () => {
  const script = `python3 -c "
import sys,time
for b in '{\\"t\\":\\"é日𝄞\\"}'.encode(): sys.stdout.buffer.write(bytes([b])); sys.stdout.flush(); time.sleep(0.002)"`;
  const scene = await makeScene({ config: bashTool(script) });
  expect(resultOf(await scene.call('tool'))).toEqual({ t: 'é日𝄞' });
});

test('does not need a tool that reads its input', async () => {
  const scene = await makeScene({ config: bashTool('exec <&-; echo "{}"') });
  expect(resultOf(await scene.call('tool', { big: 'x'.repeat(5_000_000) }))).toEqual({});
});

const left = (mark: string) => {
  try {
    return execFileSync('pgrep', ['-f', mark], { encoding: 'utf8' });
  } catch {
    return '';
  }
};

test('a timeout ends the tool and all that it started, at once', async () => {
  const mark = '47113.471';
  const script = `trap '' TERM INT HUP; (sleep ${mark}; touch late) & setsid sleep ${mark} & sleep ${mark}; touch late`;
  const scene = await makeScene({ config: bashTool(script, { timeout: 700 }) });
  expect(await scene.call('tool')).toMatchObject({
    error_code: 'timeout',
    error: expect.stringContaining('timed out after 700 ms'),
  });
  expect(left(mark)).toBe('');
  expect(fs.readdirSync(scene.root)).toEqual([]);
});

test('what was printed before a timeout is no success', { tags: 'slow' }, async () => {
  const scene = await makeScene({ config: bashTool('echo "{}"; sleep 47114.1', { timeout: 500 }) });
  expect(await scene.call('tool')).toMatchObject({ error_code: 'timeout' });
});

test('a child that is left over neither delays nor fails a call, and ends, which the answer says', {
  tags: 'slow',
}, async () => {
  const scene = await makeScene({ config: bashTool('setsid sleep 47115.2 & echo "{}"', { timeout: 15_000 }) });
  expect(await scene.call('tool')).toMatchObject({
    result: '{}',
    meta: { left_running: true, warnings: ['what the tool left running was ended with it'] },
  });
  expect(left('47115.2')).toBe('');
});

test('a canceled call ends the tool', async () => {
  const scene = await makeScene({ config: bashTool('sleep 47116.3') });
  expect(await scene.call('tool', {}, { signal: AbortSignal.timeout(400) })).toMatchObject({ error_code: 'canceled' });
  expect(left('47116.3')).toBe('');
});

test('a call that is canceled before it begins starts nothing', async () => {
  const scene = await makeScene({ config: bashTool('touch ran; sleep 1') });
  expect(await scene.call('tool', {}, { signal: AbortSignal.abort() })).toMatchObject({
    error_code: 'canceled',
    error: 'the request was canceled before the tool ran',
  });
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(fs.readdirSync(scene.root)).toEqual([]);
});

test('a result of more than 16 MiB is refused', async () => {
  const scene = await makeScene({ config: python(`print(json.dumps({'t': 'x' * 17 * 1024 * 1024}))`) });
  expect(await scene.call('tool')).toMatchObject({
    error_code: 'resource_limit',
    error: 'tool: its result is larger than 16 MiB',
  });
});

test('standard error is kept for the person, without what reports progress', async () => {
  const script = `cat >/dev/null
for line in 'note' '{"_progress": "one"}' '{"_progress": {"message": "two", "done": 5, "total": 9}}' '{"_progress": 7}' '{"_progress": {}, "a": 1}'; do echo "$line" >&2; done
printf '{"_progress": "last"}' >&2
echo '{}'`;
  const scene = await makeScene({ config: bashTool(script) });
  const reports: unknown[][] = [];
  const answer = await scene.call('tool', {}, { progress: (...report) => void reports.push(report) });
  expect(answer.meta).toMatchObject({ exit_code: 0, stderr: 'note\n{"_progress": {}, "a": 1}' });
  expect(reports).toEqual([
    ['one', 1, undefined],
    ['two', 5, 9],
    ['running', 7, undefined],
    ['last', 8, undefined],
  ]);
});

/** The files of a python tool. */
const python = (code: string) => ({
  'tools/tool/tool.md': toolMd({ runtime: 'python', script: 'script.py' }),
  'tools/tool/script.py': `import json, sys\n${code}\n`,
});
const PATH_IN_NOTE =
  /The full result is in (\S+) \(no tool here opens it, since it is outside of the working directory\)\]$/;

test('a result of more than 50,000 characters goes to a private file', async () => {
  const scene = await makeScene({
    config: python(`print(json.dumps({'t': 'x' * 60000 + 'END'}, separators=(',', ':')))`),
  });
  const answer = await scene.call('tool');
  const { result = '' } = answer;
  expect(answer).toMatchObject({ ok: true, truncated: true, total_count: 60_011 });
  expect(result).toMatch(/^\{"t":"x{9994}\n\n\[Result truncated: 60011 characters in total\. /);
  const file = PATH_IN_NOTE.exec(result)?.[1] ?? '';
  expect(JSON.parse(fs.readFileSync(file, 'utf8'))).toEqual({ t: `${'x'.repeat(60_000)}END` });
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  expect(fs.statSync(path.dirname(file)).mode & 0o777).toBe(0o700);
  expect(scene.machine.spill.open(file)?.path).toBe(file);
  const second = PATH_IN_NOTE.exec((await scene.call('tool')).result ?? '')?.[1];
  expect(second).not.toBe(file);
});

test('50,000 characters are shown, counted as Unicode does, and none is cut in two', async () => {
  const scene = await makeScene({
    config: python(`print(json.dumps({'t': '\\U0001d11e' * json.load(sys.stdin)['n']}, ensure_ascii=False))`),
  });
  const whole = await scene.call('tool', { n: 49_992 });
  expect(whole.truncated).toBeUndefined();
  expect(resultOf(whole)['t']).toHaveLength(2 * 49_992);
  const { result = '' } = await scene.call('tool', { n: 49_993 });
  expect(result.slice(0, result.indexOf('\n'))).toBe(`{"t":"${'𝄞'.repeat(9_994)}`);
});

test('an error of more than 50,000 characters stays an error, and is bounded', async () => {
  const scene = await makeScene({
    config: python(`sys.stderr.write('zebra\\n' * 300000); sys.exit(2)`),
  });
  const { ok, error = '', meta } = await scene.call('tool');
  expect(ok).toBe(false);
  expect(error.length).toBeLessThan(11_000);
  const file = PATH_IN_NOTE.exec(error)?.[1] ?? '';
  expect(fs.statSync(file).size).toBeGreaterThan(1_000_000);
  expect(JSON.stringify(meta).length).toBeLessThan(25_000);
});

const VISUALIZATION = { type: 'markdown', content: '# Title' };

test('a visualization is carried beside the result, at any size, and stripped at every depth', async () => {
  const content = 'y'.repeat(70_000);
  const output = { a: 1, list: [{ _visualization: 1, b: 2 }], _visualization: { ...VISUALIZATION, content } };
  const scene = await makeScene({
    config: bashTool('cat "$(dirname "$0")/output.json"', {}, { 'output.json': JSON.stringify(output) }),
  });
  const answer = await scene.call('tool');
  expect(answer).toMatchObject({
    ok: true,
    result: '{"a":1,"list":[{"b":2}]}',
    visualization: { ...VISUALIZATION, content },
  });
  expect(answer.truncated).toBeUndefined();
});

test('a large result keeps its visualization', async () => {
  const output = { t: 'x'.repeat(60_000), _visualization: VISUALIZATION };
  const scene = await makeScene({
    config: bashTool('cat "$(dirname "$0")/output.json"', {}, { 'output.json': JSON.stringify(output) }),
  });
  expect(await scene.call('tool')).toMatchObject({ truncated: true, visualization: VISUALIZATION });
});

test.each([[{ type: 'pie' }], [{ type: 'table', rows: 5 }], ['text'], [null]])(
  'a visualization that is wrong is not shown, and its author can see why: %j',
  async (shown) => {
    const scene = await makeScene({ config: bashTool(print(JSON.stringify({ a: 1, _visualization: shown }))) });
    const answer = await scene.call('tool');
    expect(answer).toMatchObject({
      ok: true,
      result: '{"a":1}',
      meta: { visualization_fault: expect.stringMatching(/^it is not shown: /) },
    });
    expect(answer.visualization).toBeUndefined();
    expect(answer.meta).not.toHaveProperty('warnings');
  },
);

test.each([
  ['an error', '', '{"error":"no"}'],
  ['an exit status', '; exit 3', '{}'],
])('a call that failed by %s carries its visualization, which the model does not see', async (_, end, output) => {
  const text = JSON.stringify({ ...JSON.parse(output), _visualization: VISUALIZATION });
  const scene = await makeScene({ config: bashTool(`${print(text)}${end}`) });
  const { visualization, ...rest } = await scene.call('tool');
  expect(rest).toMatchObject({ ok: false, error_code: 'tool_failed' });
  expect(visualization).toEqual(VISUALIZATION);
  expect(JSON.stringify(rest)).not.toMatch(/_visualization|Title/);
});

test('a visualization of a failed call that is wrong is not shown', async () => {
  const scene = await makeScene({ config: bashTool(print('{"error":"no","_visualization":{"type":"pie"}}')) });
  const answer = await scene.call('tool');
  expect(answer).toMatchObject({
    error: 'tool: no',
    meta: { visualization_fault: expect.stringMatching(/^it is not shown: /) },
  });
  expect(answer).not.toHaveProperty('visualization');
});

test('output that is nested too deeply is an error', async () => {
  const scene = await makeScene({
    config: python(`print('{"a":' + '[' * 100000 + ']' * 100000 + '}')`),
  });
  expect(await scene.call('tool')).toMatchObject({ ok: false, error_code: 'resource_limit' });
});

test('a definition that changes while a person thinks does not run', async () => {
  const scene = await makeScene({ config: bashTool('touch ran; echo "{}"', { requireApproval: true }) });
  const ask = async () => {
    scene.write({ 'tools/tool/script.sh': 'touch other; echo "{}"' });
    return 'once' as const;
  };
  expect(await scene.call('tool', {}, { ask })).toMatchObject({ error_code: 'conflict' });
  expect(fs.readdirSync(scene.root)).toEqual([]);
});

test('standard error costs no more than standard output, however short its lines are', async () => {
  const script = (to: string) =>
    `cat > /dev/null; yes '' | head -c 6000000 ${to}; echo '{"_progress": "there"}' >&2; echo '{}'`;
  const scene = await makeScene({ config: bashTool(script('>&2')) });
  const reports: unknown[] = [];
  const used = countProcessorTime();
  const answer = await scene.call('tool', {}, { progress: (message) => void reports.push(message) });
  expect(used()).toBeLessThan(15_000);
  expect([answer.ok, reports]).toEqual([true, ['there']]);
});

test.each([
  ['crashed', 'echo "trace" >&2; exit 1', 'jinn tools check tool'],
  ['was killed', 'kill -SEGV $$', 'the tool has an error'],
  ['reported an error', 'echo \'{"error": "no such city"}\'', 'fix the arguments'],
])('a tool that %s is told as what it is', async (_, script, advice) => {
  const scene = await makeScene({ config: bashTool(script) });
  const { suggestion } = await scene.call('tool');
  expect(suggestion).toContain(advice);
  expect(suggestion?.includes('arguments')).toBe(advice === 'fix the arguments');
});

test('names the argument that was probably meant when a required one is missing', async () => {
  const inputSchema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
  const scene = await makeScene({ config: bashTool('echo "{}"', { inputSchema }) });
  expect(await scene.call('tool', { txt: 'a' })).toMatchObject({
    error: 'tool: missing required argument text',
    suggestion: expect.stringContaining('did you mean "text"?'),
  });
});

test('leaves escape sequences out of what a model reads', async () => {
  const scene = await makeScene({ config: bashTool("printf '\\033[31mred\\033[0m' >&2; exit 1") });
  expect((await scene.call('tool')).error).toBe('tool: the tool exited with code 1: red');
});

test('runs the code that was there when it began, also of a tool that nobody is asked about', async () => {
  const script = 'touch begun; until [ -e go ]; do sleep 0.02; done; . "$(dirname "$0")/lib.sh"';
  const scene = await makeScene({ config: { ...bashTool(script), 'tools/tool/lib.sh': 'echo good' } });
  const called = scene.call('tool');
  await expect.poll(() => fs.existsSync(`${scene.root}/begun`)).toBe(true);
  scene.write({ 'tools/tool/lib.sh': 'echo evil' });
  fs.writeFileSync(`${scene.root}/go`, '');
  expect(JSON.stringify(await called)).toMatch(/good/);
});
