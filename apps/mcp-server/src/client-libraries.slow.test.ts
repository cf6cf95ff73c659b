import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { createServer } from 'node:net';
import { makeTempDirectory } from '@jinn/testkit';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { expect, test, vi } from 'vitest';
import { connectOld, PROGRAM } from './fixture/connect.ts';
import { connectOldHttp, listen } from './fixture/listen.ts';
import { installHosts, runHost } from './fixture/real-hosts.ts';

const findOrSkip = installHosts(['inspector', 'ai-sdk', 'mcp-remote', 'supergateway', 'langchain', 'mastra']);

/** A directory to work in, and what starts the server there. */
function makeSetting() {
  const cwd = fs.realpathSync(makeTempDirectory());
  const env = { PATH: process.env['PATH'] ?? '', HOME: makeTempDirectory() };
  return { cwd, env, server: { command: process.execPath, args: [PROGRAM], cwd, env } };
}

const EDIT = { path: 'new.txt', content: 'made by a client\n' };
const WROTE = /^wrote 17 bytes to new\.txt$/;

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
    const inspector = await findOrSkip('inspector', context);
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
  const module = await findOrSkip('ai-sdk', context);
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
  const { MultiServerMCPClient } = await import(await findOrSkip('langchain', context));
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
  const program = await findOrSkip('mcp-remote', context);
  const { url, cwd } = await listen();
  const place = { cwd: makeTempDirectory(), program, args: [url.href, '--transport', 'http-only'] };
  const { client, connect } = await connectOld(place);
  await connect();
  await expectServes(client, cwd);
});

/** The client finds the tools and calls one that works in `cwd`. */
async function expectServes(client: Client, cwd: string): Promise<void> {
  const { tools } = await client.listTools();
  const { content } = await client.callTool({ name: 'write_file', arguments: EDIT });
  expectWritten(
    tools.map(({ name }) => name),
    (content as { text: string }[])[0]?.text,
    cwd,
  );
}

test('mastra lists and calls the tools', INSTALL_AND_RUN, async (context) => {
  const { MCPClient } = await import(await findOrSkip('mastra', context));
  const { cwd, server } = makeSetting();
  const client = new MCPClient({ servers: { jinn: server } });
  context.onTestFinished(() => client.disconnect());
  const tools = await client.listTools();
  const { content } = await tools.jinn_write_file.execute(EDIT, {});
  expectWritten(
    Object.keys(tools).map((name) => name.replace('jinn_', '')),
    content[0].text,
    cwd,
  );
});

test('supergateway serves over HTTP what it is told over stdio', INSTALL_AND_RUN, async (context) => {
  const program = await findOrSkip('supergateway', context);
  const { cwd, server } = makeSetting();
  const port = await findFreePort();
  const command = [server.command, ...server.args].map((word) => `'${word}'`).join(' ');
  const args = ['--stdio', command, '--outputTransport', 'streamableHttp', '--stateful', '--port', String(port)];
  const gateway = spawn(process.execPath, [program, ...args], { cwd, env: server.env, detached: true });
  context.onTestFinished(() => void process.kill(-(gateway.pid as number), 'SIGKILL'));
  const url = new URL(`http://127.0.0.1:${port}/mcp`);
  await vi.waitUntil(() => fetch(url).catch(() => undefined), { timeout: 20_000 });
  const { client, connect } = await connectOldHttp(url);
  await connect();
  await expectServes(client, cwd);
});

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

test('supergateway serves over stdio what it is told over HTTP', INSTALL_AND_RUN, async (context) => {
  const program = await findOrSkip('supergateway', context);
  const { url, cwd } = await listen();
  const { client, connect } = await connectOld({
    cwd: makeTempDirectory(),
    program,
    args: ['--streamableHttp', url.href, '--logLevel', 'none'],
  });
  await connect();
  await expectServes(client, cwd);
});
