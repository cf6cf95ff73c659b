import fs from 'node:fs';
import { describeTools } from '@jinn/core';
import { toolTrust } from '@jinn/core/trust';
import { makeTempDirectory, openTestMachine } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { createSurvey } from './custom-toolset.ts';
import type { FoundTool } from './discover.ts';
import { bashTool, makeScene, resultOf } from './fixture/custom-registry.ts';
import { fingerprintFolder } from './folders/index.ts';
import { copyTool } from './run/tool-copy.ts';

const trustIn = (tool: FoundTool) => ({ ...toolTrust(tool), fingerprint: fingerprintFolder(tool.folder) as string });

const inWorkspace = (script: string, fields = {}) =>
  Object.fromEntries(Object.entries(bashTool(script, fields)).map(([file, entry]) => [`.jinn/${file}`, entry]));

test('a tool of the workspace is off until the person trusts it, and again after a change', async () => {
  const scene = await makeScene({ workspace: inWorkspace('echo "{}"') });
  const { machine } = scene;
  const survey = createSurvey({ machine, builtIn: new Map() });
  const names = async () => (await describeTools(scene.registry)).map(({ name }) => name);
  expect(await names()).toEqual([]);
  expect(await scene.call('tool')).toMatchObject({
    ok: false,
    error: expect.stringContaining('.jinn/tools/tool: the tool tool came with the workspace and is off'),
  });
  expect((await scene.registry.list()).leftOut.map(({ reason }) => reason)).toEqual([
    expect.stringContaining('jinn tools trust tool'),
  ]);
  const trust = async () => {
    const [tool] = (await survey()).untrusted;
    const subject = tool && trustIn(tool);
    if (subject) await (await machine.grants()).add(subject);
  };
  await trust();
  expect(await names()).toEqual(['tool']);
  expect(resultOf(await scene.call('tool'))).toEqual({});
  fs.writeFileSync(`${scene.root}/.jinn/tools/tool/script.sh`, 'echo "{\\"v\\":2}"');
  expect(await names()).toEqual([]);
  expect(await scene.call('tool')).toMatchObject({ ok: false });
  await trust();
  expect(resultOf(await scene.call('tool'))).toEqual({ v: 2 });
  await (await machine.grants()).revoke({ tool: 'tool' });
  expect(await names()).toEqual([]);
});

test('the error for a tool that is off names what switches it on, and nothing else', async () => {
  const scene = await makeScene({ workspace: inWorkspace('echo "{}"', { name: '-x' }) });
  const { error, suggestion } = await scene.call('-x');
  expect(error).toMatch(
    /is off until the user trusts it: jinn tools trust -- -x. On a team server, the operator trusts it for all: jinn-mcp grants trust -- -x$/,
  );
  expect(suggestion).toBe('tell the user, who can fix it: jinn tools check shows it');
});

test('a tool that one person trusts runs for nobody else, unless it is allowed to everybody', async () => {
  const scene = await makeScene({ workspace: inWorkspace('echo "{}"') });
  const [tool] = (await createSurvey({ machine: scene.machine, builtIn: new Map() })()).untrusted;
  if (!tool) throw new Error('there is a tool');
  const state = makeTempDirectory();
  const of = (person: string) => openTestMachine({ root: scene.root, state, person });
  const trust = trustIn(tool);
  const run = async (person: string) => (await copyTool(tool, of(person))).fingerprint;
  await (await of('ann').grants()).add(trust);
  expect(await run('ann')).toBe(trust.fingerprint);
  await expect(run('bob')).rejects.toMatchObject({
    code: 'approval_required',
    message: 'tool did not run: .jinn/tools/tool came with the workspace, and is off for you',
    suggestion: 'tell the operator of the server, who can trust it for all: jinn-mcp grants trust tool',
  });
  await (await of('').grants()).add(trust, { forAll: true });
  expect(await run('bob')).toBe(trust.fingerprint);
});

test('whoever has no name is told to allow a tool of the workspace with jinn, also where nothing can be read', async () => {
  const scene = await makeScene({ workspace: inWorkspace('echo "{}"', { name: '-x' }) });
  const [tool] = (await createSurvey({ machine: scene.machine, builtIn: new Map() })()).untrusted;
  if (!tool) throw new Error('there is a tool');
  const off = {
    code: 'approval_required',
    message: '-x did not run: .jinn/tools/-x came with the workspace, and is off',
    suggestion: 'tell the user, who can trust it: jinn tools trust -- -x',
  };
  await expect(copyTool(tool, scene.machine)).rejects.toMatchObject(off);
  const unreadable = openTestMachine({ root: scene.root, state: makeTempDirectory() });
  fs.mkdirSync(`${unreadable.user.state.directory}/state.db`, { recursive: true });
  await expect((await unreadable.grants()).list()).rejects.toMatchObject({ code: 'write_failed' });
  await expect(copyTool(tool, unreadable)).rejects.toMatchObject(off);
});

test('a person with a name is told what the operator types to give a variable', async () => {
  const scene = await makeScene({ workspace: inWorkspace('exit 1', { env: ['A_KEY'] }) });
  const [tool] = (await createSurvey({ machine: scene.machine, builtIn: new Map() })()).untrusted;
  if (!tool) throw new Error('there is a tool');
  await (await scene.machine.grants()).add(trustIn(tool), { forAll: true });
  const asAnn = openTestMachine({ root: scene.root, state: scene.state, person: 'ann' });
  expect((await scene.call('tool', {}, asAnn)).suggestion).toContain('jinn-mcp grants trust --env=A_KEY tool');
  expect((await scene.call('tool')).suggestion).toContain('jinn tools trust --env=A_KEY tool');
});

test('the tools of another workspace are not trusted with it', async () => {
  const scene = await makeScene({ workspace: inWorkspace('echo "{}"') });
  const survey = createSurvey({ machine: scene.machine, builtIn: new Map() });
  const [tool] = (await survey()).untrusted;
  const other = await makeScene({ workspace: inWorkspace('echo "{}"') });
  if (tool) await (await scene.machine.grants()).add(trustIn(tool));
  expect(await describeTools(scene.registry)).toHaveLength(1);
  expect(await describeTools(other.registry)).toHaveLength(0);
});

test('a link in .jinn/tools is no tool', async () => {
  const scene = await makeScene({ workspace: { '.jinn/tools/link': { symlink: '../../elsewhere' } } });
  expect((await scene.registry.list()).leftOut.map(({ reason }) => reason)).toEqual([]);
});

test('an untrusted tool does not take the name of one that is served', async () => {
  const scene = await makeScene({ config: bashTool('echo "{\\"mine\\":1}"'), workspace: inWorkspace('echo "{}"') });
  expect(resultOf(await scene.call('tool'))).toEqual({ mine: 1 });
});
