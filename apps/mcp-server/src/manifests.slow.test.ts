import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, expect, type TestContext, test } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import { PROGRAM } from './fixture/connect.ts';
import { installHosts, runHost } from './fixture/real-hosts.ts';

const ROOT = path.join(import.meta.dirname, '../../..');
const MCPB = path.join(ROOT, 'node_modules/@anthropic-ai/mcpb/dist/cli/cli.js');
const QUIET = { DISABLE_TELEMETRY: '1', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' };
const FETCH_MS = 5_000;
const findOrSkip = installHosts(['claude-code', 'gemini-cli']);

const CALLS = [
  {
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
  },
  { id: 2, method: 'tools/call', params: { name: 'read_file', arguments: { path: 'a.txt' } } },
  { id: 3, method: 'tools/call', params: { name: 'search_files', arguments: { pattern: 'o.e' } } },
];

let written: string;
let bundle: string;
let server: { packages: { fileSha256: string; identifier: string }[]; $schema: string };

beforeAll(() => {
  written = fs.mkdtempSync(path.join(os.tmpdir(), 'jinn-bundle-'));
  execFileSync(process.execPath, [path.join(ROOT, 'scripts/bundle-server.mjs'), written]);
  bundle = path.join(written, `jinn-mcp-${packageJson.version}.mcpb`);
  server = JSON.parse(fs.readFileSync(path.join(written, 'server.json'), 'utf8'));
});

afterAll(() => fs.rmSync(written, { recursive: true, force: true }));

/** Returns a home whose programs have jinn-mcp among them, and a project. */
function makeHome() {
  const home = makeTempDirectory();
  makeTree(home, { 'project/a.txt': 'one\n', 'bin/': '' });
  fs.symlinkSync(PROGRAM, path.join(home, 'bin/jinn-mcp'));
  const env = { ...QUIET, HOME: home, PATH: `${home}/bin:${process.env['PATH']}` };
  return { cwd: path.join(home, 'project'), env };
}

test('the bundle is one that mcpb takes, and its server runs where it is unpacked', () => {
  const unpacked = path.join(written, 'unpacked with a space');
  for (const args of [
    ['unpack', bundle, unpacked],
    ['validate', path.join(unpacked, 'manifest.json')],
  ])
    execFileSync(process.execPath, [MCPB, ...args], { stdio: 'pipe' });
  const { server: start, version } = JSON.parse(fs.readFileSync(path.join(unpacked, 'manifest.json'), 'utf8'));
  expect(version).toBe(packageJson.version);

  const { cwd, env } = makeHome();
  const values = { __dirname: unpacked, 'user_config.root': cwd };
  const args = start.mcp_config.args.map((arg: string) =>
    arg.replace(/\$\{(.*?)\}/g, (_, name: keyof typeof values) => values[name]),
  );
  const input = CALLS.map((call) => JSON.stringify({ jsonrpc: '2.0', ...call })).join('\n');
  const { stdout } = spawnSync(process.execPath, args, { cwd: '/', env, input, encoding: 'utf8' });
  const [first, ...others] = stdout.trim().split('\n');
  expect(JSON.parse(first ?? '')).toMatchObject({ result: { serverInfo: { version: packageJson.version } } });
  const texts = others.map((line) => JSON.parse(line).result.content[0].text);
  expect(texts).toEqual(['1\tone', expect.stringContaining('one')]);
});

test('server.json names the bundle by its hash, and no package that is not published', () => {
  const sha256 = createHash('sha256').update(fs.readFileSync(bundle)).digest('hex');
  expect(server).toMatchObject({ name: packageJson.mcpName, version: packageJson.version });
  expect(server.packages).toMatchObject([{ registryType: 'mcpb', fileSha256: sha256 }]);
  expect(server.packages[0]?.identifier).toContain(path.basename(bundle));
  expect(packageJson.private).toBe(true);
});

test('server.json obeys the schema that it names', async ({ skip }: TestContext) => {
  const answer = await fetch(server.$schema, { signal: AbortSignal.timeout(FETCH_MS) }).catch(() => undefined);
  if (!answer?.ok) return skip('the schema cannot be fetched');
  const ajv = new Ajv({ strict: false, validateFormats: false });
  ajv.validate(JSON.parse(await answer.text()), server);
  expect(ajv.errors).toBe(null);
});

test('Claude Code installs the plugin from a clone, and reaches its server', { timeout: 300_000 }, async (context) => {
  const claude = await findOrSkip('claude-code', context);
  const at = makeHome();
  const run = async (...args: string[]) => (await runHost(claude, args, at)).output;
  expect(await run('plugin', 'validate', ROOT)).toContain('Validation passed');
  expect(await run('plugin', 'validate', path.join(ROOT, 'packaging/claude-code'))).toContain('Validation passed');
  expect(await run('plugin', 'marketplace', 'add', ROOT)).toContain('Successfully added marketplace: jinn');
  expect(await run('plugin', 'install', 'jinn@jinn')).toContain('Successfully installed plugin');
  expect(await run('plugin', 'details', 'jinn')).toContain(`jinn ${packageJson.version}`);
  expect(await run('mcp', 'list')).toMatch(/plugin:jinn:jinn: .* Connected/);
});

test('Gemini CLI takes the extension from a clone, and reaches its server', { timeout: 300_000 }, async (context) => {
  const gemini = await findOrSkip('gemini-cli', context);
  const at = makeHome();
  const run = async (...args: string[]) => (await runHost(gemini, args, at)).output;
  expect(await run('extensions', 'validate', ROOT)).toContain('successfully validated');
  expect(await run('extensions', 'link', ROOT, '--consent')).toContain('linked successfully');
  expect(await run('extensions', 'list')).toContain(`jinn (${packageJson.version})`);
  expect(await run('mcp', 'list')).toMatch(/jinn \(from jinn\).*Connected/);
});
