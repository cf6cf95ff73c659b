import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { makeTree } from '@jinn/testkit';
import { expect, onTestFinished, test } from 'vitest';

const REPOSITORY = path.resolve(import.meta.dirname, '../../..');
const JINN = path.join(REPOSITORY, 'apps/jinn/dist/jinn.cjs');
const MCP = path.join(REPOSITORY, 'apps/mcp-server/dist/jinn-mcp.cjs');
const doctor = spawnSync(process.execPath, [JINN, '--doctor'], { cwd: import.meta.dirname, encoding: 'utf8' });
const confined = test.skipIf(!doctor.stdout.includes('ok   sandbox'));

/** Makes a workspace and a home outside of /tmp. A command that is confined cannot write to the home. */
function makePlace() {
  const place = fs.realpathSync(fs.mkdtempSync('/var/tmp/jinn-defaults-'));
  onTestFinished(() => fs.rmSync(place, { recursive: true, force: true }));
  makeTree(place, { 'home/.config/jinn/config.json': '{}', 'work/a': '' });
  const home = `${place}/home`;
  const env = { PATH: process.env['PATH'], HOME: home, PYTHONPATH: path.join(REPOSITORY, 'clients/python/src') };
  const run = (program: string, args: readonly string[], input = '') =>
    spawnSync(program, args, { cwd: `${place}/work`, env, input, encoding: 'utf8' });
  return { home, run };
}

const ARGS = { command: 'echo written > ~/mark; cat .env', force: true };

confined('jinn confines commands', () => {
  const { home, run } = makePlace();
  const { stdout } = run(process.execPath, [JINN], JSON.stringify({ tool: 'run_shell', args: ARGS }));
  expect(JSON.parse(stdout)).toMatchObject({ ok: true, meta: { sandbox: expect.not.stringMatching(/^none/) } });
  expect(fs.existsSync(`${home}/mark`)).toBe(false);
});

confined('jinn-mcp confines commands', () => {
  const { home, run } = makePlace();
  const arguments_ = { command: ARGS.command };
  const messages = [
    {
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
    },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/call', params: { name: 'run_shell', arguments: arguments_ } },
  ].map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const { stdout } = run(process.execPath, [MCP, '--dangerous=allow'], messages.join(''));
  const answer = stdout.split('\n').find((line) => line.includes('"id":2'));
  expect(JSON.parse(answer ?? '{}').result._meta.jinn.meta.sandbox).not.toMatch(/^none/);
  expect(fs.existsSync(`${home}/mark`)).toBe(false);
});

confined('jinn tools run confines custom tools', () => {
  const { home, run } = makePlace();
  const tool =
    '---\nname: mark\nscript: script.sh\nruntime: bash\ninputSchema: { type: object }\noutputSchema: { type: object }\n---\nWrites a mark.\n';
  makeTree(home, {
    '.config/jinn/tools/mark/tool.md': tool,
    '.config/jinn/tools/mark/script.sh': 'echo written > ~/mark; echo \'{"text":"ran"}\'',
  });
  expect(run(process.execPath, [JINN, 'tools', 'run', 'mark', '{}'])).toMatchObject({
    stdout: expect.stringContaining('ran'),
  });
  expect(fs.existsSync(`${home}/mark`)).toBe(false);
});

confined('the Python client confines commands', ({ skip }) => {
  const { home, run } = makePlace();
  skip(run('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 10))']).status !== 0, 'no Python');
  const program = JSON.stringify([process.execPath, JINN]);
  const script = `import jinn
with jinn.Jinn(".", program=${program}, dangerous="allow") as tools:
    print(tools.call('run_shell', {'command': ${JSON.stringify(ARGS.command)}}).meta["sandbox"])`;
  expect(run('python3', ['-c', script])).toMatchObject({ status: 0, stdout: expect.not.stringMatching(/^none|^$/) });
  expect(fs.existsSync(`${home}/mark`)).toBe(false);
});

test('--doctor says where compiled code is kept, and why it is not', () => {
  const { home } = makePlace();
  const startIn = (cwd: string) =>
    spawnSync(process.execPath, [JINN, '--doctor'], { cwd, env: { HOME: home, PATH: process.env['PATH'] } });
  expect(`${startIn(`${home}/../work`).stdout}`).toContain(`ok   fast start       ${home}/.cache/jinn/code\n`);
  expect(`${startIn(home).stdout}`).toMatch(/NO {3}fast start .* Set XDG_CACHE_HOME/);
});
