import { query } from '@anthropic-ai/claude-agent-sdk';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, type TestContext, test } from 'vitest';
import { installHosts } from '../../../../apps/mcp-server/src/fixture/real-hosts.ts';
import { startStandIn } from '../../../../apps/mcp-server/src/fixture/stand-in.ts';
import type { Jinn } from '../create-jinn.ts';
import { expectMended, LOOK, MEND, openScene, REMOVE, type ScriptedCall, TICK } from '../fixture/scene.ts';
import type { ToolsetName } from '../tool-types.d.ts';
import { jinnServer } from './claude-agent.ts';

const findOrSkip = installHosts(['claude-code']);

/** Lets the real program of Claude Code work with the tools of an instance; a script speaks in the place of its model. */
async function start(jinn: Jinn<ToolsetName>, calls: readonly ScriptedCall[], context: TestContext) {
  const pathToClaudeCodeExecutable = await findOrSkip('claude-code', context);
  const standIn = await startStandIn(calls.map(({ name, args }) => ({ tool: name, args })));
  const abortController = new AbortController();
  const env = {
    PATH: process.env['PATH'],
    HOME: makeTempDirectory(),
    ANTHROPIC_BASE_URL: standIn.url,
    ANTHROPIC_API_KEY: 'none',
    DISABLE_TELEMETRY: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  };
  const ours = { tools: [], mcpServers: { jinn: jinnServer(jinn) }, allowedTools: ['mcp__jinn__*'] };
  const options = { cwd: jinn.root, ...ours, pathToClaudeCodeExecutable, abortController, env };
  const work = async () => {
    let said: string | undefined;
    for await (const message of query({ prompt: 'Mend it.', options })) {
      if (message.type === 'result') said = message.subtype === 'success' ? message.result : message.subtype;
    }
    return said;
  };
  return { stop: () => abortController.abort(), said: work(), results: standIn.results };
}

test('Claude Code reads, edits, runs a test, undoes, and reads an error', { timeout: 420_000 }, async (context) => {
  const { root, jinn } = openScene();
  const { said, results } = await start(jinn, MEND, context);
  expect(await said).toBe('done');
  expectMended(root, results());
});

test('Claude Code gets images', { timeout: 420_000 }, async (context) => {
  const { said, results } = await start(openScene().jinn, [LOOK], context);
  await said;
  expect(results()).toEqual([expect.stringContaining('"type":"image"')]);
});

test.for([
  ['once', false, '[exit: 0]'],
  ['deny', true, 'command_blocked'],
] as const)(
  'what Claude Code may call is still put to approve, which says %s',
  { timeout: 420_000 },
  async ([answer, stays, told], context) => {
    const { jinn, has } = openScene({ approve: () => answer });
    const { said, results } = await start(jinn, [REMOVE], context);
    await said;
    expect([has('build'), results()]).toEqual([stays, [expect.stringContaining(told)]]);
  },
);

test('to abort the query ends a call', { timeout: 420_000 }, async (context) => {
  const { jinn, has, expectStopped } = openScene();
  const { said, stop } = await start(jinn, [TICK], context);
  const ended = expect(said).rejects.toThrow();
  await expect.poll(() => has('tick'), { timeout: 60_000 }).toBe(true);
  stop();
  await ended;
  await expectStopped();
});
