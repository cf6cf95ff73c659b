import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { findPrograms } from '@jinn/process';
import { type FileTree, makeTempDirectory, makeTree, openTestMachine } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { bashTool, toolMd } from '../fixture/custom-registry.ts';
import { isQuick } from '../fixture/echo.ts';
import { expectNewTool, open } from '../fixture/tools-command-scene.ts';
import { RUNTIMES } from '../run/runtimes.ts';
import { runToolsCommand } from './tools-command.ts';

const HELLO = 'cat > /dev/null; echo \'{"hello": true}\'';

test('new says in words that its directory cannot be made', async () => {
  const { run } = open({ config: { tools: 'a file' } });
  const { status, error } = await run(['new', 'hello', '--runtime', 'bash']);
  expect([status, error]).toEqual([1, expect.stringContaining('could not write the directory of the tools')]);
});

test('help names all commands, and each has help with an example', async () => {
  const { run } = open();
  const { output, status } = await run(['--help']);
  expect(status).toBe(0);
  const names = [...output.matchAll(/^ {2}(\w+) /gm)].map(([, name]) => name as string);
  expect(names).toEqual(['new', 'check', 'run', 'list', 'env', 'grants', 'revoke', 'trust', 'install']);
  for (const name of names) {
    const help = await run([name, '--help']);
    expect(help.status).toBe(0);
    expect(help.output).toMatch(new RegExp(`^usage: jinn tools ${name}\\b`));
    expect(help.output).toContain(`\n  jinn tools ${name}`);
  }
});

test.each([
  [['lst'], "Unknown command 'lst'; did you mean list?"],
  [['list', '--jsn'], "Unknown option '--jsn'; did you mean --json?"],
  [['list', '--frobnicate'], 'usage: jinn tools list'],
  [['list', 'all'], 'all is one word too many'],
])('refuses the command line %j', async (argv, message) => {
  const { status, error } = await open().run(argv);
  expect([status, error]).toEqual([2, expect.stringContaining(message)]);
});

test.for(RUNTIMES.filter((runtime) => isQuick(runtime)))(
  'new writes a tool of %s that works',
  { timeout: 120_000 },
  expectNewTool,
);

test.each([
  [['new'], 'NAME is missing'],
  [['new', 'a b'], 'cannot be the name of a tool'],
  [['new', '../x'], 'cannot be the name of a tool'],
  [['new', 'x', '--runtime', 'ruby'], 'unknown runtime ruby'],
  [['new', 'read_file'], 'read_file is a built-in tool of jinn'],
  [['new', 'Read_File'], 'Read_File is a built-in tool of jinn'],
  [['new', 'mine'], 'there is a folder mine already'],
])('refuses %j and leaves nothing behind', async (argv, message) => {
  const { run, files } = open({ config: bashTool(HELLO, { name: 'mine' }) });
  expect(await run(argv)).toMatchObject({ status: 1, error: expect.stringContaining(message) });
  expect(files()).toEqual(['mine']);
});

test('run shows what the model gets, what a person sees, and what was odd', async () => {
  const script = `cat >/dev/null; echo note >&2; echo '{"a":1,"_visualization":{"type":"table","columns":[{"key":"k"}],"rows":[{"k":"cell"}],"odd":1}}'`;
  const { run } = open({ config: bashTool(script) });
  const { output, status } = await run(['run', 'tool', '{}']);
  expect(status).toBe(0);
  expect(output).toMatch(
    /^── what the model gets ──\n\{"a":1\}\n\n── what the user sees ──\n[\s\S]*cell[\s\S]*── standard error ──\nnote\n\n── warnings ──\n_visualization: /,
  );
});

test('run shows what a person sees of a call that failed', async () => {
  const shown = { type: 'markdown', content: 'the cause', odd: 1 };
  const script = `cat >/dev/null; echo '${JSON.stringify({ error: 'no', _visualization: shown })}'; echo note >&2`;
  const { run } = open({ config: bashTool(script) });
  const { output, status } = await run(['run', 'tool', '{}']);
  expect(status).toBe(1);
  expect(output).toMatch(
    /^── error ──\ntool_failed: tool: no\n.*\n\n── what the user sees ──\nthe cause\n\n── standard error ──\nnote\n\n── warnings ──\n_visualization: /,
  );
});

test('run gets its arguments from the command line, standard input or the test input', async () => {
  const { run } = open({
    config: bashTool(
      `python3 -c 'import json,sys; print(json.dumps({"said": json.load(sys.stdin).get("a")}))'`,
      {},
      { 'test-input.json': '{"a": "file"}' },
    ),
  });
  const said = async (argv: string[], input = '') =>
    JSON.parse(JSON.parse((await run([...argv, '--json'], { input })).output).result).said;
  expect(await said(['run', 'tool', '{"a":"word"}'])).toBe('word');
  expect(await said(['run', 'tool', '-'], '{"a":"input"}')).toBe('input');
  expect(await said(['run', 'tool'])).toBe('file');
  expect(await run(['run', 'tool', '[1]'])).toMatchObject({
    status: 1,
    error: expect.stringContaining('must be a JSON object'),
  });
  expect(await run(['run', 'tool', '{'])).toMatchObject({ status: 1, error: expect.stringContaining('invalid JSON') });
  expect(await run(['run', 'none', '{}'])).toMatchObject({
    status: 1,
    output: expect.stringContaining('unknown_tool'),
  });
});

test('run asks at the terminal', async () => {
  const { run } = open({ config: bashTool(HELLO, { requireApproval: true }) });
  expect(await run(['run', 'tool', '{}'])).toMatchObject({
    status: 1,
    output: expect.stringContaining('jinn tools grants add tool tool tool'),
  });
  expect(await run(['run', 'tool', '{}'], { answers: ['no'] })).toMatchObject({
    status: 1,
    output: expect.stringContaining('USER_REJECTION'),
  });
  const yes = await run(['run', 'tool', '{}'], { answers: ['always'] });
  expect([yes.status, yes.asked[0]]).toEqual([0, expect.stringContaining('Run the tool tool?')]);
  expect((await run(['run', 'tool', '{}'])).status).toBe(0);
});

test('list shows what can be used, what is missing, and what is wrong', async () => {
  const config = {
    ...bashTool(HELLO, { name: 'good', dangerous: true, env: ['A', 'B'] }),
    'tools/bad/tool.md': toolMd({ name: 'bad', runtime: 'ruby' }),
    '.env': 'A=1',
  };
  const { run } = open({ config });
  expect((await run(['list'])).output).toMatch(
    /^⚠ {2}good {2}bash {2}tools\/good {2}ready, 1 variables not set {2}A test tool\.\n✗ tools\/bad\/tool\.md: runtime: "ruby"/,
  );
  const { tools, problems } = JSON.parse((await run(['list', '--json'])).output);
  expect(tools).toMatchObject([{ name: 'good', dangerous: true, state: 'ready', asks: 'never', missing_env: ['B'] }]);
  expect(problems).toHaveLength(1);
  expect((await open().run(['list'])).output).toContain('no custom tools');
});

test('list and check tell of a runtime that is missing', async () => {
  const config = { ...bashTool(HELLO, { name: 'good' }), ...bashTool(HELLO, { name: 'bare', runtime: 'powershell' }) };
  const { run } = open({ config });
  const { output } = await run(['list']);
  expect(output).toMatch(/ good .* ready /);
  expect(output).toMatch(/ bare .* needs pwsh, which is not on the PATH /);
  expect((await run(['check', 'bare'])).output).toContain(
    'runtime: powershell is not installed: pwsh is not on the PATH',
  );
});

test('grants add takes a key that begins with a dash behind --', async () => {
  const { run, machine } = open({ config: bashTool(HELLO, { name: 'g1' }) });
  expect((await run(['grants', 'add', 'g1', 'cmd type', '-n', '--yes'])).status).toBe(2);
  expect(await run(['grants', 'add', '--yes', '--', 'g1', 'cmd type', '-n'])).toMatchObject({ status: 0 });
  expect(await (await machine.grants()).list()).toMatchObject([{ tool: 'g1', type: 'cmd type', key: '-n' }]);
});

test('check finds what a list does not look for, and tries the security check', async () => {
  const check = `grep -q '"deep":1' && allowed=true || allowed=false; echo "{\\"allowed\\":$allowed,\\"requiresApproval\\":false,\\"permissionType\\":\\"t\\",\\"permissionKey\\":\\"k\\",\\"message\\":\\"zebra\\"}"`;
  const config = {
    ...bashTool(
      HELLO,
      { name: 'checked', hasSecurityCheck: true, securityScript: 'c.sh', env: ['MISSING'] },
      { 'c.sh': check, 'test-input.json': '{"deep":1}' },
    ),
    ...bashTool(HELLO, { name: 'ref', inputSchema: { type: 'object', properties: { a: { $ref: '#/none' } } } }),
    ...bashTool(HELLO, { name: 'broken', hasSecurityCheck: true, securityScript: 'c.sh' }, { 'c.sh': 'exit 1' }),
  };
  const { run, root } = open({ config });
  const { status, output } = await run(['check']);
  expect(status).toBe(1);
  expect(output).toContain(
    '✓ tools/checked: checked\n    env: MISSING is not set: jinn tools env set MISSING\n    security check: it runs (t: k) zebra\n',
  );
  expect(output).toContain('✗ tools/ref/tool.md: inputSchema: properties.a.$ref: "#/none" leads nowhere\n');
  expect(output).toContain('✗ tools/broken: broken\n    broken did not run: its security check failed');
  expect((await run(['check', 'checked'])).status).toBe(0);
  expect((await run(['check', 'none'])).status).toBe(1);
  expect(fs.readdirSync(root)).toEqual([]);
});

test.each([[['new', 'x']], [['install', '/nowhere']], [['env', 'set', 'A', 'x']]])(
  '%j is refused without a configuration directory',
  async (argv) => {
    const errors: string[] = [];
    const root = makeTempDirectory();
    const machine = openTestMachine({ root, log: (line) => void errors.push(line) });
    const homeless = { ...machine, user: { ...machine.user, state: { ...machine.user.state, directory: undefined } } };
    const host = { machine: homeless, builtIn: new Map(), version: '1', width: 80, color: false };
    const io = { write: () => undefined, readInput: () => '' };
    expect(await runToolsCommand(argv, { ...host, ...io })).toBe(1);
    expect(errors.join()).toMatch(/there is no directory for .*set JINN_CONFIG_DIR or HOME/);
    expect(fs.readdirSync(root)).toEqual([]);
  },
);

test('grants and trust refuse a folder that is too large to be hashed', async () => {
  const { run, root, state } = open({ config: bashTool(HELLO, { name: 'mine' }), workspace: brought });
  for (const script of [`${state}/tools/mine/script.sh`, `${root}/.jinn/tools/tool/script.sh`])
    fs.truncateSync(script, 300 * 1024 * 1024);
  expect(await run(['grants', 'add', 'mine', 'a', 'b', '--yes'])).toMatchObject({
    status: 1,
    error: expect.stringContaining('the folder of mine is too large'),
  });
  expect(await run(['trust', 'tool', '--yes'])).toMatchObject({
    status: 1,
    error: expect.stringContaining('.jinn/tools/tool is too large'),
  });
  expect((await run(['grants', '--json'])).output.trim()).toBe('[]');
  expect((await run(['trust'])).output).toMatch(/^off {2}tool .*too large\n$/);
});

test('env sets, lists and unsets, and never prints a secret', async () => {
  const { run, state } = open({ config: bashTool(HELLO, { env: ['PLAIN', 'MY_API_KEY', 'OTHER'] }) });
  expect((await run(['env', 'set', 'PLAIN', 'a b'])).status).toBe(0);
  expect((await run(['env', 'set', 'MY_API_KEY'], { input: 'zebra\n' })).output).toBe('set MY_API_KEY\n');
  expect(fs.readFileSync(`${state}/.env`, 'utf8')).toBe('PLAIN=a b\nMY_API_KEY=zebra\n');
  const lists = [(await run(['env'])).output, (await run(['env', 'list', '--json'])).output];
  for (const output of lists) expect(output).not.toContain('zebra');
  expect(lists[0]).toMatch(/MY_API_KEY +\(set\) +for tool\nOTHER +\(not set\) +for tool\nPLAIN +"a b" +for tool\n/);
  expect((await run(['env', 'unset', 'PLAIN'])).output).toBe('unset PLAIN\n');
  for (const argv of [
    ['env', 'set', 'A\nB', 'x'],
    ['env', 'set', 'A=B', 'x'],
    ['env', 'set'],
    ['env', 'st', 'A', 'x'],
    ['env', 'set', 'A', 'x\0y'],
  ]) {
    expect((await run(argv)).status).toBe(1);
  }
  expect(fs.readFileSync(`${state}/.env`, 'utf8')).toBe('MY_API_KEY=zebra\n');
});

test('of two approvals that are else the same, revoke takes back the one that is named, and says which', async () => {
  const { run, machine } = open();
  const grants = await machine.grants();
  const subject = { tool: 'run_shell', type: 'command', key: 'npm test', fingerprint: 'f' };
  const both = async () => {
    for (const forAll of [true, false]) await grants.add(subject, { forAll });
  };
  const revoke = async (...argv: string[]) => (await run(['revoke', 'run_shell', ...argv])).output;
  const row = (end: string) => `run_shell {2}command {2}"npm test" {4}\\d{4}-\\d\\d-\\d\\d${end}\\n`;
  await both();
  expect(await revoke('--for=everybody')).toMatch(new RegExp(`^revoked 1 approval\\n${row(' {2}for everybody')}$`));
  expect(await revoke('--for=everybody')).toBe('revoked 0 approvals\n');
  expect(await revoke('command', 'npm test', '--for=me')).toMatch(new RegExp(`^revoked 1 approval\\n${row('')}$`));
  await both();
  expect(await revoke()).toMatch(/^revoked 2 approvals\n.*for everybody\n.*[0-9]\n$/);
  expect(await run(['revoke', 'run_shell', '--for=all'])).toMatchObject({
    status: 1,
    error: expect.stringContaining('--for takes everybody or me'),
  });
  const ofAnn = open({ person: 'ann' });
  expect(await ofAnn.run(['revoke', 'run_shell', '--for=everybody'])).toMatchObject({
    status: 1,
    error: expect.stringContaining('ann cannot revoke approvals for everybody; leave --person out'),
  });
});

test('grants are given, listed and taken back by a person alone', async () => {
  const { run, state } = open({ config: bashTool(HELLO, { requireApproval: true }) });
  const add = ['grants', 'add', 'tool', 'tool', 'tool'];
  expect(await run(add)).toMatchObject({ status: 1, error: expect.stringContaining('no terminal is attached') });
  expect((await run(add, { answers: ['n'] })).status).toBe(1);
  expect((await run(['run', 'tool', '{}'])).status).toBe(1);
  expect((await run(add, { answers: ['y'] })).output).toBe('allowed\n');
  expect((await run(['run', 'tool', '{}'])).status).toBe(0);
  expect((await run(['grants'])).output).toMatch(/^tool {2}tool {2}"tool" {2}[0-9a-f]{12} {2}\d{4}-\d\d-\d\d\n$/);
  expect(JSON.parse((await run(['grants', '--json'])).output)).toHaveLength(1);
  const script = `${state}/tools/tool/script.sh`;
  fs.appendFileSync(script, '\n');
  expect((await run(['grants'])).output).toContain('ended: its code has changed\n');
  fs.writeFileSync(script, HELLO);
  expect(await run(['revoke'])).toMatchObject({ status: 1, error: expect.stringContaining('name a tool') });
  expect((await run(['revoke', 'tool', 'tool', 'other'])).output).toBe('revoked 0 approvals\n');
  expect((await run(['revoke', 'tool'])).output).toMatch(/^revoked 1 approval\ntool {2}tool {2}"tool" .*\n$/);
  expect((await run(['run', 'tool', '{}'])).status).toBe(1);
  await run([...add, '--yes']);
  expect((await run(['revoke', '--all'])).output).toMatch(/^revoked 1 approval\ntool /);
  expect(await run(['grants', 'ad'])).toMatchObject({ status: 1, error: expect.stringContaining('unknown command') });
  expect(await run(['grants', 'add', 'none', 'a', 'b'])).toMatchObject({
    error: expect.stringContaining('no custom tool none'),
  });
});

test('grants that no longer fit are shown as ended', async () => {
  const config = {
    ...bashTool(HELLO, { name: 'same' }),
    ...bashTool(HELLO, { name: 'other' }),
    ...bashTool(HELLO, { name: 'gone' }),
  };
  const { run, machine, root, state } = open({ config, workspace: brought });
  for (const name of ['same', 'other', 'gone']) await run(['grants', 'add', name, 'a', 'b', '--yes']);
  await run(['trust', 'tool', '--yes']);
  const grants = await machine.grants();
  await grants.add({ tool: 'read_file', type: 'dangerous_command', key: 'rm x', fingerprint: 'rm x' });
  await grants.add({ tool: 'read_file', type: 'dangerous_command', key: 'rm y', fingerprint: 'f'.repeat(64) });
  const ends = async () => {
    const rows = JSON.parse((await run(['grants', '--json'])).output) as {
      tool: string;
      key: string;
      ended?: string;
    }[];
    return Object.fromEntries(rows.map(({ tool, key, ended }) => [`${tool} ${key}`, ended]));
  };
  const older = { 'read_file rm x': 'an older jinn gave it' };
  expect(await ends()).toEqual({
    'same b': undefined,
    'other b': undefined,
    'gone b': undefined,
    'tool .jinn/tools/tool': undefined,
    'read_file rm y': undefined,
    ...older,
  });
  fs.appendFileSync(`${state}/tools/other/script.sh`, '\n');
  fs.appendFileSync(`${root}/.jinn/tools/tool/script.sh`, '\n');
  fs.rmSync(`${state}/tools/gone`, { recursive: true });
  expect(await ends()).toMatchObject({
    'other b': 'its code has changed',
    'tool .jinn/tools/tool': 'its code has changed',
    'gone b': 'the tool is gone',
  });
  expect((await run(['grants'])).output).toMatch(/^other .* ended: its code has changed$/m);
});

test('names and texts of others do not drive the terminal of whoever decides', async () => {
  const evil = 'a\x1b[2K\r\nok  safe\u202e';
  const folders = Object.fromEntries(
    Object.entries(bashTool(HELLO, { name: 'tool' })).map(([file, entry]) => [
      `.jinn/${file.replace('tools/tool', `tools/${evil}`)}`,
      typeof entry === 'string' ? entry.replace('A test tool.', 'x\x1b[1A\u{e0041}') : entry,
    ]),
  );
  const bad = { [`.jinn/tools/b${evil}/tool.md`]: 'nothing' };
  const { run } = open({ workspace: { ...folders, ...bad } });
  const shown = [
    await run(['list']),
    await run(['list', '--json']),
    await run(['check']),
    await run(['trust']),
    await run(['trust', 'tool'], { answers: ['y'] }),
    await run(['grants']),
    await run(['grants', '--json']),
    await run(['trust', evil, '--yes']),
  ];
  for (const { output, error, asked } of shown) {
    expect(`${output}${error}${asked}`).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]|^ok {2}safe/mu);
  }
  expect(shown[0]?.output).toContain('a\\x1b[2K\\r\\nok  safe\\u{202e}');
});

const brought = Object.fromEntries(Object.entries(bashTool(HELLO)).map(([file, entry]) => [`.jinn/${file}`, entry]));

test('trust lists fingerprints, and allows what a person confirms', async () => {
  const { run, root } = open({ workspace: brought });
  expect((await run(['trust'])).output).toMatch(
    /^off {2}tool {2}\.jinn\/tools\/tool {2}bash {2}[0-9a-f]{12}\n {4}A test tool\.\n {4}runs script\.sh, of 2 files\n {4}asks a user: never\n {4}reads no variable of \.env\n$/,
  );
  expect(await run(['trust', 'tool'])).toMatchObject({
    status: 1,
    error: expect.stringContaining('no terminal is attached'),
  });
  expect((await run(['trust', 'tool'], { answers: [''] })).status).toBe(1);
  expect((await run(['run', 'tool', '{}'])).status).toBe(1);
  expect((await run(['trust', '--all'], { answers: ['yes'] })).output).toContain('allowed tool\n');
  expect((await run(['run', 'tool', '{}'])).status).toBe(0);
  expect((await run(['trust'])).output).toMatch(/^allowed {2}tool/);
  fs.appendFileSync(`${root}/.jinn/tools/tool/script.sh`, '\n');
  expect((await run(['trust'])).output).toMatch(/^off {2}tool/);
  expect((await run(['run', 'tool', '{}'])).status).toBe(1);
  expect(await run(['trust', 'none'])).toMatchObject({
    error: expect.stringContaining('no tool none of this directory'),
  });
});

test('trust shows what a person must know, and gives the variables that they name', async () => {
  const script = 'cat > /dev/null; echo "{\\"got\\": \\"$A_KEY$B_KEY\\"}"';
  const fields = { env: ['A_KEY', 'B_KEY'], hasSecurityCheck: true, securityScript: 'check.sh', dangerous: true };
  const verdict = '{"allowed":true,"requiresApproval":false,"permissionType":"t","permissionKey":"k"}';
  const files = bashTool(script, fields, { 'check.sh': `echo '${verdict}'`, out: { symlink: '../../../secret' } });
  const workspace = Object.fromEntries(Object.entries(files).map(([file, entry]) => [`.jinn/${file}`, entry]));
  const { run, root } = open({ workspace, config: { '.env': 'A_KEY=a\nB_KEY=b\n' } });
  const got = async () => JSON.parse(JSON.parse((await run(['run', 'tool', '{}', '--json'])).output).result).got;
  const first = await run(['trust', 'tool'], { answers: ['y', 'A_KEY'] });
  expect(first.output).toContain('⚠ dangerous\n    A test tool.\n    runs script.sh, of 4 files\n');
  expect(first.output).toContain(
    'asks a user: when check.sh asks for it\n    asks for variables of .env: A_KEY, B_KEY\n',
  );
  expect(first.output).toContain(`a link that leaves the folder: out -> ${root}/.jinn/tools/tool/./../../../secret\n`);
  expect(first.output).toContain('allowed tool, with A_KEY\n');
  expect(first.asked[1]).toContain('A_KEY, B_KEY');
  expect(await got()).toBe('a');
  expect((await run(['check', 'tool'])).output).toContain(
    'B_KEY is not given to it: jinn tools trust --env=B_KEY tool',
  );
  expect((await run(['trust', 'tool', '--env=A_KEY,B_KEY', '--yes'])).output).toContain('with A_KEY, B_KEY\n');
  expect(await got()).toBe('ab');
  await run(['trust', 'tool', '--yes']);
  expect(await got()).toBe('');
  expect(await run(['trust', 'tool', '--env=OTHER', '--yes'])).toMatchObject({
    status: 1,
    error: expect.stringContaining('no tool that is to be allowed asks for OTHER'),
  });
  fs.appendFileSync(`${root}/.jinn/tools/tool/script.sh`, '\n');
  expect((await run(['trust', 'tool'], { answers: ['y', ''] })).output).toContain('allowed tool\n');
  expect(await got()).toBe('');
});

test('trust for everybody and for the person alone leave each other as they are', async () => {
  const script = 'cat > /dev/null; echo "{\\"got\\": \\"$A_KEY$B_KEY\\"}"';
  const files = bashTool(script, { env: ['A_KEY', 'B_KEY'] });
  const workspace = Object.fromEntries(Object.entries(files).map(([file, entry]) => [`.jinn/${file}`, entry]));
  const { run, machine } = open({ workspace });
  const trust = (env: string, more = {}) => run(['trust', 'tool', `--env=${env}`, '--yes'], more);
  const variables = async () => {
    const known = (await (await machine.grants()).list()).filter(({ type }) => type === 'workspace_variable');
    return known.map(({ key, forAll }) => `${key} ${forAll ? 'all' : 'own'}`);
  };
  await trust('A_KEY,B_KEY', { forAll: true });
  await trust('B_KEY');
  expect(await variables()).toEqual(['A_KEY all', 'B_KEY all', 'B_KEY own']);
  await trust('');
  expect(await variables()).toEqual(['A_KEY all', 'B_KEY all']);
  await trust('A_KEY');
  await trust('B_KEY', { forAll: true });
  expect(await variables()).toEqual(['A_KEY own', 'B_KEY all']);
});

test('trust for everybody does not go with the name of a person', async () => {
  const { run, machine } = open({ workspace: brought, person: 'ann' });
  for (const words of [['trust', 'tool', '--yes'], ['trust']]) {
    expect(await run(words, { forAll: true })).toMatchObject({
      status: 1,
      output: '',
      error: expect.stringMatching(/trust allows to everybody.*leave --person out/s),
    });
  }
  expect(await (await machine.grants()).list()).toEqual([]);
});

test('check says that this Node does not run TypeScript, also for the check script', async ({ skip }) => {
  if ((process.features as { typescript?: unknown }).typescript) skip('this Node runs it');
  const fields = { runtime: 'node', script: 'script.ts', hasSecurityCheck: true };
  const { run } = open({ config: bashTool('', fields, { 'script.ts': '', 'security.ts': '' }) });
  const { status, output } = await run(['check', 'tool']);
  expect(status).toBe(1);
  for (const script of ['script.ts', 'security.ts']) {
    expect(output).toContain(
      `runtime: Node ${process.versions.node} does not run ${script}: use bun, or Node 22.18 or newer`,
    );
  }
});

test('check says what go cannot build', { timeout: 120_000 }, async ({ skip }) => {
  if (findPrograms('go', process.env['PATH'] ?? '').length === 0) skip('there is no go');
  const { run } = open({
    config: bashTool('', { runtime: 'go', script: 's.go' }, { 's.go': 'package main\nfunc main() { x() }\n' }),
  });
  expect(await run(['check', 'tool'])).toMatchObject({
    status: 1,
    output: expect.stringMatching(/s\.go could not be built: [\s\S]*undefined: x/),
  });
});

test('run shows progress beside the answer', async () => {
  const script = `cat >/dev/null; echo '{"_progress": {"message": "half", "done": 1, "total": 2}}' >&2; echo '{}'`;
  const { run } = open({ config: bashTool(script) });
  const { error, output } = await run(['run', 'tool', '{}', '--json']);
  expect(error).toBe('… half (1 of 2)');
  expect(JSON.parse(output)).toMatchObject({ ok: true });
});

test('new --workspace writes a tool that must be allowed', async () => {
  const { run, root } = open();
  expect((await run(['new', 'count', '--workspace', '--runtime', 'bash'])).output).toMatch(
    /jinn tools trust count\nTry it: {2}jinn tools run count\n$/,
  );
  expect(fs.readdirSync(`${root}/.jinn/tools`)).toEqual(['count']);
  expect((await run(['run', 'count'])).status).toBe(1);
});

/** A source with two tools. */
function makeSource(): string {
  const source = makeTempDirectory();
  makeTree(source, {
    ...bashTool(HELLO, { name: 'one' }),
    ...bashTool(HELLO, { name: 'two', dangerous: true }),
    'README.md': '',
  });
  return source;
}

test('install shows what it found, and places it when a person confirms', async () => {
  const { run, files } = open();
  const source = makeSource();
  expect(await run(['install', source])).toMatchObject({
    status: 1,
    error: expect.stringContaining('no terminal is attached'),
  });
  expect(files()).toEqual([]);
  expect((await run(['install', source], { answers: ['n'] })).status).toBe(1);
  expect(files()).toEqual([]);
  const { output, asked } = await run(['install', source], { answers: ['y'] });
  expect(asked).toEqual(['Install 2 tools? [y/N] ']);
  expect(output).toMatch(
    /^ {3}one {2}bash {2}[0-9a-f]{12}\n {4}A test tool\.\n {4}runs script\.sh, of 2 files\n[\s\S]*\n⚠ {2}two {2}bash/,
  );
  expect(files()).toEqual(['one', 'two']);
  expect((await run(['run', 'one', '{}'])).status).toBe(0);
  expect(JSON.parse((await run(['list', '--json'])).output).tools[0]).toMatchObject({ installed_from: source });
});

test('installs from a git repository', { timeout: 60_000 }, async () => {
  const source = makeSource();
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', source, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { stdio: 'pipe' });
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'a');
  const { run, files } = open();
  expect(await run(['install', `file://${source}`, '--yes'])).toMatchObject({ status: 0, error: '' });
  expect(files()).toEqual(['one', 'two']);
  expect(files('tools/one').sort()).toEqual(['.jinn-install.json', 'script.sh', 'tool.md']);
});

test('says how to get the packages of a tool', async () => {
  const { run } = open();
  const source = makeTempDirectory();
  makeTree(source, { 'tool.md': toolMd({ name: 'packed' }), 'script.sh': HELLO, 'package.json': '{}' });
  expect((await run(['install', source, '--yes'])).output).toContain(
    'installed packed\n  if it needs packages:  npm install --ignore-scripts',
  );
});

test('installing again replaces what was installed, and never what a person wrote', async () => {
  const { run, state } = open({ config: bashTool(HELLO, { name: 'mine' }) });
  const source = makeSource();
  await run(['install', source, '--yes']);
  fs.writeFileSync(`${source}/tools/one/script.sh`, 'echo \'{"v":2}\'');
  const { asked } = await run(['install', source], { answers: ['y'] });
  expect(asked).toEqual(['Install 2 tools? It replaces one, two. [y/N] ']);
  expect(fs.readFileSync(`${state}/tools/one/script.sh`, 'utf8')).toContain('"v":2');
  const mine = makeTempDirectory();
  makeTree(mine, bashTool('echo 1', { name: 'mine' }));
  expect(await run(['install', mine, '--yes'])).toMatchObject({
    status: 1,
    error: expect.stringContaining('it was not installed by jinn tools install'),
  });
  expect(fs.readFileSync(`${state}/tools/mine/script.sh`, 'utf8')).toBe(HELLO);
});

test('a failed install leaves the tools as they were', async () => {
  const { run, files } = open();
  const source = makeSource();
  await run(['install', source, '--yes']);
  fs.writeFileSync(`${source}/tools/one/tool.md`, 'broken');
  expect(await run(['install', source, '--yes'])).toMatchObject({
    status: 1,
    error: expect.stringContaining('nothing was installed'),
  });
  expect((await run(['run', 'one', '{}'])).status).toBe(0);
  expect(files()).toEqual(['one', 'two']);
});

test('says which program is missing to fetch a source', async () => {
  const { run, files } = open({ environment: { PATH: '/nowhere' } });
  expect(await run(['install', 'https://example.org/x.git', '--yes'])).toMatchObject({
    status: 1,
    error: expect.stringContaining('git is not installed'),
  });
  expect(files()).toEqual([]);
});

test('an install that was killed between its two renames is put right', async () => {
  const { run, state, files } = open();
  const source = makeSource();
  await run(['install', source, '--yes']);
  fs.renameSync(`${state}/tools/one`, `${state}/tools/.old-one`);
  expect((await run(['install', source], { answers: ['n'] })).status).toBe(1);
  expect(files()).toEqual(['one', 'two']);
});

test.each<[string, FileTree, string]>([
  ['no tool', { 'README.md': '' }, 'holds no tool'],
  ['a definition that is wrong', { 'a/tool.md': toolMd({ runtime: 'x' }), 'a/script.sh': '' }, 'runtime: "x"'],
  ['a script that is missing', { 'tool.md': toolMd() }, 'script: there is no file script.sh'],
  [
    'a link that leads out',
    { 'tool.md': toolMd(), 'script.sh': HELLO, out: { symlink: '../../secret' } },
    'the link out points outside of the folder',
  ],
  [
    'an absolute link',
    { 'tool.md': toolMd(), 'script.sh': HELLO, out: { symlink: '/etc/passwd' } },
    'the link out points outside of the folder',
  ],
  ['a FIFO', { 'tool.md': toolMd(), 'script.sh': HELLO, fifo: { fifo: true } }, 'neither a file nor a directory'],
  [
    'the name of a built-in tool',
    { 'tool.md': toolMd({ name: 'read_file' }), 'script.sh': HELLO },
    'built-in tool of jinn',
  ],
])('does not install %s', async (_, tree, message) => {
  const { run, files } = open();
  const source = makeTempDirectory();
  makeTree(source, tree);
  const { status, error } = await run(['install', source, '--yes']);
  expect([status, error]).toEqual([1, expect.stringContaining(message)]);
  expect(files()).toEqual([]);
});

test.each(['--upload-pack=x', 'ext::sh -c touch% ran', 'not a name', '/nowhere'])(
  'does not fetch %s',
  async (source) => {
    const { run, root } = open();
    expect(await run(['install', '--yes', '--', source])).toMatchObject({
      status: 1,
      error: expect.stringContaining('is not a folder or a git address'),
    });
    expect(fs.readdirSync(root)).toEqual([]);
  },
);
