import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { findSandbox } from '@jinn/process/sandbox';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { openLanguageSession, SCRIPTED } from './fixture/language-session.ts';

const { name } = await findSandbox({ network: true });
const withSandbox = test.skipIf(name !== 'bubblewrap');

/** A home below /var/tmp, which servers see in the sandbox, as they do not see /tmp. */
function makeHome(): string {
  const home = fs.realpathSync(fs.mkdtempSync('/var/tmp/jinn-test-'));
  onTestFinished(() => fs.rmSync(home, { recursive: true, force: true }));
  return home;
}

/** Asks the server of `.x` files in the sandbox. */
async function ask(command: readonly string[], home: string, server: object = {}, PATH = '/usr/bin:/bin') {
  const lsp = { servers: { mine: { command, extensions: { x: 'x' }, install: 'get it', ...server } } };
  const session = openLanguageSession({ 'a.x': 'one\n' }, { config: { lsp } });
  const sandbox = { mode: 'require', home, keep: `${makeTempDirectory()}/keep` } as const;
  const environment = { PATH, HOME: home };
  return session.ask({ action: 'hover', path: 'a.x', line: 1, character: 1 }, { sandbox, environment, home });
}

withSandbox('a program below /tmp is told as hidden, and that no setting shows it', async () => {
  const directory = makeTempDirectory(tmpdir());
  makeTree(directory, { server: { content: '#!/bin/sh\necho no\n', mode: 0o755 } });
  expect(await ask([`${directory}/server`], makeHome())).toMatchObject({
    error_code: 'lsp_unavailable',
    error: expect.stringMatching(/the sandbox hides \/tmp, where server is$/),
    suggestion: expect.stringMatching(/^install it elsewhere/),
  });
});

withSandbox(
  'a module, an interpreter and a runtime in a hidden place are told with the setting that shows it',
  async () => {
    const home = makeHome();
    makeTree(home, {
      '.ssh/lib/x.cjs': '',
      '.ssh/run': { content: '#!/bin/sh\nexec /bin/sh "$@"\n', mode: 0o755 },
      'module.cjs': `require('${home}/.ssh/lib/x.cjs');\n`,
      script: { content: `#!${home}/.ssh/run\n`, mode: 0o755 },
      'by-name': { content: '#!/usr/bin/env run\n', mode: 0o755 },
    });
    const told = (file: string) => ({
      error_code: 'lsp_unavailable',
      error: expect.stringMatching(new RegExp(`the sandbox hides ~/\\.ssh, where ${file} is$`)),
      suggestion: 'add "~/.ssh" to sandbox.shown in config.json',
    });
    expect(await ask([process.execPath, `${home}/module.cjs`], home)).toMatchObject(told('x\\.cjs'));
    expect(await ask([`${home}/script`], home)).toMatchObject(told('run'));
    expect(await ask([`${home}/by-name`], home, {}, `${home}/.ssh:/usr/bin:/bin`)).toMatchObject(told('run'));
  },
);

withSandbox('a server that runs and cannot find its runtime is told the same', async () => {
  const home = makeHome();
  makeTree(home, { '.ssh/go': { content: '#!/bin/sh\n', mode: 0o755 } });
  execFileSync('cp', [SCRIPTED, `${home}/server.mjs`]);
  const value = {
    kind: 'begin',
    title: 'Error loading workspace',
    message: 'exec: "go": executable file not found in $PATH',
  };
  const script = {
    capabilities: { textDocumentSync: 1, hoverProvider: true },
    on: { 'textDocument/didOpen': [{ send: { method: '$/progress', params: { token: 1, value } } }] },
  };
  const command = [process.execPath, `${home}/server.mjs`, JSON.stringify(script)];
  const failing = { ready: { fails: '^Error loading' } };
  expect(await ask(command, home, failing, `${home}/.ssh:/usr/bin:/bin`)).toMatchObject({
    error_code: 'lsp_error',
    error: expect.stringMatching(
      /could not load the workspace: .*not found in \$PATH; the sandbox hides ~\/\.ssh, where go is$/,
    ),
    suggestion: 'add "~/.ssh" to sandbox.shown in config.json',
  });
});

withSandbox('what fails for another reason is not blamed on the sandbox', async () => {
  const home = makeHome();
  makeTree(home, { '.ssh/id': 'x', 'server.cjs': `console.error('read ${home}/.ssh/id'); require('not-there')` });
  const answer = await ask([process.execPath, `${home}/server.cjs`], home);
  expect(answer).toMatchObject({ error_code: 'lsp_unavailable', suggestion: expect.stringContaining('get it') });
  expect(JSON.stringify(answer)).not.toContain('hides');
});

withSandbox('a server learns nothing of secret places by what it says that it cannot find', async () => {
  const home = makeHome();
  makeTree(home, { '.ssh/present-key': 'x' });
  const told = async (name: string) => {
    makeTree(home, { 'server.cjs': `console.error('cannot find ${home}/.ssh/${name}'); process.exit(1)` });
    return JSON.stringify(await ask([process.execPath, `${home}/server.cjs`], home)).replaceAll(name, 'NAME');
  };
  expect(await told('present-key')).toBe(await told('missing-key'));
});
