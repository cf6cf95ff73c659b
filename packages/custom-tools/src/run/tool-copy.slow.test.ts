import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { toolTrust, variableTrust } from '@jinn/core/trust';
import type { FileTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { createSurvey } from '../custom-toolset.ts';
import { bashTool, type Fields, makeScene, resultOf, type Scene, toolMd } from '../fixture/custom-registry.ts';
import { has } from '../fixture/installed-runtimes.ts';
import { fingerprintFolder } from '../folders/index.ts';

const inWorkspace = (script: string, fields: Fields = {}, more: FileTree = {}) =>
  Object.fromEntries(Object.entries(bashTool(script, fields, more)).map(([file, entry]) => [`.jinn/${file}`, entry]));

/** Trusts the tools of the workspace as they are, with these variables. */
async function trustAll({ machine }: Scene, variables: readonly string[] = []): Promise<void> {
  const { untrusted } = await createSurvey({ machine, builtIn: new Map() })();
  const grants = await machine.grants();
  for (const tool of untrusted) {
    const fingerprint = fingerprintFolder(tool.folder) as string;
    await grants.add({ ...toolTrust(tool), fingerprint });
    for (const variable of variables) await grants.add({ ...variableTrust(tool, variable), fingerprint });
  }
}

/** Tells that it runs, waits until something is written to `go`, and says what its helper says. */
const WAITING = `cat > /dev/null
echo '{"_progress": "running"}' >&2
until [ -e go ]; do sleep 0.02; done
. "$(dirname "$0")/h.sh"
echo "{\\"v\\": \\"$v\\"}"`;

test.each([
  ['a tool of the workspace', true],
  ['a tool with a question', false],
])('%s runs what was approved, although its folder changes while it runs, and says so', async (_, isBrought) => {
  const more = { 'h.sh': 'v=approved' };
  const scene = isBrought
    ? await makeScene({ workspace: inWorkspace(WAITING, {}, more) })
    : await makeScene({ config: bashTool(WAITING, { requireApproval: true }, more) });
  const folder = isBrought ? `${scene.root}/.jinn/tools/tool` : `${scene.state}/tools/tool`;
  await trustAll(scene);
  const held: boolean[] = [];
  const progress = () => {
    held.push(scene.machine.workspace.heldFolders.has(`${folder}/h.sh`));
    fs.writeFileSync(`${folder}/h.sh`, 'v=evil');
    fs.writeFileSync(`${scene.root}/go`, '');
  };
  const answer = await scene.call('tool', {}, { progress, ask: async () => 'always' });
  expect(resultOf(answer)).toEqual({ v: 'approved' });
  expect(answer.meta).toMatchObject({ warnings: [expect.stringContaining('changed while the tool ran')] });
  expect([...held, scene.machine.workspace.heldFolders.has(folder)]).toEqual([true, false]);
  const next = await scene.call('tool');
  expect(next).toMatchObject({ ok: false, error_code: isBrought ? 'unknown_tool' : 'approval_required' });
});

test('no call runs other code than what was trusted, however fast the files change', { timeout: 60_000 }, async () => {
  const scene = await makeScene({ workspace: inWorkspace('echo \'{"v":"good"}\'') });
  await trustAll(scene);
  const flip = `import os,time
os.chdir(${JSON.stringify(`${scene.root}/.jinn/tools/tool`)})
good = open('script.sh').read()
end = time.time() + 6
while time.time() < end:
  for text, wait in (('echo \\'{"v":"EVIL"}\\'', 0.004), (good, 0.008)):
    open('../t', 'w').write(text); os.rename('../t', 'script.sh'); time.sleep(wait)`;
  const flipping = spawn('python3', ['-c', flip]);
  const ended = new Promise((resolve) => flipping.once('exit', resolve));
  const seen = new Set<unknown>();
  for (const end = Date.now() + 5_500; Date.now() < end; ) {
    const answer = await scene.call('tool');
    seen.add(answer.ok ? resultOf(answer)['v'] : answer.error_code);
  }
  await ended;
  expect(resultOf(await scene.call('tool'))).toEqual({ v: 'good' });
  expect([...seen]).not.toContain('EVIL');
  for (const outcome of seen) expect(['good', 'conflict', 'unknown_tool']).toContain(outcome);
});

test('a definition that changes after it was read does not run', async () => {
  const scene = await makeScene({ config: bashTool('echo "{}"', { requireApproval: true }) });
  const [entry] = (await scene.toolset.look()).tools;
  const tool = await entry?.load();
  scene.write({ 'tools/tool/tool.md': toolMd({ requireApproval: true, env: ['SECRET'] }) });
  const ctx = { ...scene.machine } as never;
  await expect(tool?.prepare?.({} as never, ctx)).rejects.toMatchObject({ code: 'conflict' });
});

test('a tool that writes into its folder is told that this is lost', async () => {
  const count = 'cat > /dev/null; cd "$(dirname "$0")"; echo x >> n; echo "{\\"n\\": $(wc -l < n)}"';
  const scene = await makeScene({ workspace: inWorkspace(count) });
  await trustAll(scene);
  for (let times = 0; times < 2; times++) {
    const answer = await scene.call('tool');
    expect(resultOf(answer)).toEqual({ n: 1 });
    expect(answer.meta).toMatchObject({ warnings: [expect.stringContaining('what it wrote there is lost')] });
  }
  expect(fs.readdirSync(`${scene.root}/.jinn/tools/tool`)).not.toContain('n');
});

test('a tool of the workspace gets the variables that the person named, and says which it misses', async () => {
  const script = 'cat > /dev/null; [ -n "$GIVEN$OTHER" ] || exit 1; echo "{\\"v\\": \\"$GIVEN $OTHER\\"}"';
  const env = ['GIVEN', 'OTHER'];
  const config = { '.env': 'GIVEN=a\nOTHER=b\n' };
  const given = await makeScene({ workspace: inWorkspace(script, { env }), config });
  await trustAll(given, ['GIVEN']);
  expect(resultOf(await given.call('tool'))).toEqual({ v: 'a ' });
  const bare = await makeScene({ workspace: inWorkspace(script, { env }), config });
  await trustAll(bare);
  expect(await bare.call('tool')).toMatchObject({
    ok: false,
    suggestion: expect.stringContaining('jinn tools trust --env=GIVEN,OTHER tool'),
  });
});

test.each(['workspace_tool', 'workspace_variable'])('a check cannot have %s allowed', async (permissionType) => {
  const verdict = { allowed: false, requiresApproval: true, permissionType, permissionKey: 'SECRET' };
  const fields = { hasSecurityCheck: true, securityScript: 'check.sh' };
  const files = { 'check.sh': `echo '${JSON.stringify(verdict)}'` };
  const scene = await makeScene({ config: bashTool('echo "{}"', fields, files) });
  expect(await scene.call('tool', {}, { ask: async () => 'always' })).toMatchObject({
    error_code: 'command_blocked',
    error: expect.stringContaining(`permissionType must not be ${permissionType}`),
  });
});

test('a go tool is built once for its content, in its own module, and a fault is told', { timeout: 180_000 }, async ({
  skip,
}) => {
  if (!has('go')) skip('there is no go');
  const script = 'package main\nimport ("os"; "tool/lib")\nfunc main() { os.Stdout.WriteString(lib.X) }\n';
  const scene = await makeScene({
    config: {
      'tools/tool/tool.md': toolMd({ runtime: 'go', script: 'cmd/script.go', timeout: 100_000 }),
      'tools/tool/go.mod': 'module tool\n\ngo 1.18\n',
      'go.work': 'go 1.18\nuse ./none\n',
      'tools/tool/lib/lib.go': 'package lib\nconst X = `{"v":1}`\n',
      'tools/tool/cmd/script.go': script,
    },
  });
  expect(resultOf(await scene.call('tool'))).toEqual({ v: 1 });
  const built = () => {
    const copies = fs.readdirSync(`${scene.state}/spill/tools`).map((name) => `${scene.state}/spill/tools/${name}`);
    return copies.flatMap((copy) => fs.readdirSync(copy).map((name) => fs.statSync(`${copy}/${name}`).ino));
  };
  const first = built();
  expect(resultOf(await scene.call('tool'))).toEqual({ v: 1 });
  expect(built()).toEqual(first);
  scene.write({ 'tools/tool/lib/lib.go': 'package lib\nconst X = `{"v":2}`\n' });
  expect(resultOf(await scene.call('tool'))).toEqual({ v: 2 });
  scene.write({ 'tools/tool/lib/lib.go': 'package lib\n' });
  expect(await scene.call('tool')).toMatchObject({
    error_code: 'tool_failed',
    error: expect.stringMatching(/cmd\/script\.go could not be built: [\s\S]*lib\.X/),
    suggestion: expect.stringContaining('not in the arguments'),
  });
  fs.truncateSync(`${scene.state}/tools/tool/go.mod`, 300 * 1024 * 1024);
  expect(await scene.call('tool')).toMatchObject({ error_code: 'resource_limit' });
});
