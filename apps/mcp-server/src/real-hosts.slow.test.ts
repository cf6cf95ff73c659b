import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { PROGRAM } from './fixture/connect.ts';
import { listen } from './fixture/listen.ts';
import { installHosts, runHost } from './fixture/real-hosts.ts';
import { type StandIn, startStandIn } from './fixture/stand-in.ts';
import { HOSTS, TOKEN_VARIABLE } from './install/hosts.ts';

const PROGRAMS = [
  'claude-code',
  'claude-code-2.1.197',
  'codex',
  'gemini-cli',
  'opencode',
  'goose',
  'cline',
  'vscode',
] as const;
const findOrSkip = installHosts(PROGRAMS);

interface Setting {
  readonly cwd: string;
  readonly home: string;
  readonly url: string;
}

interface Given {
  readonly env: Readonly<Record<string, string>>;
  readonly args: readonly string[];
}

interface Driven {
  /** The name that install knows the host by. */
  readonly name: string;
  readonly program: (typeof PROGRAMS)[number];
  /** Points the host at the stand-in; it is asked for one answer. */
  setUp(setting: Setting): Given;
}

const claudeCode = ({ url, cwd }: Setting): Given => ({
  env: {
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'none',
    DISABLE_TELEMETRY: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  },
  args: ['-p', 'go', '--mcp-config', `${cwd}/.mcp.json`, '--strict-mcp-config', '--allowedTools', 'mcp__jinn'],
});

const DRIVEN: readonly Driven[] = [
  { name: 'claude-code', program: 'claude-code', setUp: claudeCode },
  // It speaks the last revision with a handshake, the other one the stateless revision.
  { name: 'claude-code', program: 'claude-code-2.1.197', setUp: claudeCode },
  {
    name: 'codex',
    program: 'codex',
    setUp: ({ url, home }) => {
      const provider = `model_providers.x={name="x",base_url="${url}/v1",env_key="KEY",wire_api="responses",supports_websockets=false}`;
      const args = ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', '-m', 'gpt-5'];
      return {
        env: { KEY: 'none', CODEX_HOME: `${home}/.codex` },
        args: [...args, '-c', provider, '-c', 'model_provider="x"', 'go'],
      };
    },
  },
  {
    name: 'gemini-cli',
    program: 'gemini-cli',
    setUp: ({ url, home }) => {
      const security = { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } };
      makeTree(home, { '.gemini/settings.json': JSON.stringify({ security }) });
      return {
        env: { GEMINI_API_KEY: 'none', GOOGLE_GEMINI_BASE_URL: url },
        args: ['-p', 'go', '--yolo', '-m', 'gemini-2.5-pro'],
      };
    },
  },
  {
    name: 'opencode',
    program: 'opencode',
    setUp: ({ url, home }) => {
      const config = { provider: { anthropic: { options: { baseURL: `${url}/v1`, apiKey: 'none' } } } };
      makeTree(home, { '.config/opencode/opencode.json': JSON.stringify(config) });
      return {
        env: { OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' },
        args: ['run', '-m', 'anthropic/claude-sonnet-4-5', 'go'],
      };
    },
  },
  {
    name: 'goose',
    program: 'goose',
    setUp: ({ url }) => ({
      env: {
        GOOSE_PROVIDER: 'openai',
        GOOSE_MODEL: 'gpt-4o',
        GOOSE_MODE: 'auto',
        GOOSE_DISABLE_KEYRING: '1',
        OPENAI_API_KEY: 'none',
        OPENAI_HOST: url,
      },
      args: ['run', '--no-session', '-t', 'go'],
    }),
  },
  {
    name: 'cline-cli',
    program: 'cline',
    setUp: ({ url, home }) => {
      const provider = 'openai-compatible';
      const settings = { provider, apiKey: 'none', model: 'stand-in', baseUrl: `${url}/v1` };
      const updatedAt = new Date().toISOString();
      const providers = { [provider]: { settings, updatedAt, tokenSource: 'manual' } };
      const content = JSON.stringify({ version: 1, lastUsedProvider: provider, modes: {}, providers });
      makeTree(home, { '.cline/data/settings/providers.json': content });
      return { env: CLINE, args: ['--json', '--auto-approve', 'true', 'go on'] };
    },
  },
];
/** Without this, Cline leaves a process behind that serves its sessions. */
const CLINE = { CLINE_SESSION_BACKEND_MODE: 'local', CLINE_NO_AUTO_UPDATE: '1' };

const LINES = 3_000;
const WROTE = /wrote 17 bytes to new\.txt/;
const SCRIPT = [
  { tool: 'write_file', args: { path: 'new.txt', content: 'made by the host\n' } },
  { tool: 'read_file', args: { path: 'long.txt' } },
  { tool: 'edit_file', args: { path: 'new.txt', old_text: 'made', new_text: 'changed', if_version: 'not-this-one' } },
];

test.for(DRIVEN)(
  '$program calls the server that was installed for it',
  { timeout: 420_000 },
  async (driven, context) => {
    const { name, setUp } = driven;
    const program = await findOrSkip(driven.program, context);
    const { home, cwd, env } = makeSetting();
    makeTree(cwd, { 'long.txt': Array.from({ length: LINES }, (_, i) => `line ${i + 1} of the long file\n`).join('') });
    install(name, { cwd, env });

    const standIn = await startStandIn(SCRIPT);
    const { args, env: more } = setUp({ cwd, home, url: standIn.url });
    const { output } = await runHost(program, args, { cwd, env: { ...env, ...more } });
    expectServed(standIn, output);
    expect(fs.readFileSync(`${cwd}/new.txt`, 'utf8')).toBe('made by the host\n');
  },
);

test.for(DRIVEN.filter(({ name, program }) => HOSTS[name]?.remote && program !== 'claude-code-2.1.197'))(
  '$program calls a server over HTTP that was installed for it',
  { timeout: 420_000 },
  async (driven, context) => {
    const { name, setUp } = driven;
    const program = await findOrSkip(driven.program, context);
    const { home, cwd, env } = makeSetting();
    const variables = { ...env, ...(HOSTS[name]?.readsToken && { [TOKEN_VARIABLE]: 'a-token-of-the-tests' }) };
    const served = await listen({ variables });
    install(name, { cwd, env: variables }, '--http', served.url.href);
    const standIn = await startStandIn(SCRIPT.slice(0, 1));
    const { args, env: more } = setUp({ cwd, home, url: standIn.url });
    const { output } = await runHost(program, args, { cwd, env: { ...variables, ...more } });
    expect([standIn.results(), output.slice(-2_000)]).toEqual([[expect.stringMatching(WROTE)], expect.any(String)]);
    expect(fs.readFileSync(`${served.cwd}/new.txt`, 'utf8')).toBe('made by the host\n');
  },
);

function makeSetting() {
  const home = fs.realpathSync(makeTempDirectory());
  const cwd = `${home}/project`;
  makeTree(home, { 'project/': '' });
  return { home, cwd, env: { HOME: home, XDG_CONFIG_HOME: `${home}/.config` } };
}

/** Returns the file that was written. */
function install(name: string, at: { cwd: string; env: Record<string, string> }, ...flags: string[]): string {
  const installed = spawnSync(process.execPath, [PROGRAM, 'install', name, ...flags], { ...at, encoding: 'utf8' });
  expect([installed.status, installed.stderr]).toEqual([0, '']);
  return /: (\/.*)\n/.exec(installed.stdout)?.[1] ?? '';
}

/** The host offered the tools, and passed all of each answer on to the model. */
function expectServed(standIn: StandIn, output: string): void {
  const [wrote = '', read = '', refused = ''] = standIn.results();
  expect([standIn.results().length, output.slice(-2_000)]).toEqual([SCRIPT.length, expect.any(String)]);
  expect(standIn.tools().some((name) => name.endsWith('read_file'))).toBe(true);
  expect(wrote).toMatch(WROTE);
  expect(refused).toContain('stale_file');
  const [, last, next] = /\[Showing lines 1-(\d+) of 3000\. Use start_line=(\d+) to continue\.\]/.exec(read) ?? [];
  expect(Number(next)).toBe(Number(last) + 1);
  const lines = read.match(/^ *\d+\t.*$/gm) ?? [];
  expect(lines).toHaveLength(Number(last));
  for (const [i, line] of lines.entries()) expect(line.trimStart()).toBe(`${i + 1}\tline ${i + 1} of the long file`);
}

test('cline lists the server of the file of its extension', { timeout: 420_000 }, async (context) => {
  const program = await findOrSkip('cline', context);
  for (const flags of [[], ['--http', 'http://127.0.0.1:7337/mcp']]) {
    const { cwd, env } = makeSetting();
    const file = install('cline', { cwd, env }, ...flags);
    const { stdout } = await runHost(program, ['config', 'mcp'], {
      cwd,
      env: { ...env, ...CLINE, CLINE_MCP_SETTINGS_PATH: file },
    });
    expect(stdout).toMatch(flags.length > 0 ? /^ *jinn \[streamableHttp\]$/m : /^ *jinn \[stdio\]$/m);
  }
});

test('the file for VS Code is what its own schema says', { timeout: 420_000 }, async (context) => {
  const module = await findOrSkip('vscode', context);
  const { mcpServerSchema } = await import(module);
  const { default: Ajv } = createRequire(module)('ajv');
  // Some keywords and formats are the editor's own.
  const validate = new Ajv({ strict: false, validateFormats: false }).compile({ ...mcpServerSchema, id: undefined });
  for (const flags of [[], ['--http', 'https://tools.example.org/mcp']]) {
    const config = JSON.parse(fs.readFileSync(install('vscode', makeSetting(), ...flags), 'utf8'));
    expect([validate(config), validate.errors]).toEqual([true, null]);
    expect(validate({ servers: { jinn: { ...config.servers.jinn, type: 'other' } } })).toBe(false);
  }
});

/** VS Code takes servers over from these hosts, so that it reads their files as they do. */
const TAKEN_OVER = [
  ['claude-desktop', 'ClaudeDesktopMpcDiscoveryAdapter'],
  ['cursor', 'CursorDesktopMpcDiscoveryAdapter'],
  ['windsurf', 'WindsurfDesktopMpcDiscoveryAdapter'],
] as const;
/** Nothing on npm reads these files or has a schema of them. */
const NOT_ON_NPM = ['zed'];

test('the file of each host is checked by a program, unless none can be had', () => {
  const checked = [...DRIVEN.map(({ name }) => name), 'cline', 'vscode', ...TAKEN_OVER.map(([name]) => name)];
  expect(new Set([...checked, ...NOT_ON_NPM])).toEqual(new Set(Object.keys(HOSTS)));
});

const DISCOVERY = '@codingame/monaco-vscode-mcp-service-override/vscode/src/vs/workbench/contrib/mcp/common/discovery';

test.for(TAKEN_OVER)(
  'VS Code, which takes over the servers of %s, finds this one',
  { timeout: 420_000 },
  async ([name, adapter], context) => {
    const module = await findOrSkip('vscode', context);
    const modules = `${module.slice(0, module.indexOf('/node_modules/@codingame'))}/node_modules`;
    const { [adapter]: Adapter } = await import(`${modules}/${DISCOVERY}/nativeMcpDiscoveryAdapters.js`);
    const base = `${modules}/@codingame/monaco-vscode-api/vscode/src/vs/base/common`;
    const { URI } = await import(`${base}/uri.js`);
    const { Platform } = await import(`${base}/platform.js`);
    const platform = process.platform === 'darwin' ? Platform.Mac : Platform.Linux;
    const { home, cwd, env } = makeSetting();
    const file = install(name, { cwd, env });
    const homedir = URI.file(name === 'cursor' ? cwd : home);
    const reader = new Adapter(null);
    expect(reader.getFilePath({ platform, homedir, xdgHome: URI.file(env.XDG_CONFIG_HOME) }).fsPath).toBe(file);
    const [server] = await reader.adaptFile(fs.readFileSync(file, 'utf8'), { homedir });
    const { command, args } = server.launch;
    expect([server.label, command, args[0]]).toEqual(['jinn', process.execPath, PROGRAM]);
  },
);
