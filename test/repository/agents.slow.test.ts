import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { rolldown } from 'rolldown';
import { expect, onTestFinished, test } from 'vitest';
import { installHosts } from '../../apps/mcp-server/src/fixture/real-hosts.ts';
import { makeTempDirectory } from '../../packages/testkit/src/index.ts';

const FOLDER = path.resolve('examples/agents/typescript');
const TSC = path.resolve('node_modules/typescript/bin/tsc');

interface RunOptions {
  /** A module that is run before the example. */
  readonly preload?: string;
  /** Where Node also looks for packages. */
  readonly NODE_PATH?: string;
}

/** Runs an example as a reader would, on any Node that jinn supports, without a key. */
async function run(name: string, said: string, { preload, NODE_PATH }: RunOptions = {}) {
  const cache = path.join(FOLDER, 'node_modules/.cache');
  fs.mkdirSync(cache, { recursive: true });
  const dir = fs.mkdtempSync(`${cache}/agent-`);
  onTestFinished(() => fs.rmSync(dir, { recursive: true }));
  const bundle = await rolldown({
    input: { [name]: path.join(FOLDER, `${name}.ts`), ...(preload && { preload: path.join(FOLDER, preload) }) },
    platform: 'node',
    external: /^[\w@]/,
  });
  await bundle.write({ dir, format: 'esm', entryFileNames: '[name].mjs' });
  const home = makeTempDirectory();
  fs.writeFileSync(`${home}/README.md`, 'old text\n');
  const { PATH } = process.env;
  const args = [...(preload ? ['--import', `${dir}/preload.mjs`] : []), `${dir}/${name}.mjs`];
  const options = {
    cwd: home,
    env: { PATH, HOME: home, TMPDIR: home, NODE_PATH },
    input: said,
    encoding: 'utf8',
    timeout: 200_000,
  } as const;
  const { stdout, stderr, status } = spawnSync(process.execPath, args, options);
  const [, root = home] = /^project: (.*)$/m.exec(stdout) ?? [];
  return { stdout, stderr, status, root };
}

const AGENTS = ['ai-sdk', 'openai-agents', 'langchain', 'deepagents', 'mastra', 'messages'];

function expectMended({ stdout, stderr, status, root }: Awaited<ReturnType<typeof run>>): void {
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/rm -rf build.*yes or no\?\n.*The tests pass, and build is gone\.\n$/s);
  expect(fs.readFileSync(`${root}/mean.mjs`, 'utf8')).toContain('/ (numbers.length || 1)');
  expect(fs.existsSync(`${root}/build`)).toBe(false);
}

test.for(AGENTS)(
  '%s mends the project from the script, and asks before it removes a directory',
  { timeout: 240_000 },
  async (name) => expectMended(await run(name, 'yes\n')),
);

const findOrSkip = installHosts(['claude-code']);

test('claude-agent does, too, with the real program of Claude Code', { timeout: 420_000 }, async (context) => {
  const program = await findOrSkip('claude-code', context);
  const NODE_PATH = makeTempDirectory();
  fs.mkdirSync(`${NODE_PATH}/@anthropic-ai`);
  // As the SDK brings it: the workspace leaves it out for its size.
  const brought = `${NODE_PATH}/@anthropic-ai/claude-agent-sdk-${process.platform}-${process.arch}`;
  fs.symlinkSync(path.dirname(program), brought);
  expectMended(await run('claude-agent', 'yes\n', { NODE_PATH }));
  const { status, root } = await run('claude-agent', '', { NODE_PATH });
  expect([status, fs.existsSync(`${root}/build`)]).toEqual([0, true]);
});

test.for(AGENTS)('%s removes nothing where the person says nothing', { timeout: 240_000 }, async (name) => {
  const { status, root } = await run(name, '');
  expect([status, fs.existsSync(`${root}/build`)]).toEqual([0, true]);
});

test('the agent of ten lines works, and goes on where a command is refused', { timeout: 240_000 }, async () => {
  const { stdout, stderr, status } = await run('ten-lines', '', { preload: 'scripted-provider.ts' });
  expect([status, stderr, stdout]).toEqual([0, '', 'a directory with README.md\n']);
});

test('the examples type-check', { timeout: 240_000 }, () => {
  const { stdout, status } = spawnSync(process.execPath, [TSC, '-p', FOLDER], { encoding: 'utf8' });
  expect([status, stdout]).toEqual([0, '']);
});

test('the page for TypeScript shows the code of the examples', () => {
  const page = fs.readFileSync('docs/integrations/typescript.md', 'utf8');
  const blocks = [...page.matchAll(/^```ts ([\w-]+)\n(.*?)^```$/gms)];
  const names = [...AGENTS, 'ten-lines', 'calls', 'approve', 'claude-agent'];
  expect(new Set(blocks.map(([, name]) => name))).toEqual(new Set(names));
  for (const [, name, code = ''] of blocks) {
    // The page leaves out the own files of the examples, and the model that speaks from a script.
    const example = fs.readFileSync(`${FOLDER}/${name}.ts`, 'utf8').replace(' fakeModel,', '');
    const [imports = '', rest = ''] = /^((?:import .*\n)*)\n?(.*)$/s.exec(code)?.slice(1) ?? [];
    for (const line of imports.trimEnd().split('\n')) expect(example).toContain(line);
    expect(example).toContain(rest);
  }
  const { exports } = JSON.parse(fs.readFileSync('packages/sdk/package.json', 'utf8'));
  for (const name of Object.keys(exports)) expect(page).toContain(` from 'jinn-sdk${name.slice(1)}';`);
});

test.for([
  ['calls', /one new line.*notes\.txt.*file_not_found/s],
  ['approve', /Run this command\?.*command_blocked/s],
] as const)('the code for %s by hand works', { timeout: 240_000 }, async ([name, expected]) => {
  const { stdout, stderr, status } = await run(name, '');
  expect([status, stderr, stdout]).toEqual([0, '', expect.stringMatching(expected)]);
});
