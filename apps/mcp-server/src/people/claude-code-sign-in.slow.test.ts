import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { browse } from '../fixture/provider.ts';
import { installHosts, runHost } from '../fixture/real-hosts.ts';
import { serveBehindProvider } from '../fixture/serve-behind-provider.ts';
import { startStandIn } from '../fixture/stand-in.ts';

const findOrSkip = installHosts(['claude-code']);
const QUIET = { DISABLE_TELEMETRY: '1', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' };

/** Begins to sign in, in a terminal: elsewhere Claude Code refuses. Returns the URL to open, and what waits for the end. */
async function beginSignIn(program: string, { cwd, env }: { cwd: string; env: object }) {
  const child = spawn('script', ['--quiet', '--return', '--command', `'${program}' mcp login jinn`, '/dev/null'], {
    cwd,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  // A terminal gets it as a link, whose ends are control characters.
  const shown = () => /https?:\/\/[!-~]*code_challenge[!-~]*/.exec(output);
  const [url] = await vi.waitUntil(shown, { timeout: 60_000 }).catch(() => {
    throw new Error(`no page to sign in at: ${output}`);
  });
  return { url: new URL(url), ended: async () => ({ status: await exited, output }) };
}

test("Claude Code's own sign-in lets its person in, under their name", { timeout: 420_000 }, async (context) => {
  context.skip(spawnSync('script', ['--version']).status !== 0, 'nothing here gives it a terminal');
  const program = await findOrSkip('claude-code', context);
  const { url, cwd: root, log } = await serveBehindProvider();
  const home = fs.realpathSync(makeTempDirectory());
  makeTree(home, { 'project/': '', browser: '#!/bin/sh\nexit 0\n' });
  fs.chmodSync(`${home}/browser`, 0o755);
  const cwd = `${home}/project`;
  const env = { ...QUIET, HOME: home, XDG_CONFIG_HOME: `${home}/.config`, BROWSER: `${home}/browser` };
  const added = await runHost(program, ['mcp', 'add', '--transport', 'http', 'jinn', url.href], { cwd, env });
  expect([added.status, added.output]).toEqual([0, expect.stringContaining('jinn')]);

  const { url: page, ended } = await beginSignIn(program, { cwd, env });
  const back = page.searchParams.get('redirect_uri') ?? '';
  expect(page.searchParams.get('resource')).toBe(url.href);
  const answer = await browse(page, back);
  expect((await fetch(answer)).status).toBe(200);
  expect(await ended()).toMatchObject({ status: 0 });

  const standIn = await startStandIn([{ tool: 'write_file', args: { path: 'new.txt', content: 'made by ann\n' } }]);
  const model = { ANTHROPIC_BASE_URL: standIn.url, ANTHROPIC_API_KEY: 'none' };
  const { output } = await runHost(program, ['-p', 'go', '--allowedTools', 'mcp__jinn'], {
    cwd,
    env: { ...env, ...model },
  });
  expect([standIn.results(), output.slice(-2_000)]).toEqual([
    [expect.stringContaining('wrote 12 bytes')],
    expect.any(String),
  ]);
  expect(fs.readFileSync(`${root}/new.txt`, 'utf8')).toBe('made by ann\n');
  expect(fs.readFileSync(log, 'utf8')).toMatch(/"person":"auth0%7Cann".*"tool":"write_file"/);
});
