import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { setEntry } from './edit-config.ts';
import { PROGRAM } from './fixture/connect.ts';
import { HOSTS } from './hosts.ts';

const JSON_KIND = { format: 'json', key: 'mcpServers' } as const;
const TOML_KIND = { format: 'toml', key: 'mcp_servers' } as const;
const YAML_KIND = { format: 'yaml', key: 'extensions' } as const;
const ENTRY = { command: 'x', args: ['a "b"'] };

/** A home and a project in it, and `jinn-mcp install` there. */
function scene(files: Record<string, string> = {}) {
  const home = makeTempDirectory();
  makeTree(home, { 'project/': '', ...files });
  const cwd = `${home}/project`;
  const env = { PATH: process.env['PATH'] ?? '', HOME: home };
  const install = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, 'install', ...args], {
      cwd,
      env,
      encoding: 'utf8',
    });
    return { status, stdout, stderr };
  };
  return { home, cwd, env, install };
}

const filesBelow = (root: string) =>
  fs.readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => fs.statSync(`${root}/${name}`).isFile());

test.each(Object.keys(HOSTS))('registers with %s, once, and what it writes starts the server', (host) => {
  const { home, cwd, install } = scene();
  expect(install(host)).toMatchObject({ status: 0, stdout: expect.stringMatching(/^registered jinn with /) });
  const files = filesBelow(home);
  expect(files).toHaveLength(1);
  const file = `${home}/${files[0]}`;
  const written = fs.readFileSync(file, 'utf8');
  expect(written).toBe(install(host, '--print').stdout);
  expect(install(host).stdout).toMatch(/^jinn is registered with .* already/);
  expect([filesBelow(home), fs.readFileSync(file, 'utf8')]).toEqual([files, written]);
  expect(fs.statSync(file).mode & 0o077).toBe(file.startsWith(cwd) ? 0o644 & ~process.umask() & 0o077 : 0);

  expect(written).toContain(PROGRAM);
  expect(written).toContain(process.execPath);
  const root = /--root"?,?\s*-?\s*"?([^"\s]+)/.exec(written)?.[1];
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the host puts the project there
  if (root !== undefined) expect([cwd, '${workspaceFolder}']).toContain(root);
});

test('a dry run shows the file and writes nothing', () => {
  const { home, install } = scene();
  const { stdout } = install('cursor', '--dry-run');
  expect(stdout).toMatch(/\.cursor\/mcp\.json would be:\n\{\n {2}"mcpServers"/);
  expect(filesBelow(home)).toEqual([]);
});

test('keeps what was there, comments too, and a copy of the file under a name that is free', () => {
  const before =
    '// mine\n{\n\t"theme": "dark", // keep\n\t"context_servers": {\n\t\t// other\n\t\t"other": { "command": "o" }\n\t},\n}\n';
  const { home, install } = scene({ '.config/zed/settings.json': before, '.config/zed/settings.json.bak': 'older' });
  const { stdout } = install('zed', '--', '--read-only');
  const file = `${home}/.config/zed/settings.json`;
  expect(stdout).toContain(`as it was before: ${file}.bak2`);
  expect(fs.readFileSync(`${file}.bak2`, 'utf8')).toBe(before);
  expect(fs.readFileSync(`${file}.bak`, 'utf8')).toBe('older');
  const after = fs.readFileSync(file, 'utf8');
  for (const part of ['// mine', '"theme": "dark", // keep', '// other\n\t\t"other": {', '--read-only']) {
    expect(after).toContain(part);
  }
});

test('changes the entry that is there, keeps the mode of the file, and follows a link to it', () => {
  const { home, install } = scene({
    'dotfiles/config.toml': '[mcp_servers.jinn]\ncommand = "old"\n\n# next\n[other]\na = 1\n',
  });
  fs.mkdirSync(`${home}/.codex`);
  fs.chmodSync(`${home}/dotfiles/config.toml`, 0o640);
  fs.symlinkSync('../dotfiles/config.toml', `${home}/.codex/config.toml`);
  expect(install('codex').status).toBe(0);
  const file = `${home}/dotfiles/config.toml`;
  expect(fs.readFileSync(file, 'utf8')).toMatch(
    /^\[mcp_servers\.jinn\]\ncommand = "[^\n]*"\nargs = \[[^\n]*\]\n\n# next\n\[other\]\na = 1\n$/,
  );
  expect(fs.statSync(file).mode & 0o777).toBe(0o640);
  expect(fs.lstatSync(`${home}/.codex/config.toml`).isSymbolicLink()).toBe(true);
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
  ['nope', {}, 'unknown host: nope; the hosts are claude-code, '],
  ['cursor', { 'project/.cursor/mcp.json': '{"mcpServers":' }, 'was left as it is: it is not JSON: '],
  ['cursor', { 'project/.cursor/mcp.json': '[]' }, 'it is not a JSON object'],
  ['cursor', { 'project/.cursor/mcp.json': '{"mcpServers":[]}' }, 'its mcpServers is not an object'],
  ['goose', { '.config/goose/config.yaml': 'a: [' }, 'it is not YAML: '],
  ['goose', { '.config/goose/config.yaml': '- a\n' }, 'it is not a YAML mapping'],
  ['goose', { '.config/goose/config.yaml': 'extensions: 3\n' }, 'its extensions is not a mapping'],
  ['codex', { '.codex/config.toml': 'mcp_servers = {}\n' }, 'it sets mcp_servers inline'],
  ['codex', { '.codex/config.toml': '[mcp_servers]\njinn = { command = "x" }\n' }, 'it sets mcp_servers inline'],
])('leaves alone what it does not understand: %s with %j', (host, files, message) => {
  const { home, install } = scene(files);
  const { status, stderr } = install(host);
  expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
  for (const [name, text] of Object.entries(files)) expect(fs.readFileSync(path.join(home, name), 'utf8')).toBe(text);
});

test('setting an entry twice is setting it once, and changes nothing else of any JSON', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.dictionary(fc.string(), fc.jsonValue()),
      (top, servers) => {
        const before = { ...top, mcpServers: servers };
        const once = setEntry(JSON.stringify(before, null, 2), JSON_KIND, ENTRY);
        expect(setEntry(once, JSON_KIND, ENTRY)).toBe(once);
        expect(JSON.parse(once)).toEqual(
          JSON.parse(JSON.stringify({ ...before, mcpServers: { ...servers, jinn: ENTRY } })),
        );
      },
    ),
  );
});

test.each([
  ['', '[mcp_servers.jinn]\ncommand = "x"\nargs = ["a \\"b\\""]\n'],
  ['a = 1', 'a = 1\n\n[mcp_servers.jinn]\ncommand = "x"\nargs = ["a \\"b\\""]\n'],
  ['[mcp_servers."jinn"]\ncommand = "y"\n', '[mcp_servers.jinn]\ncommand = "x"\nargs = ["a \\"b\\""]\n'],
  [
    '[mcp_servers.jinn]\ncommand = "y"\n[mcp_servers.jinn.env]\nA = "1"\n[mcp_servers.other]\n',
    '[mcp_servers.jinn]\ncommand = "x"\nargs = ["a \\"b\\""]\n[mcp_servers.jinn.env]\nA = "1"\n[mcp_servers.other]\n',
  ],
])('sets a table of TOML in %j', (before, after) => {
  expect(setEntry(before, TOML_KIND, ENTRY)).toBe(after);
  expect(setEntry(after, TOML_KIND, ENTRY)).toBe(after);
});

test.each(['', 'a: 1 # one\n', 'extensions:\n', 'extensions:\n  other:\n    cmd: x # two\n'])(
  'sets a mapping of YAML in %j',
  (before) => {
    const after = setEntry(before, YAML_KIND, ENTRY);
    expect(parseYaml(after).extensions.jinn).toEqual(ENTRY);
    for (const comment of before.match(/#.*/g) ?? []) expect(after).toContain(comment);
    expect(setEntry(after, YAML_KIND, ENTRY)).toBe(after);
  },
);
