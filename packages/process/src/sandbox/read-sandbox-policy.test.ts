import fs from 'node:fs';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { readSandboxPolicy } from './read-sandbox-policy.ts';

function read(config: unknown, flags: Parameters<typeof readSandboxPolicy>[0]['flags'] = {}) {
  const state = makeTempDirectory();
  const text = typeof config === 'string' || Buffer.isBuffer(config) ? config : JSON.stringify(config);
  if (config !== undefined) fs.writeFileSync(`${state}/config.json`, text);
  return readSandboxPolicy({ directories: { state, cache: '/c' }, home: '/h', flags, fallback: 'auto' });
}

test('takes what the command line says, then config.json, then what the program falls back to', () => {
  expect(read(undefined)).toMatchObject({ mode: 'auto', network: true, home: '/h', writable: [], hidden: [] });
  expect(read({ sandbox: 'require', network: false })).toMatchObject({ mode: 'require', network: false });
  expect(read({ sandbox: 'require' }, { mode: 'off', network: false })).toMatchObject({ mode: 'off', network: false });
  expect(read({ related_context: {} })).toMatchObject({ mode: 'auto' });
  expect(read('\ufeff{"sandbox":"require"}')).toMatchObject({ mode: 'require' });
});

test('takes the sandbox as a mode or as an object', () => {
  const sandbox = {
    mode: 'require',
    writable: ['~/w'],
    hidden: ['/h'],
    shown: ['~/.npmrc'],
    sockets: ['/run/docker.sock'],
  };
  expect(read({ sandbox, sandbox_writable: ['/x'] })).toMatchObject({
    ...{ mode: 'require', writable: ['/h/w', '/x'], hidden: ['/h'], shown: ['/h/.npmrc'] },
    ...{ sockets: ['/run/docker.sock'], keep: '/c/sandbox' },
  });
  expect(read({ sandbox: { sockets: [] } })).toMatchObject({ mode: 'auto' });
  const opening = { writable: ['~/w', '.vscode', '.mcp.json', '.bashrc'] };
  expect(read({ sandbox: opening })).toMatchObject({ writable: ['/h/w'], opened: ['.vscode', '.mcp.json', '.bashrc'] });
});

test('knows the home, and its own directories', () => {
  const { writable, hidden, state } = read({ sandbox_writable: ['~/.pyenv', '/x'], sandbox_hidden: ['~/.token'] });
  expect([writable, hidden, state]).toEqual([['/h/.pyenv', '/x'], ['/h/.token'], [expect.any(String), '/c']]);
  const nowhere = { directories: { state: undefined, cache: undefined }, home: undefined, flags: {} };
  expect(readSandboxPolicy({ ...nowhere, fallback: 'off' })).toMatchObject({ mode: 'off', state: [] });
});

test.for([
  ['{', 'JSON'],
  ['{"sandbox":"auto","sandbox":"off"}', 'duplicate key "sandbox"'],
  [Buffer.from('{"sandbox":"\xff"}', 'latin1'), 'not UTF-8'],
  ['[]', 'object'],
  ['null', 'object'],
  [{ sandbox: 'yes' }, '"sandbox"'],
  [{ sandbox: true }, '"sandbox"'],
  [{ sandbox: { mode: 'yes' } }, '"sandbox"'],
  [{ sandbox: { socket: [] } }, '"socket"'],
  [{ sandbox: { sockets: 'x' } }, '"sandbox.sockets"'],
  [{ sandbox: { sockets: ['@abstract'] } }, '"sandbox.sockets"'],
  [{ sandbox: { shown: ['relative'] } }, '"sandbox.shown"'],
  [{ sandbox: { writable: ['.vscode/other'] } }, '"sandbox.writable"'],
  [{ sandbox: { writable: '.vscode' } }, '"sandbox.writable"'],
  [{ sandbox: [] }, '"sandbox"'],
  [{ network: 'off' }, '"network"'],
  [{ sandbox_writable: 'x' }, '"sandbox_writable"'],
  [{ sandbox_writable: [1] }, '"sandbox_writable"'],
  [{ sandbox_hidden: ['relative'] }, '"sandbox_hidden"'],
  [`{"x":"${'x'.repeat(5_000_000)}"}`, 'config.json is larger than 4 MiB'],
])('refuses to guess what is meant: case %#', ([config, named]) => {
  expect(() => read(config)).toThrow(named as string);
});

test('reads what holds for single tools', () => {
  const tools = { deploy: { network: false, writable: ['~/x'] }, other: {} };
  expect(read({ tools }).tools).toEqual({ deploy: { network: false, writable: ['/h/x'] }, other: {} });
  expect(read({}).tools).toEqual({});
});

test.each([
  [[], '"tools" must be an object'],
  [{ deploy: true }, '"tools.deploy" must be an object'],
  [{ deploy: { netwrok: false } }, '"tools.deploy" has no "netwrok"'],
  [{ deploy: { network: 'off' } }, '"tools.deploy.network" must be true or false'],
  [{ deploy: { writable: ['x'] } }, '"tools.deploy.writable" must be a list of paths'],
])('refuses the settings of tools %j', (tools, message) => {
  expect(() => read({ tools })).toThrow(message);
});
