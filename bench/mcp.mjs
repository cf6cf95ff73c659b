import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ROOT } from '../scripts/setup.mjs';
import { BARE_NODE, ENV, median, scratch } from './measure.mjs';

const JINN_MCP = path.join(ROOT, 'apps/mcp-server/dist/jinn-mcp.cjs');
const FILESYSTEM = path.join(ROOT, 'node_modules/@modelcontextprotocol/server-filesystem/dist/index.js');
const ROUNDS = 21;
const CALLS = 2_000;

/** Measures what a host waits for: the answer to the handshake, and to a call. */
export const mcp = [
  {
    what: 'MCP: from start to the answer of `initialize`',
    peer: '`node -e 0`',
    target: { ratio: 2.3 },
    async run() {
      const [theirs, ours] = await inTurns([() => timeToEnd(BARE_NODE.args), () => timeToInitialize([JINN_MCP])]);
      return { ours, theirs };
    },
  },
  {
    what: 'MCP: the same',
    peer: '`@modelcontextprotocol/server-filesystem`',
    target: { ratio: 0.5 },
    async run() {
      const peer = [FILESYSTEM, small()];
      const [theirs, ours] = await inTurns([() => timeToInitialize(peer), () => timeToInitialize([JINN_MCP])]);
      return { ours, theirs };
    },
  },
  {
    what: 'MCP: `read_file` through the client of the SDK, in a session, median',
    peer: 'half a millisecond',
    target: { atMost: 0.5 },
    run: async () => ({ ours: (await callTimes())[0] }),
  },
  {
    what: 'MCP: the same',
    peer: '`read_text_file` of `@modelcontextprotocol/server-filesystem`',
    target: { ratio: 1 },
    async run() {
      const [ours, theirs] = await callTimes();
      return { ours, theirs };
    },
  },
];

const INITIALIZE = `${JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
})}\n`;

/** Returns the medians of commands that take turns. */
async function inTurns(measures) {
  const times = measures.map(() => []);
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [i, measure] of measures.entries()) {
      const ms = await measure();
      if (round > 0) times[i].push(ms); // The first round warms the disk's cache.
    }
  }
  return times.map(median);
}

async function timeToEnd(args) {
  const start = performance.now();
  await once(spawn(process.execPath, args, { env: ENV, stdio: 'ignore' }), 'exit');
  return performance.now() - start;
}

async function timeToInitialize(args) {
  const start = performance.now();
  const child = spawn(process.execPath, args, { cwd: small(), env: ENV, stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdin.write(INITIALIZE);
  const [answer] = await once(child.stdout, 'data');
  const ms = performance.now() - start;
  child.stdin.end();
  await once(child, 'exit');
  if (JSON.parse(answer).result?.protocolVersion !== '2025-11-25') throw new Error(`no handshake: ${answer}`);
  return ms;
}

/** Returns the median time of a call of each server; the servers take turns. */
async function callTimes() {
  const file = path.join(small(), 'README.md');
  const ours = await connect([JINN_MCP], { name: 'read_file', arguments: { path: 'README.md' } });
  const theirs = await connect([FILESYSTEM, small()], { name: 'read_text_file', arguments: { path: file } });
  const times = [[], []];
  for (let i = 0; i < CALLS; i++) {
    for (const [j, { call }] of [ours, theirs].entries()) {
      const start = performance.now();
      const { content, isError } = await call();
      if (i > CALLS / 2) times[j].push(performance.now() - start);
      if (isError || !content[0].text.includes('a line of text')) throw new Error('the file was not read');
    }
  }
  await Promise.all([ours.close(), theirs.close()]);
  return times.map(median);
}

async function connect(args, request) {
  const client = new Client({ name: 'bench', version: '1' });
  const env = Object.fromEntries(Object.entries(ENV).filter(([, value]) => value !== undefined));
  const transport = new StdioClientTransport({ command: process.execPath, args, cwd: small(), env, stderr: 'ignore' });
  await client.connect(transport);
  return { call: () => client.callTool(request), close: () => client.close() };
}

function small() {
  const directory = scratch('small');
  fs.writeFileSync(path.join(directory, 'README.md'), 'a line of text\n'.repeat(40));
  return directory;
}
