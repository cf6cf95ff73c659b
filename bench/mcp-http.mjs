import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { ROOT } from '../scripts/setup.mjs';
import { ENV, median, scratch } from './measure.mjs';

const JINN_MCP = path.join(ROOT, 'apps/mcp-server/dist/jinn-mcp.cjs');
/** A dependency of the server's tests. */
const TOKENIZER = 'gpt-tokenizer/encoding/o200k_base';
const CLIENTS = 200;
const ROUNDS = 5;
const CALLS = 20_000;
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const ERAS = { 'by handshake': connectByHandshake, stateless: connectStateless };

/** What many clients wait for over HTTP, what the list of tools costs a model, and what a long session takes. */
export const mcpHttp = [
  ...Object.entries(ERAS).map(([era, connect]) => ({
    what: `MCP over HTTP, ${era}: \`read_file\` by ${CLIENTS} clients at once, the slowest of a hundred`,
    peer: 'the median of them',
    target: { ratio: 3 },
    run: () => withServer(['--http', '127.0.0.1:0'], (server) => manyClients(server, connect)),
  })),
  {
    what: 'MCP: the list of tools, o200k_base',
    peer: '3,600 tokens',
    unit: ' tokens',
    target: { atMost: 3_600 },
    run: async () => ({ ours: await countTokens() }),
  },
  {
    what: `MCP: memory after ${CALLS.toLocaleString('en')} calls of one session`,
    peer: 'after the first 2,000',
    unit: ' MB',
    target: { ratio: 1.3 },
    run: longSession,
  },
];

async function withServer(args, use) {
  const cwd = scratch('small');
  fs.writeFileSync(path.join(cwd, 'README.md'), 'a line of text\n'.repeat(40));
  const child = spawn(process.execPath, [JINN_MCP, ...args], { cwd, env: ENV, stdio: ['pipe', 'pipe', 'pipe'] });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  try {
    return await use(child);
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

async function manyClients(server, connect) {
  const url = await new Promise((resolve) => {
    server.stderr.on('data', (text) => {
      const [, found] = /listens on (\S+)/.exec(text) ?? [];
      if (found) resolve(found);
    });
  });
  const clients = await Promise.all(Array.from({ length: CLIENTS }, (_, i) => connect(url, i)));
  const times = [];
  for (let round = 0; round <= ROUNDS; round++) {
    await Promise.all(
      clients.map(async (call) => {
        const start = performance.now();
        const text = await call();
        if (!text.includes('a line of text')) throw new Error(`the file was not read: ${text}`);
        if (round > 0) times.push(performance.now() - start);
      }),
    );
  }
  times.sort((a, b) => a - b);
  return { ours: times[Math.floor(times.length * 0.99)], theirs: median(times) };
}

const READ = { method: 'tools/call', params: { name: 'read_file', arguments: { path: 'README.md' } } };

async function post(url, message, headers = {}) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...message });
  const response = await fetch(url, { method: 'POST', headers: { ...HEADERS, ...headers }, body });
  return { id: response.headers.get('mcp-session-id'), text: await response.text() };
}

async function connectByHandshake(url) {
  const protocolVersion = '2025-11-25';
  const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'bench', version: '1' } };
  const { id } = await post(url, { method: 'initialize', params });
  const headers = { 'mcp-session-id': id, 'mcp-protocol-version': protocolVersion };
  await post(url, { method: 'notifications/initialized', id: undefined }, headers);
  return async () => (await post(url, READ, headers)).text;
}

async function connectStateless(url, i) {
  const version = '2026-07-28';
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const headers = {
    'mcp-protocol-version': version,
    'mcp-method': READ.method,
    'mcp-name': READ.params.name,
    'jinn-session': `session-of-client-${i}`,
  };
  return async () => (await post(url, { ...READ, params: { ...READ.params, _meta } }, headers)).text;
}

/** Speaks to a server over its standard input and output, one request after the other. */
async function talk(server) {
  const { createInterface } = await import('node:readline');
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
  const ask = async (method, params) => {
    server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })}\n`);
    return JSON.parse((await lines.next()).value).result;
  };
  const clientInfo = { name: 'bench', version: '1' };
  await ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  return ask;
}

/** Counts the tokens of the list of tools of a server with these flags. */
export async function countTokens(flags = []) {
  const tools = await withServer(flags, async (server) => (await (await talk(server))('tools/list', {})).tools);
  const require = createRequire(path.join(ROOT, 'apps/mcp-server/package.json'));
  return require(TOKENIZER).countTokens(JSON.stringify(tools));
}

async function longSession() {
  return withServer([], async (server) => {
    const ask = await talk(server);
    let theirs = 0;
    for (let i = 1; i <= CALLS; i++) {
      await ask('tools/call', READ.params);
      if (i === CALLS / 10) theirs = memoryOf(server.pid);
    }
    return { ours: memoryOf(server.pid), theirs };
  });
}

/** The resident memory of a process, in MB. */
function memoryOf(pid) {
  return Number(/VmRSS:\s+(\d+) kB/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}
