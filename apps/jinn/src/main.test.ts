import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';

const JINN = path.resolve(import.meta.dirname, '../dist/jinn.cjs');

function jinn(input: string, argv: string[] = [], env: NodeJS.ProcessEnv = {}) {
  const cwd = makeTempDirectory();
  makeTree(cwd, { 'a.txt': 'one\n' });
  const own = { JINN_CONFIG_DIR: makeTempDirectory() };
  const options = { cwd, input, encoding: 'utf8', env: { ...process.env, ...own, ...env } } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [JINN, ...argv], options);
  const answers =
    argv.length > 0
      ? []
      : stdout
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line));
  return { status, stdout, stderr, answers };
}

const read = (file: string, id?: string) => JSON.stringify({ tool: 'read_file', args: { path: file }, request_id: id });

test('answers a request with one line and exits 0', () => {
  const { status, answers, stderr } = jinn(read('a.txt'));
  expect(answers).toMatchObject([{ ok: true, result: '1\tone' }]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

test('answers many requests in order, and exits 1 when one failed', () => {
  const { status, answers } = jinn(`${read('a.txt', 'x')}\n{"tool"\n${read('nope', 'y')}\n${read('a.txt', 'z')}`);
  expect(answers.map(({ ok, request_id }) => [ok, request_id])).toEqual([
    [true, 'x'],
    [false, undefined],
    [false, 'y'],
    [true, 'z'],
  ]);
  expect(status).toBe(1);
});

test.for([
  ['nothing', '', 'invalid_request', 'no input: pipe a JSON request to stdin (try jinn --help)'],
  ['no JSON', 'hello', 'invalid_request', 'invalid JSON: '],
  ['an array', '[]', 'invalid_request', 'a request is an object'],
  ['null', 'null', 'invalid_request', 'a request is an object'],
  ['no tool', '{}', 'invalid_request', '"tool" is missing'],
  ['another name for tool', '{"name":"read_file"}', 'invalid_request', 'did you mean "tool" by "name"?'],
  ['a slip in tool', '{"tol":"read_file"}', 'invalid_request', 'did you mean "tool" by "tol"?'],
  [
    'another name for args',
    '{"tool":"list_tools","arguments":{}}',
    'invalid_request',
    'did you mean "args" by "arguments"?',
  ],
  ['an id that is an object', '{"tool":"list_tools","request_id":{}}', 'invalid_request', '"request_id" must be'],
  [
    'a word for parallel',
    '{"tool":"list_tools","parallel":"yes"}',
    'invalid_request',
    '"parallel" must be true or false',
  ],
  ['a client that is no string', '{"tool":"list_tools","client":5}', 'invalid_request', '"client" must be a string'],
  ['a tool that is no string', '{"tool":5}', 'invalid_request', '"tool" must be a string'],
  ['args that are no object', '{"tool":"read_file","args":[]}', 'invalid_request', '"args" must be an object'],
  ['an unknown tool', '{"tool":"raed_file"}', 'unknown_tool', 'unknown tool: raed_file'],
  ['a duplicate key', '{"tool":"a","tool":"b"}', 'invalid_request', 'duplicate key "tool"'],
  ['deep nesting', '['.repeat(120_000), 'invalid_request', 'nested deeper than 64'],
  ['a missing argument', '{"tool":"read_file"}', 'invalid_args', 'missing required argument path'],
  ['a mistyped argument', '{"tool":"read_file","args":{"path":5}}', 'invalid_args', 'path: '],
  ['an unknown argument', '{"tool":"read_file","args":{"paht":"a"}}', 'invalid_args', 'unknown argument "paht"'],
] as const)('refuses %s', ([, input, code, message]) => {
  const { status, answers } = jinn(input);
  expect(answers).toMatchObject([{ ok: false, error_code: code, error: expect.stringContaining(message) }]);
  expect(status).toBe(1);
});

test('ignores keys that it does not know, and null for what may be left out', () => {
  const { answers } = jinn('{"tool":"read_file","args":{"path":"a.txt"},"client":"pi","params":1,"request_id":null}');
  expect(answers).toMatchObject([{ ok: true, result: '1\tone' }]);
});

test('related_context takes the client of the arguments, else of the request, else of JINN_CLIENT', () => {
  const HOME = makeTempDirectory();
  const skills = {
    '.codex/skills/c.md': '# Widget',
    '.pi/agent/skills/p.md': '# Widget',
    '.claude/agents/a.md': '# Widget',
  };
  makeTree(HOME, skills);
  const env = { HOME, XDG_CONFIG_HOME: '', JINN_CONFIG_DIR: '', JINN_CLIENT: 'codex' };
  const requests = [{ client: 'pi', args: { client: 'claude' } }, { client: 'pi' }, {}].map((request) =>
    JSON.stringify({ tool: 'related_context', ...request, args: { query: 'widget', ...request.args } }),
  );
  const { answers, stderr } = jinn(requests.join('\n'), [], env);
  expect(stderr).toBe('');
  const results = answers.map(({ result }) => JSON.parse(result));
  expect(results.map(({ results: [{ path: found }] }) => path.relative(HOME, found))).toEqual([
    '.claude/agents/a.md',
    '.pi/agent/skills/p.md',
    '.codex/skills/c.md',
  ]);
  expect(fs.readdirSync(`${HOME}/.config/jinn`).toSorted()).toEqual([
    'context-index-claude.json',
    'context-index-codex.json',
    'context-index-pi.json',
  ]);
});

test('echoes the id of a request that it refuses', () => {
  const { answers } = jinn('{"toll":1,"request_id":7}');
  expect(answers).toMatchObject([{ ok: false, request_id: 7 }]);
});

test.for(['12345678901234567890', '-9007199254740993', '1e400', '1.0', '5', '0.5', '"a\\u00e9\\\\"', '"\\ud800"'])(
  'echoes the id %s as it was sent',
  (id) => {
    for (const request of ['"tool":"list_dir","args":{"path":"."}', '"tool":5', '"tool":"nope"']) {
      const { stdout } = jinn(`{${request}, "request_id": ${id}}`);
      const sent = id.startsWith('"') ? JSON.stringify(JSON.parse(id)) : id;
      expect(stdout.trimEnd().endsWith(`,"request_id":${sent}}`)).toBe(true);
      JSON.parse(stdout);
    }
  },
);

test.for([
  '{"path":"a.txt","start_line":12345678901234567890}',
  '{"path":"a.txt","start_line":9007199254740993}',
  '{"path":"a.txt","tail":1e400}',
])('refuses a number that JavaScript cannot hold, and never shows another one: %s', (args) => {
  const { answers } = jinn(`{"tool":"read_file","args":${args}}`);
  expect(answers).toMatchObject([{ ok: false, error_code: 'invalid_args' }]);
  expect(answers[0].error).not.toContain('(given');
});

test.for([
  ['', 'send {"tool":"read_file","args":{"path":"README.md"}}'],
  ['hello', 'let a JSON library write the request'],
  ['{"tool":"a","tool":"b"}', 'give each key of an object once'],
  ['['.repeat(65), 'send it with at most 64 levels'],
  ['"\xff"', 'encode the request as UTF-8'],
  ['{"tool":"read_file","args":{"path":"a\\u0000"}}', 'remove NUL and halves of surrogate pairs'],
  [read('x'.repeat(300)), 'use shorter names: most file systems accept 255 bytes in each'],
])('names a next step for %j', ([input, suggestion]) => {
  const cwd = makeTempDirectory();
  const { stdout } = spawnSync(process.execPath, [JINN], { cwd, input: Buffer.from(input as string, 'latin1') });
  expect(JSON.parse(stdout.toString())).toMatchObject({ ok: false, suggestion });
});

test('tells the column in the line', () => {
  const { answers } = jinn(`${read('a.txt')}\n{"tool": garbage}`);
  expect(answers[1].error).toBe('invalid JSON: expected a value, found "garbage" (line 2, column 10)');
});

test('takes the same request however it is written', () => {
  const request = { tool: 'read_file', args: { path: 'a.txt' } };
  for (const text of [
    JSON.stringify(request),
    `\ufeff${JSON.stringify(request, null, 2)}`,
    '{"tool": "read_file", "args": {"path": "a.txt"}}\n',
  ]) {
    expect(jinn(text).answers).toMatchObject([{ ok: true, result: '1\tone' }]);
  }
});

test.for([
  ['openai', ['type', 'function']],
  ['openai-responses', ['type', 'name', 'description', 'strict', 'parameters']],
  ['anthropic', ['name', 'description', 'input_schema']],
  ['gemini', ['name', 'description', 'parametersJsonSchema']],
  ['mcp', ['name', 'title', 'description', 'inputSchema', 'annotations']],
] as const)('prints the schemas for %s', ([format, keys]) => {
  const { status, stdout } = jinn('', [`--schema=${format}`]);
  const tools = JSON.parse(stdout);
  expect(status).toBe(0);
  expect(tools.length).toBeGreaterThan(3);
  for (const { outputSchema: _, ...tool } of tools) expect(Object.keys(tool)).toEqual(keys);
  if (format === 'openai') expect(jinn('', ['--schema']).stdout).toBe(stdout);
});

/** Names the tools whose schemas are printed. */
function listed(...argv: string[]): string[] {
  const tools: { function: { name: string } }[] = JSON.parse(jinn('', [...argv, '--schema']).stdout);
  return tools.map((tool) => tool.function.name);
}

function answersOf(argv: string[], ...requests: object[]) {
  const { stdout } = jinn(requests.map((request) => JSON.stringify(request)).join('\n'), argv);
  const lines = stdout.trimEnd().split('\n');
  return lines.map((line): { ok: boolean; error_code?: string; result?: string } => JSON.parse(line));
}

test('--tools and --exclude-tools choose among the tools, in the order that these have', () => {
  expect(listed('--tools', 'list_dir,read_file', '--tools=edit_file')).toEqual(['read_file', 'edit_file', 'list_dir']);
  expect(listed('--tools', 'list_dir,read_file', '--exclude-tools', 'read_file')).toEqual(['list_dir']);
  const [read, list] = answersOf(
    ['--exclude-tools', 'read_file'],
    { tool: 'read_file', args: { path: 'a.txt' } },
    { tool: 'list_dir' },
  );
  expect([read?.error_code, list?.ok]).toEqual(['unknown_tool', true]);
});

test('--read-only lists nothing that writes or executes, and calls none of it', () => {
  const names = listed('--read-only');
  expect(names).toEqual(expect.arrayContaining(['read_file', 'list_tools']));
  for (const name of ['write_file', 'run_shell', 'undo']) expect(names).not.toContain(name);
  const write = { tool: 'write_file', args: { path: 'b.txt', content: 'x' } };
  const [written, tools] = answersOf(['--read-only'], write, { tool: 'list_tools' });
  expect(written?.error_code).toBe('unknown_tool');
  expect(tools?.result).not.toMatch(/write_file|"execute"/);
});

test.for(['deny', 'ask', 'allow'])('--dangerous=%s takes force out of the schemas', (policy) => {
  expect(jinn('', ['--schema']).stdout).toContain('"force"');
  expect(jinn('', [`--dangerous=${policy}`, '--schema']).stdout).not.toContain('"force"');
  const list = { tool: 'list_tools', args: { include_schema: true } };
  expect(answersOf([], list)[0]?.result).toContain('"force"');
  expect(answersOf([`--dangerous=${policy}`], list)[0]?.result).not.toContain('"force"');
});

test('understands the names that arguments have elsewhere', () => {
  const known = { file_path: 'a.txt', offset: '1', limit: 1, line_numbers: 'false', tail: null, description: 'Look' };
  expect(answersOf([], { tool: 'read_file', args: known })).toMatchObject([{ ok: true, result: 'one\n' }]);
  const twice = { tool: 'run_shell', args: { command: 'true', cmd: 'false' } };
  expect(answersOf([], twice)).toMatchObject([
    {
      error: 'run_shell: "command" is given twice with different values, in "command", "cmd"',
      suggestion: 'send command alone',
    },
  ]);
});

test.for([
  ['a flag', ['--frobnicate'], '--frobnicate'],
  ['an argument', ['read_file'], 'read_file'],
  ['a command', ['grant'], "Unknown command 'grant'; did you mean grants?"],
  ['a command behind a flag', ['--meta', 'tools'], 'tools must come first, before any flag'],
  ['a shell', ['completion', 'csh'], 'completion takes bash, zsh, fish, not "csh"'],
  ['a mode', ['--sandbox=some'], '--sandbox takes off, auto, require, not "some"'],
  ['a policy', ['--dangerous=force'], '--dangerous takes ask, allow, deny, not "force"'],
  ['a way of approvals', ['--approvals', 'mail'], '--approvals takes stdio, not "mail"'],
  ['--strict alone', ['--strict'], '--strict goes with --schema=openai'],
  ['--strict of another', ['--schema=mcp', '--strict'], 'not with mcp'],
  [
    'a schema format',
    ['--schema=xml'],
    '--schema takes openai, openai-responses, anthropic, gemini, mcp, protocol, not "xml"',
  ],
  ['a toolset', ['--toolset=jinn,nope'], 'unknown toolset: nope; the toolsets are: jinn'],
  ['a tool to serve', ['--tools=raed_file'], 'unknown tool: raed_file; did you mean read_file?'],
  ['a tool to leave out', ['--exclude-tools', 'read_file,zzzzzzzz'], 'unknown tool: zzzzzzzz; the tools are: '],
  ['an empty name', ['--tools', 'read_file,,list_dir'], 'a name is empty'],
  ['a toolset of a second flag', ['--toolset=jinn', '--toolset=nope'], 'unknown toolset: nope'],
  ['two toolsets', ['--toolset=jinn', '--toolset=codescout'], 'the toolsets jinn and codescout both have a tool named'],
] as const)('refuses %s that it does not know', ([, argv, message]) => {
  const { status, stdout, stderr } = jinn(read('a.txt'), [...argv]);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toContain(message);
});

test('serves the toolset that it is told to', () => {
  const { status, stdout } = jinn(read('a.txt'), ['--toolset', 'jinn']);
  expect([status, JSON.parse(stdout).ok]).toEqual([0, true]);
});

test.for([['jinn,jinn'], ['custom', 'jinn'], ['jinn', 'jinn,custom']])(
  'serves a toolset that is named twice once, and those of each flag: %j',
  (names) => {
    const { status, stdout } = jinn(
      read('a.txt'),
      names.flatMap((name) => ['--toolset', name]),
    );
    expect([status, JSON.parse(stdout).ok]).toEqual([0, true]);
  },
);

test.for([
  ['jinni', 'the tools are read_context, usage'],
  ['custom', 'no tool is served here: ask the user to serve some'],
])('names the tools of the toolset %s to a call of none of them', ([toolset, suggestion]) => {
  const env = { HOME: makeTempDirectory(), XDG_CONFIG_HOME: '', JINN_CONFIG_DIR: '' };
  const { stdout } = jinn('{"tool":"zzz"}', ['--toolset', toolset as string], env);
  expect(JSON.parse(stdout)).toEqual({ ok: false, error: 'unknown tool: zzz', error_code: 'unknown_tool', suggestion });
});

test('adds what a person may be shown only if it is told to', () => {
  const write = JSON.stringify({ tool: 'write_file', args: { path: 'b.txt', content: 'new\n' } });
  const visualization = { type: 'code', path: 'b.txt', content: 'new\n', created: true, lineCount: 1 };
  const { stdout } = jinn(write, ['--visualize']);
  expect(JSON.parse(stdout)).toMatchObject({ ok: true, result: 'wrote 4 bytes to b.txt', visualization });
  expect(jinn(write).answers).toEqual([expect.not.objectContaining({ visualization })]);
});

test('prints its version and its help', () => {
  for (const flag of ['--version', '-v']) expect(jinn('', [flag]).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  for (const word of ['-h', 'help']) expect(jinn('', [word]).stdout).toBe(jinn('', ['--help']).stdout);
  expect(jinn('', ['--toolsets', 'jinn'])).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("Unknown option '--toolsets'; did you mean --toolset?"),
  });
  expect(jinn('', ['--help']).stdout).toMatch(/^usage: jinn/);
});

test('gives versions and ids with every answer, and the rest of meta when it is asked for', () => {
  const [cwd, state] = [makeTempDirectory(), makeTempDirectory()];
  const write = { tool: 'write_file', args: { path: 'a.txt', content: 'one\n' } };
  const edit = (one: string, other: string) => ({ path: 'a.txt', old_text: one, new_text: other });
  const several = { tool: 'multi_edit', args: { edits: [edit('two', 'three')] } };
  const ask = (requests: readonly object[], ...flags: string[]) => {
    const input = requests.map((request) => JSON.stringify(request)).join('\n');
    const env = { ...process.env, JINN_CONFIG_DIR: state };
    const { stdout } = spawnSync(process.execPath, [JINN, ...flags], { cwd, env, input, encoding: 'utf8' });
    return stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  };
  const [written, edited, all, many] = ask([
    write,
    { tool: 'edit_file', args: edit('one', 'two') },
    { tool: 'edit_file', args: edit('two', 'one two'), meta: true },
    several,
  ]);
  const ids = { version: expect.any(String), undo_id: expect.any(String), operation_id: expect.any(String) };
  expect([written.meta, edited.meta]).toEqual([ids, ids]);
  expect(edited.result).toBe('a.txt:1 (1 line)');
  expect(all.meta).toMatchObject({ ...ids, diff: expect.stringContaining('+one two'), match_type: 'exact' });
  const { version, undo_id } = ids;
  expect(many.meta).toEqual({ operation_id: ids.operation_id, files: [{ path: 'a.txt', version, undo_id }] });

  const [read] = ask([{ tool: 'read_file', args: { path: 'a.txt' } }]);
  expect(read.meta).toEqual({ version });
  const [flagged, less] = ask(
    [
      { tool: 'read_file', args: { path: 'a.txt' } },
      { tool: 'read_file', args: { path: 'a.txt' }, meta: false },
    ],
    '--meta',
  );
  expect([flagged.meta.lines.total, less.meta]).toEqual([1, { version }]);
  expect(
    ask([
      { tool: 'list_dir', meta: true },
      { tool: 'list_dir', meta: 'yes' },
    ]),
  ).toMatchObject([{ ok: true }, { ok: false, error: 'invalid request: "meta" must be true or false' }]);
});

test('the whole meta of an error is there', () => {
  const input = JSON.stringify({ tool: 'run_shell', args: { command: 'rm -rf /tmp/x' } });
  const { stdout } = spawnSync(process.execPath, [JINN], { cwd: makeTempDirectory(), input, encoding: 'utf8' });
  expect(JSON.parse(stdout)).toMatchObject({ ok: false, meta: { risk_reason: expect.any(String) } });
});
