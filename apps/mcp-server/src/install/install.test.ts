import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { makeTree } from '@jinn/testkit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PROGRAM } from '../fixture/connect.ts';
import {
  expectRegistered,
  expectTakenOut,
  expectUrlTaken,
  filesBelow,
  HOST_OF_EACH_FORMAT,
  scene,
} from '../fixture/install-scene.ts';
import { getEntry, removeEntry, setEntry } from './config-file.ts';

const JSON_KIND = { format: 'json', key: 'mcpServers' } as const;
const TOML_KIND = { format: 'toml', key: 'mcp_servers' } as const;
const YAML_KIND = { format: 'yaml', key: 'extensions' } as const;
const ENTRY = { command: 'x', args: ['a "b"'] };
const INVALID = Buffer.from('{"a":"\xe9"}', 'latin1');

test.each(HOST_OF_EACH_FORMAT)('registers with %s, once, and what it writes starts the server', expectRegistered);

test.each(HOST_OF_EACH_FORMAT)('takes the registration with %s out again', expectTakenOut);

test.each(HOST_OF_EACH_FORMAT)('%s takes a server by its URL, or says that it does not', expectUrlTaken);

test('registers a choice of toolsets, and names the lean one where none was chosen', async () => {
  const { cwd, install } = scene();
  expect((await install('cursor')).stdout).toContain('jinn-mcp install cursor --toolset lean\n');
  expect((await install('cursor', '--toolset', 'lean,custom')).stdout).not.toContain('--toolset');
  const { args } = JSON.parse(fs.readFileSync(`${cwd}/.cursor/mcp.json`, 'utf8')).mcpServers.jinn;
  expect(args).toEqual(expect.arrayContaining(['--toolset', 'lean,custom']));
  expect(await install('cursor', '--toolset', 'lan')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('unknown toolset: lan. The toolsets are jinn, lean'),
  });
  expect((await install('cursor', '--toolset', 'lean', '--http', 'http://127.0.0.1:7337/mcp')).stderr).toContain(
    '--toolset is for the server that listens',
  );
});

test('a dry run shows the file and writes nothing', async () => {
  const { home, install } = scene();
  const { stdout } = await install('cursor', '--dry-run');
  expect(stdout).toMatch(/\.cursor\/mcp\.json would be:\n\{\n {2}"mcpServers"/);
  expect(filesBelow(home)).toEqual([]);
});

test('keeps what was there, comments too, and a copy of the file under a name that is free', async () => {
  const before =
    '// mine\n{\n\t"theme": "dark", // keep\n\t"context_servers": {\n\t\t// other\n\t\t"other": { "command": "o" }\n\t},\n}\n';
  const { home, install } = scene({ '.config/zed/settings.json': before, '.config/zed/settings.json.bak': 'older' });
  const { stdout } = await install('zed', '--', '--read-only');
  const file = `${home}/.config/zed/settings.json`;
  expect(stdout).toContain(`as it was before: ${file}.bak2`);
  expect(fs.readFileSync(`${file}.bak2`, 'utf8')).toBe(before);
  expect(fs.readFileSync(`${file}.bak`, 'utf8')).toBe('older');
  const after = fs.readFileSync(file, 'utf8');
  for (const part of ['// mine', '"theme": "dark", // keep', '// other\n\t\t"other": {', '--read-only']) {
    expect(after).toContain(part);
  }
});

test('changes the entry that is there, keeps the mode of the file, and follows a link to it', async () => {
  const { home, install } = scene({
    'dotfiles/config.toml': '[mcp_servers.jinn]\ncommand = "old"\n\n# next\n[other]\na = 1\n',
  });
  fs.mkdirSync(`${home}/.codex`);
  fs.chmodSync(`${home}/dotfiles/config.toml`, 0o640);
  fs.symlinkSync('../dotfiles/config.toml', `${home}/.codex/config.toml`);
  expect((await install('codex')).status).toBe(0);
  const file = `${home}/dotfiles/config.toml`;
  expect(fs.readFileSync(file, 'utf8')).toMatch(
    /^\[mcp_servers\.jinn\]\ncommand = "[^\n]*"\nargs = \[[^\n]*\]\n\n# next\n\[other\]\na = 1\n$/,
  );
  expect(fs.statSync(file).mode & 0o777).toBe(0o640);
  expect(fs.lstatSync(`${home}/.codex/config.toml`).isSymbolicLink()).toBe(true);
});

test.each([
  ['a link to a file', { 'project/.cursor/mcp.json': { symlink: '../../.bashrc' } }],
  ['a link to nothing', { 'project/.cursor/mcp.json': { symlink: '../../.bash_login' } }],
  ['a link to a directory', { 'project/.cursor': { symlink: '../.config' } }],
])('writes to no place outside of the project behind %s', async (_, files) => {
  const { home, install, uninstall } = scene({ '.bashrc': '{}', '.config/': '', ...files });
  for (const change of [install, uninstall])
    expect((await change('cursor')).stderr).toMatch(/ is a link (?:out of|to)/);
  expect([fs.readdirSync(home).sort(), fs.readdirSync(`${home}/.config`)]).toEqual([
    ['.bashrc', '.config', 'project'],
    [],
  ]);
  expect(fs.readFileSync(`${home}/.bashrc`, 'utf8')).toBe('{}');
});

test('status runs nothing that a project names, and sends it no token', async () => {
  const { home, cwd, env } = scene();
  const heard: unknown[] = [];
  const server = http.createServer((request, response) => {
    heard.push(request.headers.authorization);
    response.end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const touch = { command: 'touch', args: [`${home}/evil`] };
  const preload = { command: process.execPath, args: [PROGRAM], env: { NODE_OPTIONS: `--require ${cwd}/evil.cjs` } };
  const flagged = { command: 'jinn-mcp', args: ['--audit-log', `${home}/evil`] };
  makeTree(cwd, {
    'evil.cjs': `require('node:fs').writeFileSync(${JSON.stringify(`${home}/evil`)}, '')`,
    '.mcp.json': JSON.stringify({ mcpServers: { jinn: touch } }),
    '.gemini/settings.json': JSON.stringify({ mcpServers: { jinn: { httpUrl: `http://127.0.0.1:${port}/mcp` } } }),
    '.cursor/mcp.json': JSON.stringify({ mcpServers: { jinn: preload } }),
    '.vscode/mcp.json': JSON.stringify({ servers: { jinn: flagged } }),
  });
  const options = { cwd, env: { ...env, JINN_MCP_TOKEN: 'x'.repeat(32) } };
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, 'status'], options);
  server.close();
  for (const host of ['claude-code', 'gemini-cli']) {
    expect(stdout).toMatch(new RegExp(`^${host} +registered, but not started, since the project names another`, 'm'));
  }
  for (const host of ['cursor', 'vscode']) {
    expect(stdout).toMatch(new RegExp(`^${host} +registered, and starts as version`, 'm'));
  }
  expect([heard, fs.existsSync(`${home}/evil`)]).toEqual([[], false]);
});

test('is registered by its name where that is on the PATH, in files that go with a project', () => {
  const { home, cwd, env } = scene();
  fs.mkdirSync(`${home}/bin`);
  fs.symlinkSync(PROGRAM, `${home}/bin/jinn-mcp`);
  const path = { ...env, PATH: `${home}/bin:${env.PATH}` };
  const print = (host: string) =>
    execFileSync('jinn-mcp', ['install', host, '--print'], { cwd, env: path, encoding: 'utf8' });
  expect(JSON.parse(print('claude-code'))).toEqual({ mcpServers: { jinn: { command: 'jinn-mcp', args: [] } } });
  expect(JSON.parse(print('windsurf')).mcpServers.jinn.command).toBe(process.execPath);
});

test.each([
  ['nope', {}, 'unknown host: nope. The hosts are claude-code, '],
  ['cursor', { 'project/.cursor/mcp.json': '{"mcpServers":' }, 'was left as it is: it is not JSON: '],
  ['cursor', { 'project/.cursor/mcp.json': '[]' }, 'it is not a JSON object'],
  ['cursor', { 'project/.cursor/mcp.json': '{"mcpServers":[]}' }, 'its mcpServers is not an object'],
  ['cursor', { 'project/.cursor/mcp.json': '{"mcpServers":null}' }, 'its mcpServers is not an object'],
  ['goose', { '.config/goose/config.yaml': 'a: [' }, 'it is not YAML: '],
  ['goose', { '.config/goose/config.yaml': '- a\n' }, 'it is not a YAML mapping'],
  ['goose', { '.config/goose/config.yaml': 'extensions: 3\n' }, 'its extensions is not a mapping'],
  ['codex', { '.codex/config.toml': 'mcp_servers = 1\n' }, 'its mcp_servers is not an object'],
  ['codex', { '.codex/config.toml': 'a = \n' }, 'it is not TOML: '],
  ['codex', { '.codex/config.toml': 'a = 1\na = 2\n' }, 'it is not TOML: '],
])('leaves alone what it does not understand: %s with %j', async (host, files, message) => {
  const { home, install } = scene(files);
  const { status, stderr } = await install(host);
  expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
  for (const [name, text] of Object.entries(files)) expect(fs.readFileSync(path.join(home, name), 'utf8')).toBe(text);
});

const KINDS = { json: JSON_KIND, toml: TOML_KIND, yaml: YAML_KIND };

test('setting an entry twice is setting it once, and changes nothing else of any JSON', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.constantFrom(undefined, 2, '\t'),
      fc.boolean(),
      (top, servers, space, isWindows) => {
        const before = { ...top, mcpServers: servers };
        const text = JSON.stringify(before, null, space).replaceAll('\n', isWindows ? '\r\n' : '\n');
        const once = setEntry(text, JSON_KIND, ENTRY);
        expect(setEntry(once, JSON_KIND, ENTRY)).toBe(once);
        expect(JSON.parse(once)).toEqual(
          JSON.parse(JSON.stringify({ ...before, mcpServers: { ...servers, jinn: ENTRY } })),
        );
        const { jinn: _, ...others } = servers;
        expect(JSON.parse(removeEntry(once, JSON_KIND))).toEqual(
          JSON.parse(JSON.stringify({ ...before, mcpServers: others })),
        );
      },
    ),
  );
});

const NEIGHBORS: [keyof typeof KINDS, string, string][] = [
  ['json', '// a\n{\n\t"x": 1, // keep\n\t"mcpServers": {', '\n\t\t"o": {"command":   "o"}, // two\n\t},\n}\n'],
  ['json', '{"mcpServers": {"o": { "a":[1,\n 2 ] }', '}}'],
  ['json', '{\r\n  "mcpServers": {\r\n    "o": {\r\n      "a": [1,2]\r\n    }', '\r\n  }\r\n}'],
  ['json', '{\n  "mcpServers": {\n    // none yet', '\n  }\n}\n'],
  ['json', '{\n    "other":   {}', '\n}\n'],
  ['toml', 'a   = 1 # one\n[mcp_servers.o]\nx = [\n  1, # two\n]\n', ''],
  ['toml', 's = """\n[mcp_servers.jinn]\n"""\r\n', ''],
  ['toml', 'notes = \x27\x27\x27\n[mcp_servers.jinn]\ncommand = 1\n\x27\x27\x27', ''],
  ['yaml', 'a:   1 # one\nextensions:\n    o:\n        cmd:   "x"   # two\n        list: [1,\n          2]\n', ''],
  ['yaml', 'extensions:\n  o: {cmd: x}\n', '# after\nb:  2\n'],
  ['yaml', 'b:   [1,  2]\n', ''],
  ['yaml', 'extensions:\r\n  o:\r\n    cmd:  x\r\n', 'z:   1\r\n'],
];

/** The words of a text in their order, without layout, quotes and commas. */
const wordsOf = (text: string) => text.split(/[\s,"{}[\]]+/).filter(Boolean);

test.each(NEIGHBORS)(
  '%s: what stands beside the entry stays in its order, with its comments: %j and %j',
  (format, head, tail) => {
    const kind = KINDS[format];
    for (const bom of ['', '\ufeff']) {
      const before = bom + head + tail;
      const after = setEntry(before, kind, ENTRY);
      expect(after.startsWith(bom)).toBe(true);
      expect(getEntry(after, kind)).toEqual(ENTRY);
      if (head.includes('\r\n'))
        expect(after.replace(/"""\n[\s\S]*\n"""/, '').replaceAll('\r\n', '')).not.toContain('\n');
      expect(setEntry(after, kind, ENTRY)).toBe(after);
      const removed = removeEntry(after, kind);
      expect(getEntry(removed, kind)).toBeUndefined();
      const ours = [kind.key, `${kind.key}:`, ':'];
      const others = (text: string) => wordsOf(text).filter((word) => !ours.includes(word));
      expect(others(removed)).toEqual(others(before));
    }
  },
);

test.each([
  ['mcp_servers.jinn.command = "y"\nx = 1\n', 'dotted keys'],
  ['[mcp_servers."jinn"]\ncommand = "y"\n', 'a quoted key'],
  ['mcp_servers = { jinn = { command = "y" }, o = { command = "z" } }\n', 'an inline table'],
  ['[mcp_servers]\njinn = { command = "y" }\n', 'an inline entry'],
  ['[mcp_servers.jinn]\nurl = "u"\nhttp_headers = { A = "b" }\n', 'an entry with a URL'],
  ['[mcp_servers.jinn]\ncommand = "y"\n[mcp_servers.jinn.env]\nA = "1"\n[mcp_servers.o]\n', 'a table of its own'],
])('TOML: sets %j (%s), and nothing twice', (before) => {
  const after = setEntry(before, TOML_KIND, ENTRY);
  expect(getEntry(after, TOML_KIND)).toEqual(ENTRY);
  expect(setEntry(after, TOML_KIND, ENTRY)).toBe(after);
});

test.each([
  ['# one\na = 1\n\n', '[mcp_servers.jinn]\ncommand = "y"\n\n', '# two\n[mcp_servers.o]\nx=1\n# end\n'],
  ['a = 1\r\nb   =   2\n\r\n', '[mcp_servers."jinn"]\r\ncommand = "y"\n', '[mcp_servers.o]\r\nx = 1\n'],
  [
    'a = 1\n\n',
    '[mcp_servers.jinn]\n# mine\nargs = [\n  "[x]",\n]\n\n[mcp_servers.jinn.env]\nA = """\n#\n"""\n',
    '\n# end\n',
  ],
  ['', '[mcp_servers.jinn]\ncommand = "y"\n', '# alone'],
])('TOML: takes out the tables of the entry, and no comment behind them: %j %j %j', (head, entry, tail) => {
  const after = removeEntry(head + entry + tail, TOML_KIND);
  expect(getEntry(after, TOML_KIND)).toBeUndefined();
  const withoutBlankLines = (text: string) => text.split('\n').filter((line) => line.trim() !== '');
  expect(withoutBlankLines(after)).toEqual(withoutBlankLines(head + tail));
});

test('TOML: an entry that is set and removed leaves the other lines as they were', () => {
  for (const before of ['', '# one\na = 1\n', '[mcp_servers.o]\r\nx   = 1 # two\r\n']) {
    expect(removeEntry(setEntry(before, TOML_KIND, ENTRY), TOML_KIND)).toBe(before);
  }
});

const USERS: [string, string, string, string[]][] = [
  [
    'codex',
    '.codex/config.toml',
    '[mcp_servers.jinn]\ncommand = "y"\n# mine\nenabled_tools = ["read_file"]\nstartup_timeout_sec = 20\n[mcp_servers.jinn.env]\nA = "1"\n',
    ['# mine', 'enabled_tools = ["read_file"]', 'startup_timeout_sec = 20', 'A = "1"'],
  ],
  [
    'cline',
    '.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json',
    '{"mcpServers":{"jinn":{"command":"y","disabled":true,"autoApprove":["read_file"],"timeout":9}}}',
    ['"disabled":true', '"autoApprove":["read_file"]', '"timeout":9'],
  ],
  [
    'opencode',
    'project/opencode.jsonc',
    '{ // mine\n  "mcp": { "jinn": { "type": "local", "command": ["y"], "enabled": false } } }',
    ['// mine', '"enabled": false'],
  ],
  [
    'goose',
    '.config/goose/config.yaml',
    'extensions:\n  jinn:\n    cmd: y # mine\n    enabled: false\n    timeout: 9\n    envs: {A: b}\n',
    ['enabled: false', 'timeout: 9', 'A: b'],
  ],
];

test.each(USERS)('installing again with %s keeps what the user has set', async (host, file, before, kept) => {
  const { home, install } = scene({ [file]: before });
  expect(await install(host)).toMatchObject({ status: 0, stdout: expect.stringMatching(/^registered/) });
  const after = fs.readFileSync(`${home}/${file}`, 'utf8');
  for (const part of [...kept, PROGRAM]) expect(after).toContain(part);
  expect((await install(host)).stdout).toMatch(/^jinn is registered/);
});

test('Cline: registers in the file that its extension shares with its CLI, if there is one', async () => {
  const shared = '.cline/data/settings/cline_mcp_settings.json';
  const { home, cwd, install } = scene({ [shared]: '{}' });
  await install('cline');
  expect(filesBelow(home).filter((name) => !name.endsWith('.bak'))).toEqual([shared]);
  const { jinn } = JSON.parse(fs.readFileSync(`${home}/${shared}`, 'utf8')).mcpServers;
  expect(jinn).toMatchObject({ args: [PROGRAM, '--root', cwd], autoApprove: [] });
});

test('installing again without flags keeps the flags of the entry, and with flags replaces them', async () => {
  const { cwd, install } = scene();
  const flags = () => JSON.parse(fs.readFileSync(`${cwd}/.cursor/mcp.json`, 'utf8')).mcpServers.jinn.args.slice(1);
  await install('cursor', '--', '--read-only');
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the host puts the project there
  const root = ['--root', '${workspaceFolder}'];
  expect(flags()).toEqual(['--read-only', ...root]);
  await install('cursor');
  expect(flags()).toEqual(['--read-only', ...root]);
  await install('cursor', '--', '--toolset', 'jinni');
  expect(flags()).toEqual(['--toolset', 'jinni', ...root]);
});

test('says which hosts have it, and which version starts', async () => {
  const { install, run } = scene({
    '.config/goose/config.yaml': 'extensions: { jinn: { cmd: /nowhere/jinn-mcp } }',
    'project/.cursor/mcp.json': '{',
  });
  await install('claude-code');
  await install('codex');
  const { status, stdout } = run('status');
  expect(status).toBe(0);
  expect(stdout).toMatch(/^claude-code +registered, and starts as version \d+\.\d+\.\d+: /m);
  expect(stdout).toMatch(/^codex +registered, and starts as version /m);
  expect(stdout).toMatch(/^goose +registered, but does not start: spawn \/nowhere\/jinn-mcp ENOENT/m);
  expect(stdout).toMatch(/^cursor +unknown: .*it is not JSON/m);
  expect(stdout).toMatch(/^zed +not registered$/m);
  expect(stdout).toMatch(/^commands +(?:confined by \S+|not confined: .*) \(auto, by default\)$/m);
});

test('says of each file that it cannot read why, and goes on', () => {
  const { home, run } = scene({
    'project/.mcp.json/': '',
    'project/.gemini/settings.json': '['.repeat(100_000) + ']'.repeat(100_000),
    '.config/goose/config.yaml': `a: ${'['.repeat(20_000)}${']'.repeat(20_000)}`,
  });
  fs.mkdirSync(`${home}/project/.cursor`);
  fs.symlinkSync('/nowhere/x', `${home}/project/.cursor/mcp.json`);
  fs.writeFileSync(`${home}/project/opencode.json`, INVALID);
  const { status, stdout, stderr } = run('status');
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^claude-code +unknown: .*\.mcp\.json is not a file/m);
  expect(stdout).toMatch(/^gemini-cli +unknown: .*settings\.json: it is nested too deeply$/m);
  expect(stdout).toMatch(/^goose +unknown: .*config\.yaml: it is nested too deeply$/m);
  expect(stdout).toMatch(/^cursor +unknown: .*mcp\.json is a link to nothing/m);
  expect(stdout).toMatch(/^opencode +unknown: .*opencode\.json was left as it is: it is not UTF-8/m);
  expect(stdout).toMatch(/^zed +not registered$/m);
});

test.each([
  ['claude-code', 'project/.mcp.json', INVALID],
  ['codex', '.codex/config.toml', Buffer.from('model = "caf\xe9"\n', 'latin1')],
  ['goose', '.config/goose/config.yaml', Buffer.from('model: "caf\xe9"\n', 'latin1')],
] as const)('refuses a file of %s that is not UTF-8, and leaves its bytes', async (host, name, bytes) => {
  const { home, install, uninstall } = scene({ [name]: '' });
  fs.writeFileSync(`${home}/${name}`, bytes);
  for (const change of [install, uninstall]) {
    expect(await change(host)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('it is not UTF-8. Save it as'),
    });
  }
  expect(fs.readFileSync(`${home}/${name}`)).toEqual(bytes);
});

test.each([
  ['null', 'it is not a JSON object'],
  ['['.repeat(200_000), 'it is nested too deeply'],
  ['{"mcpServers":{},"mcpServers":{}}', 'the key "mcpServers" is twice'],
  ['{"a":{"b":1,"b":2}}', 'the key "b" is twice'],
])('says what is wrong with %.40s, and leaves it', async (text, reason) => {
  const { cwd, install } = scene({ 'project/.mcp.json': text });
  expect(await install('claude-code')).toMatchObject({ status: 2, stderr: expect.stringContaining(reason) });
  expect(fs.readFileSync(`${cwd}/.mcp.json`, 'utf8')).toBe(text);
});

test('refuses a directory and a link to nothing where the file belongs', async () => {
  const { cwd, install } = scene({ 'project/.mcp.json/': '' });
  expect(await install('claude-code')).toMatchObject({ status: 2, stderr: expect.stringContaining('is not a file') });
  fs.rmdirSync(`${cwd}/.mcp.json`);
  fs.symlinkSync('/nowhere/x', `${cwd}/.mcp.json`);
  expect(await install('claude-code')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('is a link to nothing'),
  });
  expect(fs.lstatSync(`${cwd}/.mcp.json`).isSymbolicLink()).toBe(true);
});

test.each(['extensions: ~\n', 'a: &e {}\nextensions: *e\n'])('does not call %j no YAML, which it is', async (text) => {
  const { home, install } = scene({ '.config/goose/config.yaml': text });
  const { status, stderr } = await install('goose');
  if (status !== 0) expect(stderr).toContain('its layout is too unusual');
  if (status !== 0) expect(fs.readFileSync(`${home}/.config/goose/config.yaml`, 'utf8')).toBe(text);
});

test('uninstall says what it removes, and what of it the user had added, but no values', async () => {
  const { cwd, install, uninstall } = scene();
  await install('claude-code');
  const file = `${cwd}/.mcp.json`;
  expect((await uninstall('claude-code')).stdout).toMatch(/\nremoved: command, args\n$/);
  await install('claude-code');
  const config = JSON.parse(fs.readFileSync(file, 'utf8'));
  config.mcpServers.jinn.env = { KEY: 'a secret' };
  config.mcpServers.jinn.timeout = 5;
  fs.writeFileSync(file, JSON.stringify(config));
  expect((await uninstall('claude-code', '--dry-run')).stdout).not.toContain('removed:');
  const { stdout } = await uninstall('claude-code');
  expect(stdout).toContain(
    'removed: command, args, and your additions: env (KEY), timeout; `jinn-mcp install claude-code` brings that back',
  );
  expect(stdout).not.toContain('a secret');
  const [, backup = ''] = /^as it was before: (.*)$/m.exec(stdout) ?? [];
  expect(fs.readFileSync(backup, 'utf8')).toContain('a secret');
  expect(fs.statSync(backup).mode & 0o777).toBe(0o600);
});

test.each([
  [
    'claude-code',
    'project/.mcp.json',
    '{"mcpServers":{"jinn":{"command":"x","args":["--read-only"],"env":{"KEY":"k"}}}}',
  ],
  ['codex', '.codex/config.toml', '[mcp_servers.jinn]\ncommand = "x"\nenabled_tools = ["read_file"]\n'],
  [
    'goose',
    '.config/goose/config.yaml',
    'extensions:\n  jinn:\n    cmd: x\n    enabled: false\n    available_tools: [read_file]\n',
  ],
])('%s: what the user had added to the entry comes back when jinn is installed again', async (host, name, text) => {
  const { home, install, uninstall } = scene({ [name]: text });
  await install(host);
  const before = fs.readFileSync(`${home}/${name}`, 'utf8');
  await uninstall(host);
  expect(fs.readFileSync(`${home}/${name}`, 'utf8')).not.toContain('jinn');
  const { stdout } = await install(host);
  expect(stdout).toMatch(/. Your additions are back: (env \(KEY\)|enabled_tools|enabled, available_tools)\n?/);
  const after = fs.readFileSync(`${home}/${name}`, 'utf8');
  for (const word of ['KEY', 'enabled_tools', 'enabled: false', 'available_tools']) {
    expect([word, after.includes(word)]).toEqual([word, before.includes(word)]);
  }
  // Flags are given to `install` itself.
  expect(after).not.toContain('--read-only');
});
