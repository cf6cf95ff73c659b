import {
  createRegistry,
  createSession,
  describeTools,
  type Tool,
  type ToolDescription,
  type ToolOutput,
  wrapRun,
} from '@jinn/core';
import { makeTempDirectory, makeTree, openTestMachine, toolsetOf } from '@jinn/testkit';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { chooseToolsets, FIXED_TOOLSETS, toMcpTool } from './index.ts';

const FILES = {
  'README.md': '# one\n',
  'package.json': '{"name":"a"}\n',
  'src/main.ts': 'export {};\n',
  'app.log': 'x\n',
  'src/parse.ts': 'export function parse(text) {}\n',
  'src/store.ts':
    "import { parse } from './parse.ts';\nexport class Store {\n  add(text) { return parse(text); }\n  clear() {}\n}\n",
};
const entries = FIXED_TOOLSETS.flatMap(({ tools }) => tools);
const tools = await Promise.all(entries.map((entry) => entry.load()));

/** What a tool gives back for each of its examples that can be carried out on a few files. */
async function outputsOf(tool: Tool): Promise<ToolOutput[]> {
  const root = makeTempDirectory();
  makeTree(root, FILES);
  const outputs: ToolOutput[] = [];
  const kept = wrapRun(tool, async (run, _, ctx) => {
    const output = await run(ctx);
    outputs.push(output);
    return output;
  });
  const registry = await createRegistry({
    toolsets: [toolsetOf('test', [kept])],
    version: '0.0.0',
    onInternalError: () => undefined,
  });
  const machine = openTestMachine({ root });
  for (const args of tool.examples) {
    await registry.call({ tool: tool.name, args }, { ...machine, session: createSession() });
  }
  return outputs;
}

// What changes files is skipped: none of it answers with data whatever it is asked.
test.for(tools.filter(({ effect }) => effect === 'read'))(
  '$name has an output schema if it always answers with data, and answers as it says',
  async (tool) => {
    const outputs = await outputsOf(tool);
    const isData = outputs.length > 0 && outputs.every(({ data }) => data !== undefined && !Array.isArray(data));
    // A tool that always answers with data states its schema as `output`.
    const { name } = tool;
    expect({ name, hasOutput: tool.output !== undefined }).toEqual({ name, hasOutput: isData });
    if (!tool.output) return;
    const schema = z.fromJSONSchema(tool.output as z.core.JSONSchema.JSONSchema);
    for (const { data } of outputs) expect(z.safeParse(schema, JSON.parse(JSON.stringify(data))).error).toBeUndefined();
  },
);

/** Two toolsets may have a tool of the same name, so each is served alone. */
async function describe(toolset: string): Promise<ToolDescription[]> {
  const registry = await createRegistry({
    toolsets: chooseToolsets([toolset], openTestMachine()),
    version: '0.0.0',
    hides: ['overrides'],
    onInternalError: () => undefined,
  });
  return describeTools(registry);
}

test('MCP hosts see no choice of types and nothing that only refuses', async () => {
  const shown = (await Promise.all(FIXED_TOOLSETS.map(({ name }) => describe(name)))).flat().map(toMcpTool);
  expect(JSON.stringify(shown.map(({ inputSchema }) => inputSchema))).not.toMatch(
    /"(anyOf|oneOf|allOf|\$ref|minLength)"|"additionalProperties":false/,
  );
  const replace = shown.find(({ name }) => name === 'search_replace');
  expect(replace?.inputSchema.properties?.['files']).toMatchObject({ type: 'array', items: { type: 'string' } });
});

test('the toolsets jinn and codescout are refused together, and the error names both', async () => {
  const toolsets = chooseToolsets(['jinn', 'codescout']);
  const refused = createRegistry({ toolsets, version: '0.0.0', onInternalError: () => undefined });
  await expect(refused).rejects.toThrow('the toolsets jinn and codescout both have a tool named read_file');
});

test('codescout costs a conversation little, and hides what answers for the person', async () => {
  const listed = JSON.stringify((await describe('codescout')).map(toMcpTool));
  // A token has more than three characters of such text.
  expect(listed.length / 3).toBeLessThan(5_000);
  expect(listed).not.toContain('acknowledge_risk');
});

/** The tools of codescout as a host calls them, in one session. */
async function codescout(files: Record<string, string>) {
  const root = makeTempDirectory();
  makeTree(root, files);
  const toolsets = chooseToolsets(['codescout']);
  const registry = await createRegistry({ toolsets, version: '0.0.0', onInternalError: () => undefined });
  const surroundings = { ...openTestMachine({ root }), session: createSession() };
  return async (tool: string, args: object) => {
    const outcome = await registry.call({ tool, args }, surroundings);
    return outcome.ok ? JSON.parse(JSON.stringify(outcome.data)) : expect.fail(outcome.error.message);
  };
}

test('a symbol that is too long for an answer comes with its place and the beginning of its body', async () => {
  const body = `function f() {\n${'  f();\n'.repeat(10_000)}}\n`;
  const call = await codescout({ 'a.ts': `\n${body}` });
  const { symbols, overflow, output_id } = await call('find_symbol', { name_path: 'f', include_body: 'true' });
  expect(symbols).toMatchObject([{ name: 'f', file: 'a.ts', start_line: 2, end_line: 10_003 }]);
  expect(body.startsWith(symbols[0].body)).toBe(true);
  expect(overflow.hint).toContain('read_file with {"path":"a.ts","start_line":2,"end_line":10003}');
  expect(output_id).toMatch(/^@tool_/);
  const rest = await call('read_file', { path: 'a.ts', start_line: '2', end_line: '10003' });
  expect(rest.content).toBe(body);
});
