import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { ToolSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect, test } from 'vitest';
import { installHosts } from '../../mcp-server/src/fixture/real-hosts.ts';
import { JINN, makePlace, openSession } from './fixture/open-session.ts';

const TSC = path.resolve(import.meta.dirname, '../../../node_modules/.bin/tsc');
const SDKS = ['openai', 'anthropic', 'genai'] as const;
const findOrSkip = installHosts(SDKS);
const TOOLSETS = '--toolset=jinn,jinni,symbols';

function schemas(...flags: string[]): object[] {
  const { stdout } = spawnSync(process.execPath, [JINN, TOOLSETS, ...flags], { encoding: 'utf8' });
  const tools = JSON.parse(stdout);
  expect(tools.length).toBeGreaterThan(20);
  return tools;
}

/** Compiles values against the types of an SDK, beside its package. Returns what the compiler says. */
function compile(entry: string, imports: string, values: Readonly<Record<string, unknown>>): string {
  const root = entry.slice(0, entry.lastIndexOf('/node_modules/'));
  const folder = fs.mkdtempSync(path.join(root, 'types-'));
  try {
    const lines = Object.entries(values).map(
      ([type, value], i) => `export const value${i}: ${type} = ${JSON.stringify(value)};`,
    );
    fs.writeFileSync(`${folder}/values.ts`, [imports, ...lines].join('\n'));
    const flags = [
      '--ignoreConfig',
      '--strict',
      '--noEmit',
      '--skipLibCheck',
      '--module',
      'nodenext',
      '--target',
      'es2022',
      '--types',
      '',
    ];
    return spawnSync(TSC, [...flags, `${folder}/values.ts`], { cwd: folder, encoding: 'utf8' }).stdout;
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

/** Returns what is answered to two calls: one that is ok, and one that is not. */
async function answersTo(call: (name: string, args: object) => object): Promise<unknown[]> {
  const session = openSession([], makePlace({ 'a.txt': 'one\n' }));
  session.send(call('read_file', { path: 'a.txt' }), call('read_file', { path: 'nope' }));
  return [await session.receive(), await session.receive()];
}

const OPENAI = `
import type { ChatCompletionFunctionTool, ChatCompletionToolMessageParam } from 'openai/resources/chat/completions';
import type { FunctionTool, ResponseInputItem } from 'openai/resources/responses/responses';
`;

test('openai: the types of the SDK take the tools and the answers', async (context) => {
  const entry = await findOrSkip('openai', context);
  const messages = await answersTo((name, args) => ({
    type: 'function',
    id: 'c',
    function: { name, arguments: JSON.stringify(args) },
  }));
  const outputs = await answersTo((name, args) => ({
    type: 'function_call',
    call_id: 'c',
    name,
    arguments: JSON.stringify(args),
  }));
  const values = {
    'ChatCompletionFunctionTool[]': [...schemas('--schema=openai'), ...schemas('--schema=openai', '--strict')],
    'FunctionTool[]': [...schemas('--schema=openai-responses'), ...schemas('--schema=openai-responses', '--strict')],
    'ChatCompletionToolMessageParam[]': messages,
    'ResponseInputItem.FunctionCallOutput[]': outputs,
  };
  expect(compile(entry, OPENAI, values)).toBe('');
  expect(compile(entry, OPENAI, { 'FunctionTool[]': schemas('--schema=openai') })).toContain('error TS');
});

test('openai: the SDK finds nothing to do for a strict schema', async (context) => {
  const { toStrictJsonSchema } = createRequire(import.meta.url)(await findOrSkip('openai', context));
  for (const tool of schemas('--schema=openai', '--strict')) {
    const { strict, parameters } = (tool as { function: { strict: boolean; parameters: object } }).function;
    expect([strict, toStrictJsonSchema(parameters)]).toEqual([true, parameters]);
  }
  const [loose] = schemas('--schema=openai') as [{ function: { parameters: object } }];
  expect(() => toStrictJsonSchema(loose.function.parameters)).toThrow();
});

test('anthropic: the types of the SDK take the tools and the answers', async (context) => {
  const entry = await findOrSkip('anthropic', context);
  const imports = `import type { Tool, ToolResultBlockParam } from '@anthropic-ai/sdk/resources/messages';`;
  const results = await answersTo((name, input) => ({ type: 'tool_use', id: 'toolu_1', name, input }));
  const values = { 'Tool[]': schemas('--schema=anthropic'), 'ToolResultBlockParam[]': results };
  expect(compile(entry, imports, values)).toBe('');
  expect(compile(entry, imports, { 'Tool[]': schemas('--schema=mcp') })).toContain('error TS');
});

test('gemini: the types of the SDK take the tools', async (context) => {
  const entry = await findOrSkip('genai', context);
  const imports = `import type { FunctionDeclaration } from '@google/genai';`;
  expect(compile(entry, imports, { 'FunctionDeclaration[]': schemas('--schema=gemini') })).toBe('');
  expect(compile(entry, imports, { 'FunctionDeclaration[]': schemas('--schema=anthropic') })).toContain('error TS');
});

test('mcp: the schema of the SDK takes the tools', () => {
  for (const tool of schemas('--schema=mcp')) expect(ToolSchema.parse(tool)).toEqual(tool);
});
