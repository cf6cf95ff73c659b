import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { expect, onTestFinished, test } from 'vitest';
import { installHosts, type RealHost } from '../../apps/mcp-server/src/fixture/real-hosts.ts';
import { makeTempDirectory } from '../../packages/testkit/src/index.ts';

const SDK = path.resolve('packages/sdk');
const TSC = path.resolve('node_modules/typescript/bin/tsc');
const PAGE = fs.readFileSync('docs/integrations/bundlers.md', 'utf8');
const CALLS = `
  const jinn = createJinn({ root: process.env.PROJECT, sandbox: 'off', history: false });
  await jinn.call('write_file', { path: 'a.ts', content: 'export class Engine {}' });
  const { text } = await jinn.call('read_file', { path: 'a.ts', outline: true });
  const found = await jinn.call('search_files', { pattern: 'Eng(?=ine)' });
  await jinn.close();
  const seen = [text.includes('class Engine'), found.text.includes('a.ts')];`;
const AGENT = `import { createJinn } from 'jinn-sdk';\nasync function run() {${CALLS}\n  console.log(seen);\n}\nrun();\n`;
const REFUSED = /Error: jinn-sdk cannot be part of a bundle: mark jinn-sdk as external/;
const findOrSkip = installHosts(['esbuild', 'webpack', 'next', 'openai', 'anthropic', 'genai']);

/** Makes a project with the library, and with the packages that are installed at a place above it. */
function makeProject(above = makeTempDirectory()) {
  const root = fs.mkdtempSync(path.join(above, 'project-'));
  onTestFinished(() => fs.rmSync(root, { recursive: true }));
  for (const name of ['dist', 'package.json'])
    fs.cpSync(`${SDK}/${name}`, `${root}/node_modules/jinn-sdk/${name}`, { recursive: true });
  const write = (name: string, text: string) => {
    fs.mkdirSync(path.dirname(`${root}/${name}`), { recursive: true });
    fs.writeFileSync(`${root}/${name}`, text);
  };
  write('package.json', '{ "private": true, "type": "module" }');
  write('agent.js', AGENT);
  return { root, write };
}

const environment = () => ({ PATH: process.env['PATH'], HOME: makeTempDirectory(), PROJECT: makeTempDirectory() });

function runBundle(file: string): { readonly stdout: string; readonly stderr: string } {
  return spawnSync(process.execPath, [file], { env: environment(), encoding: 'utf8', timeout: 60_000 });
}

const topOf = (file: string) => file.slice(0, file.lastIndexOf('/node_modules/'));

/** Returns the code of the page about a bundler. */
function codeOf(name: string): string {
  const [, code = ''] = new RegExp(`^\`\`\`\\w+ ${name}\\n(.*?)^\`\`\`$`, 'ms').exec(PAGE) ?? [];
  return code;
}

test.for(['esm', 'cjs'] as const)('esbuild: %s', { timeout: 600_000 }, async (format, context) => {
  const module = await findOrSkip('esbuild', context);
  const { build } = createRequire(import.meta.url)(module);
  const { root } = makeProject();
  const extension = format === 'esm' ? 'mjs' : 'cjs';
  const bundle = async (name: string, external: readonly string[]) => {
    const outfile = `${root}/${name}.${extension}`;
    await build({
      entryPoints: [`${root}/agent.js`],
      outfile,
      external,
      format,
      bundle: true,
      platform: 'node',
      logLevel: 'error',
    });
    return runBundle(outfile);
  };
  expect(codeOf('esbuild')).toContain('--external:jinn-sdk');
  expect(await bundle('marked', ['jinn-sdk'])).toMatchObject({ stdout: '[ true, true ]\n', stderr: '' });
  expect((await bundle('whole', [])).stderr).toMatch(REFUSED);
});

test.for(['esm', 'cjs'] as const)('rolldown: %s', { timeout: 600_000 }, async (format) => {
  const { root } = makeProject();
  const bundle = async (name: string, external: readonly RegExp[]) => {
    const dir = `${root}/${name}`;
    const made = await rolldown({ input: `${root}/agent.js`, cwd: root, platform: 'node', external: [...external] });
    const extension = format === 'esm' ? 'mjs' : 'cjs';
    await made.write({ dir, format, entryFileNames: `a.${extension}`, chunkFileNames: `[hash].${extension}` });
    await made.close();
    return runBundle(`${dir}/a.${extension}`);
  };
  expect(codeOf('rolldown')).toContain('external: [/^jinn-sdk/]');
  expect(await bundle('marked', [/^jinn-sdk/])).toMatchObject({ stdout: '[ true, true ]\n', stderr: '' });
  expect((await bundle('whole', [])).stderr).toMatch(REFUSED);
});

test('webpack', { timeout: 600_000 }, async (context) => {
  const module = await findOrSkip('webpack', context);
  const { root, write } = makeProject();
  write('webpack.config.mjs', codeOf('webpack'));
  const { default: config } = await import(`${root}/webpack.config.mjs`);
  const webpack = createRequire(import.meta.url)(module);
  const stats = await promisify(webpack)({
    ...config,
    context: root,
    mode: 'production',
    output: { ...config.output, path: root },
  });
  expect(stats.compilation.errors).toEqual([]);
  expect(runBundle(`${root}/bundle.mjs`)).toMatchObject({ stdout: '[ true, true ]\n', stderr: '' });
});

test('Next.js', { timeout: 600_000 }, async (context) => {
  const next = await findOrSkip('next', context);
  const { root, write } = makeProject(topOf(next));
  write('next.config.mjs', codeOf('next'));
  const page = "createElement('html', null, createElement('body', null, children))";
  const layout = `export default function Layout({ children }) { return ${page}; }`;
  write('app/layout.js', `import { createElement } from 'react';\n${layout}`);
  const route = `export async function GET() {${CALLS}\n  return Response.json(seen);\n}\n`;
  write(
    'app/tools/route.js',
    `import { createJinn } from 'jinn-sdk';\nexport const dynamic = 'force-dynamic';\n${route}`,
  );
  const env = { ...environment(), NEXT_TELEMETRY_DISABLED: '1' };
  await promisify(execFile)(process.execPath, [next, 'build'], { cwd: root, env, timeout: 400_000 });
  const server = spawn(process.execPath, [next, 'start', '--port', '0'], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void server.kill());
  const response = await fetch(`${await addressOf(server)}/tools`);
  expect(await response.json()).toEqual([true, true]);
});

async function addressOf({ stdout }: ChildProcess): Promise<string> {
  let said = '';
  for await (const chunk of stdout ?? []) {
    said += chunk;
    const [address] = /http:\/\/localhost:[1-9]\d+/.exec(said) ?? [];
    if (address !== undefined && said.includes('Ready')) return address;
  }
  throw new Error(`the server did not start: ${said}`);
}

const TYPES = `
import type Anthropic from '@anthropic-ai/sdk';
import type { FunctionDeclaration } from '@google/genai';
import { createJinn } from 'jinn-sdk';
import type OpenAI from 'openai';

const jinn = createJinn({ root: '.' });
export const anthropic: Anthropic.Tool[] = await jinn.tools('anthropic');
export const openai: OpenAI.ChatCompletionTool[] = await jinn.tools('openai', { strict: true });
export const responses: OpenAI.Responses.Tool[] = await jinn.tools('openai-responses');
export const gemini: FunctionDeclaration[] = await jinn.tools('gemini');

export async function toAnthropic({ content }: Anthropic.Message): Promise<Anthropic.MessageParam> {
  const calls = content.filter((block) => block.type === 'tool_use');
  return { role: 'user', content: await Promise.all(calls.map((call) => jinn.answer(call))) };
}
export function toOpenAi({ tool_calls = [] }: OpenAI.ChatCompletionMessage): Promise<OpenAI.ChatCompletionMessageParam[]> {
  return Promise.all(tool_calls.filter((call) => call.type === 'function').map((call) => jinn.answer(call)));
}
export function toResponses(output: OpenAI.Responses.ResponseOutputItem[]): Promise<OpenAI.Responses.ResponseInputItem[]> {
  return Promise.all(output.filter((item) => item.type === 'function_call').map((call) => jinn.answer(call)));
}
`;

test('tools and answers have the types of the packages of the APIs', { timeout: 600_000 }, async (context) => {
  const { root, write } = makeProject();
  const packages: readonly (readonly [RealHost, string])[] = [
    ['openai', 'openai'],
    ['anthropic', '@anthropic-ai/sdk'],
    ['genai', '@google/genai'],
  ];
  for (const [host, name] of packages) {
    const modules = `${topOf(await findOrSkip(host as 'openai', context))}/node_modules`;
    fs.mkdirSync(path.dirname(`${root}/node_modules/${name}`), { recursive: true });
    fs.symlinkSync(`${modules}/${name}`, `${root}/node_modules/${name}`);
  }
  write('types.ts', TYPES);
  const flags = [
    '--ignoreConfig',
    '--strict',
    '--noEmit',
    '--skipLibCheck',
    '--module',
    'nodenext',
    '--target',
    'es2022',
  ];
  const more = [
    '--lib',
    'es2022,esnext.disposable',
    '--types',
    'node',
    '--typeRoots',
    path.resolve('node_modules/@types'),
  ];
  const { stdout } = spawnSync(process.execPath, [TSC, ...flags, ...more, 'types.ts'], { cwd: root, encoding: 'utf8' });
  expect(stdout).toBe('');
});
