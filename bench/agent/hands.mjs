import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ROOT } from '../../scripts/setup.mjs';
import { ENV, RG } from '../measure.mjs';

const JINN_MCP = path.join(ROOT, 'apps/mcp-server/dist/jinn-mcp.cjs');
const FILESYSTEM = path.join(ROOT, 'node_modules/@modelcontextprotocol/server-filesystem/dist/index.js');
const { countTokens } = createRequire(path.join(ROOT, 'apps/mcp-server/package.json'))(
  'gpt-tokenizer/encoding/o200k_base',
);
/** What hosts show of a command's output at most, in characters. */
const MAX_OUTPUT = 30_000;

/** The tools that a model may have for a task. Each opens a directory and returns `call` and `close`. */
export const HANDS = {
  jinn: (cwd) => connect([JINN_MCP], cwd),
  lean: (cwd) => connect([JINN_MCP, '--toolset', 'lean'], cwd),
  bash: async (cwd) => ({ call: (_, { command }) => runBash(command, cwd), close() {} }),
  filesystem: (cwd) => connect([FILESYSTEM, cwd], cwd),
};

/** The toolset jinn with the tools for symbols, and a shell. */
export async function openSymbols(cwd) {
  const { call, close } = await connect([JINN_MCP, '--toolset', 'jinn', '--toolset', 'symbols'], cwd);
  return { call: (tool, args) => (tool === 'bash' ? runBash(args.command, cwd) : call(tool, args)), close };
}

/** Makes the calls one after the other. Returns what they answered, and how many tokens each way took. */
export async function work(open, cwd, steps) {
  const { call, close } = await open(cwd);
  const total = { calls: 0, answers: 0, requests: 0, texts: [] };
  try {
    for (const step of steps) {
      const [tool, args] = typeof step === 'function' ? step(total.texts.at(-1)) : step;
      const text = await call(tool, args);
      total.calls++;
      total.answers += countTokens(text);
      total.requests += countTokens(`${tool} ${JSON.stringify(args)}`);
      total.texts.push(text);
    }
  } finally {
    await close();
  }
  return total;
}

async function connect(args, cwd) {
  const client = new Client({ name: 'bench', version: '1' });
  const env = Object.fromEntries(Object.entries(ENV).filter(([, value]) => value !== undefined));
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, cwd, env: withRipgrep(env), stderr: 'ignore' }),
  );
  return {
    async call(name, input) {
      const { content } = await client.callTool({ name, arguments: input });
      return content.map(({ type, text }) => text ?? `[${type}]`).join('\n');
    },
    close: () => client.close(),
  };
}

/** Runs a command as hosts do: both streams in one text, with the status where it is not 0. */
async function runBash(command, cwd) {
  const file = path.join(path.dirname(cwd), 'bash-output');
  const output = fs.openSync(file, 'w');
  const child = spawn('bash', ['-c', command], { cwd, env: withRipgrep(ENV), stdio: ['ignore', output, output] });
  const [status] = await once(child, 'exit');
  fs.closeSync(output);
  const text = fs.readFileSync(file, 'utf8').slice(0, MAX_OUTPUT);
  return status === 0 ? text : `Exit code ${status}\n${text}`;
}

function withRipgrep(env) {
  return { ...env, PATH: `${path.dirname(RG)}${path.delimiter}${env.PATH}` };
}
