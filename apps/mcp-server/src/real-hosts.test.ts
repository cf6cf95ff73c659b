import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { PROGRAM } from './fixture/connect.ts';
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
const HOSTS: Readonly<Record<RealHost, (setting: Setting) => Given>> = {
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
};

const LINES = 3_000;
const SCRIPT = [
  { tool: 'write_file', args: { path: 'new.txt', content: 'made by the host\n' } },
  { tool: 'read_file', args: { path: 'long.txt' } },
  { tool: 'edit_file', args: { path: 'new.txt', old_text: 'made', new_text: 'changed', if_version: 'not-this-one' } },
];

test.for(Object.keys(HOSTS) as RealHost[])(
  '%s calls the server that was installed for it',
  { timeout: 420_000 },
  async (host, context) => {
    const program = findHost(host, MAY_INSTALL);
    if (program === undefined)
      return context.skip(`${host} could not be installed, or CI and JINN_REAL_HOSTS are not set`);
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
