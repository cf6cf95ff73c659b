import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, type TestContext, test } from 'vitest';
import { connectOld, PROGRAM } from './fixture/connect.ts';
import { listen } from './fixture/listen.ts';
import { findHost, type RealHost, runHost } from './fixture/real-hosts.ts';
import { type StandIn, startStandIn } from './fixture/stand-in.ts';

/** The programs take some 700 MB, so that only CI, and who asks for it, installs them. */
const MAY_INSTALL = process.env['CI'] !== undefined || process.env['JINN_REAL_HOSTS'] !== undefined;

interface Setting {
  readonly cwd: string;
  readonly home: string;
  readonly url: string;
}

interface Given {
  readonly env: Readonly<Record<string, string>>;
  readonly args: readonly string[];
}

/** How each host is pointed at the stand-in, and asked for one answer. */
const HOSTS = {
  'claude-code': ({ url, cwd }) => ({
    env: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'none',
      DISABLE_TELEMETRY: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    },
    args: ['-p', 'go', '--mcp-config', `${cwd}/.mcp.json`, '--strict-mcp-config', '--allowedTools', 'mcp__jinn'],
  }),
  codex: ({ url, home }) => {
    const provider = `model_providers.x={name="x",base_url="${url}/v1",env_key="KEY",wire_api="responses",supports_websockets=false}`;
    const args = ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', '-m', 'gpt-5'];
    return {
      env: { KEY: 'none', CODEX_HOME: `${home}/.codex` },
      args: [...args, '-c', provider, '-c', 'model_provider="x"', 'go'],
    };
  },
  'gemini-cli': ({ url, home }) => {
    const security = { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } };
    makeTree(home, { '.gemini/settings.json': JSON.stringify({ security }) });
    return {
      env: { GEMINI_API_KEY: 'none', GOOGLE_GEMINI_BASE_URL: url },
      args: ['-p', 'go', '--yolo', '-m', 'gemini-2.5-pro'],
    };
  },
  opencode: ({ url, home }) => {
    const config = { provider: { anthropic: { options: { baseURL: `${url}/v1`, apiKey: 'none' } } } };
    makeTree(home, { '.config/opencode/opencode.json': JSON.stringify(config) });
    return {
      env: { OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' },
      args: ['run', '-m', 'anthropic/claude-sonnet-4-5', 'go'],
    };
  },
} satisfies Partial<Record<RealHost, (setting: Setting) => Given>>;

const LINES = 3_000;
const SCRIPT = [
  { tool: 'write_file', args: { path: 'new.txt', content: 'made by the host\n' } },
  { tool: 'read_file', args: { path: 'long.txt' } },
  { tool: 'edit_file', args: { path: 'new.txt', old_text: 'made', new_text: 'changed', if_version: 'not-this-one' } },
];

/** Returns the program or module, or skips the test if it is not there. */
function findOrSkip(host: RealHost, { skip }: TestContext): string {
  return findHost(host, MAY_INSTALL) ?? skip(`${host} could not be installed, or CI and JINN_REAL_HOSTS are not set`);
}

test.for(Object.keys(HOSTS) as (keyof typeof HOSTS)[])(
  '%s calls the server that was installed for it',
  { timeout: 420_000 },
  async (host, context) => {
    const program = findOrSkip(host, context);
    const home = fs.realpathSync(makeTempDirectory());
    const cwd = `${home}/project`;
    makeTree(home, { 'project/': '' });
    makeTree(cwd, { 'long.txt': Array.from({ length: LINES }, (_, i) => `line ${i + 1} of the long file\n`).join('') });
    const env = { HOME: home, XDG_CONFIG_HOME: `${home}/.config` };
    const installed = spawnSync(process.execPath, [PROGRAM, 'install', host], { cwd, env, encoding: 'utf8' });
    expect([installed.status, installed.stderr]).toEqual([0, '']);

    const standIn = await startStandIn(SCRIPT);
    const { args, env: more } = HOSTS[host]({ cwd, home, url: standIn.url });
    const { output } = await runHost(program, args, { cwd, env: { ...env, ...more } });
    expectServed(standIn, output);
    expect(fs.readFileSync(`${cwd}/new.txt`, 'utf8')).toBe('made by the host\n');
  },
);

/** The host offered the tools, and passed all of each answer on to the model. */
function expectServed(standIn: StandIn, output: string): void {
  const [wrote = '', read = '', refused = ''] = standIn.results();
  expect([standIn.results().length, output.slice(-2_000)]).toEqual([SCRIPT.length, expect.any(String)]);
  expect(standIn.tools().some((name) => name.endsWith('read_file'))).toBe(true);
  expect(wrote).toMatch(/wrote 17 bytes to new\.txt\s+\[version: \S+\]/);
  expect(refused).toContain('stale_file');
  const [, last, next] = /\[Showing lines 1-(\d+) of 3000\. Use start_line=(\d+) to continue\.\]/.exec(read) ?? [];
  expect(Number(next)).toBe(Number(last) + 1);
  const lines = read.match(/^ *\d+\t.*$/gm) ?? [];
  expect(lines).toHaveLength(Number(last));
  for (const [i, line] of lines.entries()) expect(line.trimStart()).toBe(`${i + 1}\tline ${i + 1} of the long file`);
}

/** A directory to work in, and what starts the server there. */
function makeSetting() {
  const cwd = fs.realpathSync(makeTempDirectory());
  const env = { PATH: process.env['PATH'] ?? '', HOME: makeTempDirectory() };
  return { cwd, env, server: { command: process.execPath, args: [PROGRAM], cwd, env } };
}

const EDIT = { path: 'new.txt', content: 'made by a client\n' };
const WROTE = /^wrote 17 bytes to new\.txt\n\[version: \S+\]$/;

/** The client found the tools, and its call of write_file did what it says. */
function expectWritten(names: readonly string[], text: unknown, cwd: string): void {
  expect(names).toEqual(expect.arrayContaining(['read_file', 'write_file', 'run_shell', 'read_context', 'list_tools']));
  expect(text).toMatch(WROTE);
  expect(fs.readFileSync(`${cwd}/new.txt`, 'utf8')).toBe(EDIT.content);
}

const INSTALL_AND_RUN = { timeout: 420_000 };

test(
  'inspector lists and calls the tools, and finds no schema that some host would refuse',
  INSTALL_AND_RUN,
  async (context) => {
    const inspector = findOrSkip('inspector', context);
    const { cwd, env } = makeSetting();
    const inspect = async (...flags: string[]) => {
      const { status, output, stdout } = await runHost(inspector, ['--cli', process.execPath, PROGRAM, ...flags], {
        cwd,
        env,
      });
      expect([status, output]).toEqual([0, expect.any(String)]);
      return JSON.parse(stdout);
    };
    const { tools } = await inspect('--method', 'tools/list', '--strict');
    const edit = Object.entries(EDIT).flatMap(([name, value]) => ['--tool-arg', `${name}=${value}`]);
    const { content } = await inspect('--method', 'tools/call', '--tool-name', 'write_file', ...edit);
    expectWritten(
      tools.map(({ name }: { name: string }) => name),
      content[0].text,
      cwd,
    );
    const { prompts } = await inspect('--method', 'prompts/list');
    expect(prompts).toHaveLength(3);
  },
);

test('ai-sdk lists and calls the tools', INSTALL_AND_RUN, async (context) => {
  const module = findOrSkip('ai-sdk', context);
  const { createMCPClient } = await import(module);
  const { StdioMCPTransport } = await import(module.replace('index.js', 'mcp-stdio/index.js'));
  const { cwd, server } = makeSetting();
  const client = await createMCPClient({ transport: new StdioMCPTransport(server) });
  context.onTestFinished(() => client.close());
  const tools = await client.tools();
  const { content } = await tools.write_file.execute(EDIT, { toolCallId: '1', messages: [] });
  expectWritten(Object.keys(tools), content[0].text, cwd);
});

test('langchain lists and calls the tools', INSTALL_AND_RUN, async (context) => {
  const { MultiServerMCPClient } = await import(findOrSkip('langchain', context));
  const { cwd, server } = makeSetting();
  const client = new MultiServerMCPClient({ mcpServers: { jinn: { transport: 'stdio', ...server } } });
  context.onTestFinished(() => client.close());
  const tools: { name: string; invoke(args: object): Promise<{ text: string } | string> }[] = await client.getTools();
  const answer = await tools.find(({ name }) => name === 'write_file')?.invoke(EDIT);
  expectWritten(
    tools.map(({ name }) => name),
    typeof answer === 'object' ? answer.text : answer,
    cwd,
  );
});

test('mcp-remote passes on what is listed and called over HTTP', INSTALL_AND_RUN, async (context) => {
  const program = findOrSkip('mcp-remote', context);
  const { url, cwd } = await listen();
  const place = { cwd: makeTempDirectory(), program, args: [url.href, '--transport', 'http-only'] };
  const { client, connect } = await connectOld(place);
  await connect();
  const { tools } = await client.listTools();
  const { content } = await client.callTool({ name: 'write_file', arguments: EDIT });
  expectWritten(
    tools.map(({ name }) => name),
    (content as { text: string }[])[0]?.text,
    cwd,
  );
});
