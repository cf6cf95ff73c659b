import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, onTestFinished, test } from 'vitest';

const JINN = path.resolve(import.meta.dirname, '../dist/jinn.cjs');
const SCRIPTED = path.resolve(import.meta.dirname, '../../../packages/lsp/src/fixture/scripted-server.mjs');
/** A server that sees neither the end of its input nor SIGTERM, with children, one of them in a session of its own. */
const DEAF = {
  capabilities: { documentSymbolProvider: true },
  ignoresEnd: true,
  on: {
    'textDocument/documentSymbol': [
      { result: [] },
      { child: {} },
      { child: { detached: true } },
      // By now the request is answered.
      { later: 200, action: { deaf: true } },
    ],
  },
};

/** A session of jinn with a server that runs for it. */
async function openSession() {
  const [cwd, home] = [makeTempDirectory(), makeTempDirectory()];
  const mark = `${home}/received`;
  const command = [process.execPath, SCRIPTED, JSON.stringify(DEAF), mark];
  const settings = { lsp: { servers: { scripted: { command, extensions: { x: 'x' } } } } };
  makeTree(cwd, { 'a.x': 'one\n' });
  makeTree(home, { 'jinn/config.json': JSON.stringify(settings) });
  const env = { PATH: '/usr/bin:/bin', HOME: home, JINN_CONFIG_DIR: home, XDG_CACHE_HOME: home };
  const child = spawn(process.execPath, [JINN, '--sandbox=off'], { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => {
    for (const pid of processesOf(mark)) process.kill(pid, 'SIGKILL');
    child.kill('SIGKILL');
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  child.stdin.write(`${JSON.stringify({ tool: 'lsp_query', args: { action: 'symbols', path: 'a.x' } })}\n`);
  expect(JSON.parse((await lines.next()).value ?? 'null')).toMatchObject({ ok: true });
  await expect.poll(() => processesOf(mark).length).toBe(3);
  return { child, left: () => processesOf(mark) };
}

/** The ids of the server and its children: a text of their command line is that of no other process. */
function processesOf(mark: string): number[] {
  const listed = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' }).split('\n');
  return listed.filter((line) => line.includes(mark)).map((line) => Number.parseInt(line, 10));
}

test
  .runIf(process.platform === 'linux')
  .each(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGSEGV'] as const)(
  '%s that ends jinn ends a server that reads nothing, and what it has started',
  async (signal) => {
    const { child, left } = await openSession();
    child.kill(signal);
    await once(child, 'exit');
    await expect.poll(left).toEqual([]);
  },
);

test.runIf(process.platform === 'linux')('the end of the input of jinn ends a server that reads nothing', async () => {
  const { child, left } = await openSession();
  child.stdin.end();
  await once(child, 'exit');
  await expect.poll(left).toEqual([]);
});
