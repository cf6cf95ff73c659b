import { spawn, spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, onTestFinished, test } from 'vitest';

const JINN = path.resolve(import.meta.dirname, '../dist/jinn.cjs');
const SCRIPTED = path.resolve(import.meta.dirname, '../../../packages/lsp/src/fixture/scripted-server.mjs');
const SERVER = {
  content: `#!/bin/sh\nexec '${process.execPath}' '${SCRIPTED}' '{"capabilities":{"documentSymbolProvider":true}}'\n`,
  mode: 0o755,
};
const PROJECT = { 'dune-project': '(lang dune 3.0)\n', 'a.ml': 'let one = 1\n', 'b.elm': '\n' };
const QUERY = { tool: 'lsp_query', args: { action: 'symbols', path: 'a.ml' } };

/** A project of OCaml, with a server on PATH that runs its code. */
function place() {
  // A sandbox has a /dev of its own, and so nothing of the directories in memory but the workspace.
  const [cwd, home, bin] = [makeTempDirectory(), makeTempDirectory(tmpdir()), makeTempDirectory(tmpdir())];
  makeTree(cwd, PROJECT);
  makeTree(bin, { ocamllsp: SERVER });
  const env = { PATH: `${bin}:/usr/bin:/bin`, HOME: home, JINN_CONFIG_DIR: `${home}/config`, XDG_CACHE_HOME: home };
  const run = (argv: readonly string[], input = '') => {
    const { stdout, stderr, status } = spawnSync(process.execPath, [JINN, ...argv], {
      cwd,
      env,
      input,
      encoding: 'utf8',
    });
    return { stdout, stderr, status };
  };
  const open = (flags: readonly string[]) => {
    const child = spawn(process.execPath, [JINN, ...flags], { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    return {
      send: (value: unknown) => child.stdin.write(`${JSON.stringify(value)}\n`),
      receive: async () => JSON.parse((await lines.next()).value ?? 'null'),
    };
  };
  return { cwd, home, run, open, query: () => JSON.parse(run([], JSON.stringify(QUERY)).stdout) };
}

/** What is answered without the server, as long as nobody trusts it. */
const BY_TEXT = expect.stringContaining('[by text: no language server for OCaml: ocamllsp needs trust');

test('jinn lsp trust allows a server as the project is, and revoke takes it back', () => {
  const { cwd, run, query } = place();
  expect(query()).toMatchObject({ result: BY_TEXT });
  expect(run(['lsp', 'trust', 'ocamllsp'])).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('approval required, but no terminal is attached'),
  });
  expect(query()).toMatchObject({ result: BY_TEXT });
  expect(run(['lsp', 'trust']).stdout).toMatch(/^ocamllsp {2}it runs code of the workspace: dune/);
  expect(run(['lsp', 'trust', 'ocamllsp', '--yes'])).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^ocamllsp: it runs code .* \([0-9a-f]{12}\)\nallowed ocamllsp\n$/),
  });
  expect(query()).toMatchObject({ ok: true, result: 'no symbols found' });
  expect(run(['lsp']).stdout).toMatch(/^trusted {2}OCaml {2}ocamllsp {2,}\//m);
  makeTree(cwd, { 'sub/dune': '(rule)\n' });
  expect(query()).toMatchObject({ result: BY_TEXT });
  expect(run(['lsp', 'trust', 'ocamllsp', '--yes']).status).toBe(0);
  expect(query()).toMatchObject({ ok: true });
  expect(run(['lsp', 'revoke', 'ocamllsp'])).toMatchObject({ status: 0, stdout: 'revoked 1 approval\n' });
  expect(query()).toMatchObject({ result: BY_TEXT });
  expect(run(['lsp', 'trust', 'ocamllsp', '--yes']).status).toBe(0);
  expect(run(['tools', 'grants']).stdout).toMatch(/^lsp_query {2}language_server {2}"ocamllsp"/);
  expect(run(['tools', 'revoke', 'lsp_query']).status).toBe(0);
  expect(query()).toMatchObject({ result: BY_TEXT });
});

test('jinn lsp lists what is installed and what it lacks, and how to install the rest', () => {
  const { run, home } = place();
  const { stdout, status } = run(['lsp']);
  expect(status).toBe(0);
  expect(stdout).toMatch(
    /^off {3}OCaml {2}ocamllsp .*needs trust, since it runs code.*\. Allow it with: jinn lsp trust ocamllsp$/m,
  );
  expect(stdout).toMatch(/^none {2}Elm {4}elm-language-server {2}install with: npm install/m);
  makeTree(home, { 'config/jinn/config.json': '{"trusted_workspaces":["/"]}' });
  expect(run(['lsp']).stdout).toMatch(/"trusted_workspaces" has no effect\. Remove it/);
});

test.each([
  [['lsp', 'trust', 'gopls', '--yes'], 1, 'no server gopls'],
  [['lsp', 'trst'], 2, 'did you mean trust?'],
  [['lsp', 'trust', '--force'], 2, "Unknown option '--force'"],
  [['lsp', 'revoke'], 1, 'name a server, or give --all'],
])('refuses jinn %j', (argv, status, error) => {
  expect(place().run(argv)).toMatchObject({ status, stderr: expect.stringContaining(error) });
});

test('a project with too many files that decide on what runs cannot be allowed', { tags: 'slow' }, () => {
  const { cwd, run } = place();
  makeTree(cwd, Object.fromEntries(Array.from({ length: 5_001 }, (_, i) => [`d/${i}.opam`, ''])));
  expect(run(['lsp', 'trust', 'ocamllsp', '--yes'])).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('too much of this directory decides on what ocamllsp runs'),
  });
});

test('--doctor tells a server that only lacks trust from one that is not installed', () => {
  const { run } = place();
  const { stdout } = run(['--doctor']);
  const [ocaml] = /^NO .*OCaml.*$/m.exec(stdout) ?? [];
  expect(ocaml).toContain(
    'OCaml (1 file): ocamllsp is installed, and needs trust, since it runs code of the workspace',
  );
  expect(ocaml).toContain('Allow it with: jinn lsp trust ocamllsp');
  expect(ocaml).not.toContain('Install');
  expect(stdout).toMatch(
    /^NO .*Elm \(1 file\): elm-language-server is not on PATH. Install elm-language-server with: npm/m,
  );
});

test.each([
  ['once', true, true],
  ['always', true, false],
  ['deny', false, true],
])('over stdio a person is asked, and the answer %s decides', async (answer, starts, asksAnew) => {
  const { open } = place();
  const session = open(['--approvals=stdio']);
  session.send(QUERY);
  const { approval } = await session.receive();
  expect(approval).toMatchObject({
    tool: 'lsp_query',
    message: expect.stringMatching(/^Start the language server ocamllsp for this workspace\?/),
    permission: { type: 'language_server', key: 'ocamllsp' },
  });
  session.send({ approval: approval.id, answer });
  expect(await session.receive()).toMatchObject({ ok: starts });
  const next = open(['--approvals=stdio']);
  next.send(QUERY);
  expect('approval' in (await next.receive())).toBe(asksAnew);
});
