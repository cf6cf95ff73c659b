import fs from 'node:fs';
import { findSandbox } from '@jinn/process/sandbox';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { bashTool, makeScene, resultOf, toolMd } from './fixture/custom-registry.ts';

const sandbox = await findSandbox({ network: true });
const inSandbox = { mode: 'require', network: true } as const;

test('a tool runs in the sandbox, and sees its own folder of the hidden directory alone', async ({ skip }) => {
  if (!sandbox.works) skip('there is no sandbox');
  const script = `cat > /dev/null
. "$(dirname "$0")/lib.sh"
touch "$(dirname "$0")/written" 2>/dev/null && wrote=true || wrote=false
ls "$STATE" > /dev/null 2>&1 && [ -n "$(ls "$STATE")" ] && saw=true || saw=false
touch made
echo "{\\"lib\\": \\"$LIB\\", \\"wrote\\": $wrote, \\"saw\\": $saw}"`;
  const scene = await makeScene({
    config: { ...bashTool(script, { env: ['STATE'] }, { 'lib.sh': 'LIB=sourced' }), '.env': '' },
    sandbox: inSandbox,
  });
  scene.write({ '.env': `STATE=${scene.state}` });
  expect(resultOf(await scene.call('tool'))).toEqual({ lib: 'sourced', wrote: false, saw: false });
  expect(fs.readdirSync(scene.root)).toContain('made');
});

test('each runtime finds its script in the sandbox', async ({ skip }) => {
  if (!sandbox.works) skip('there is no sandbox');
  const config = {
    'tools/n/tool.md': toolMd({ name: 'n', runtime: 'node', script: 'script.mjs' }),
    'tools/n/script.mjs': "import { said } from './lib/said.mjs';\nconsole.log(JSON.stringify({ said }));",
    'tools/n/lib/said.mjs': "export const said = 'node';",
    'tools/b/tool.md': toolMd({ name: 'b', runtime: 'binary', script: 'bin/run' }),
    'tools/b/bin/run': { content: '#!/bin/sh\necho \'{"said":"binary"}\'', mode: 0o755 },
  };
  const scene = await makeScene({ config, sandbox: inSandbox });
  expect(resultOf(await scene.call('n'))).toEqual({ said: 'node' });
  expect(resultOf(await scene.call('b'))).toEqual({ said: 'binary' });
});

test('the check of a tool runs in the sandbox too', async ({ skip }) => {
  if (!sandbox.works) skip('there is no sandbox');
  const outside = makeTempDirectory();
  const check = `touch ${outside}/x 2>/dev/null; echo '{"allowed":true,"requiresApproval":false,"permissionType":"t","permissionKey":"k"}'`;
  const fields = { hasSecurityCheck: true, securityScript: 'check.sh' };
  const scene = await makeScene({ config: bashTool('echo "{}"', fields, { 'check.sh': check }), sandbox: inSandbox });
  expect(resultOf(await scene.call('tool'))).toEqual({});
  expect(fs.readdirSync(outside)).toEqual([]);
});

const WRITE =
  'touch "$TARGET/x" 2>/dev/null && wrote=true || wrote=false; [ $(grep -c : /proc/net/dev) -gt 1 ] && net=true || net=false; echo "{\\"wrote\\": $wrote, \\"net\\": $net}"';

test('settings of one tool add places, and take away the network', async ({ skip }) => {
  if (!sandbox.works) skip('there is no sandbox');
  const outside = fs.mkdtempSync('/var/tmp/jinn-test-');
  const fields = { env: ['TARGET'] };
  const config = {
    ...bashTool(WRITE, { ...fields, name: 'free' }),
    ...bashTool(WRITE, { ...fields, name: 'other' }),
    '.env': `TARGET=${outside}`,
  };
  const tools = { free: { writable: [outside], network: false } };
  const scene = await makeScene({ config, sandbox: { ...inSandbox, tools } });
  try {
    expect(resultOf(await scene.call('free'))).toMatchObject({ wrote: true, net: false });
    expect(resultOf(await scene.call('other'))).toMatchObject({ wrote: false });
  } finally {
    fs.rmSync(outside, { recursive: true });
  }
});

test('settings of one tool do not give it the network that the others may not have', async ({ skip }) => {
  if (!sandbox.works) skip('there is no sandbox');
  const tools = { tool: { network: true } };
  const scene = await makeScene({ config: bashTool(WRITE), sandbox: { ...inSandbox, network: false, tools } });
  expect(resultOf(await scene.call('tool'))).toMatchObject({ net: false });
});

test('a tool does not run where a sandbox is required and the network cannot be taken away', async () => {
  const scene = await makeScene({ config: bashTool('touch ran; echo "{}"'), sandbox: { mode: 'off', network: false } });
  expect(await scene.call('tool')).toMatchObject({ ok: false, error_code: 'command_blocked' });
  expect(fs.readdirSync(scene.root)).toEqual([]);
});

test('says that the sandbox does not show the program of a tool', async ({ skip }) => {
  if (!sandbox.works) skip('there is no sandbox');
  const hidden = fs.mkdtempSync('/tmp/jinn-test-');
  onTestFinished(() => fs.rmSync(hidden, { recursive: true }));
  fs.symlinkSync('/bin/bash', `${hidden}/node`);
  const fields = { runtime: 'node', hasSecurityCheck: true, securityScript: 'script.sh' };
  const scene = await makeScene({
    config: bashTool('echo "{}"', fields),
    environment: { ...process.env, PATH: hidden },
    sandbox: inSandbox,
  });
  expect(await scene.call('tool')).toMatchObject({
    error_code: 'command_blocked',
    error: `tool did not run: the sandbox does not show its program, ${hidden}/node`,
    suggestion: expect.stringContaining('install it outside of /tmp'),
  });
});
