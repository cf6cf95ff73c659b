import fs from 'node:fs';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { openMachine } from './open-machine.ts';

function open(more: Partial<Parameters<typeof openMachine>[0]> = {}) {
  const root = makeTempDirectory();
  const directories = { state: `${root}/.state`, cache: `${root}/.cache` };
  const machine = openMachine({
    root,
    home: undefined,
    directories,
    environment: { A: 'b' },
    log: () => {},
    ...more,
  });
  onTestFinished(() => machine.close());
  return { root, machine };
}

test('writes nothing until something is needed', async () => {
  const { root, machine } = open();
  expect(machine).toMatchObject({ environment: { A: 'b' }, lockDirectory: `${root}/.state/locks` });
  expect(await machine.sandboxPolicy()).toMatchObject({ mode: 'auto', network: true });
  expect(fs.readdirSync(root)).toEqual([]);
  await machine.history();
  expect(fs.readdirSync(root)).toEqual(['.state']);
});

test('opens each database once', async () => {
  const { machine } = open();
  expect(await machine.history()).toBe(await machine.history());
  expect(await machine.memory()).toBe(await machine.memory());
  expect(await machine.grants()).toBe(await machine.grants());
});

test('has no history where it was told to have none', async () => {
  expect(await open({ history: false }).machine.history()).toBeUndefined();
});

test('lets no tool into its own directories, should they lie in the workspace', () => {
  const { root, machine } = open();
  fs.mkdirSync(`${root}/.state`);
  expect(() => machine.workspace.status('.state')).toThrow(expect.objectContaining({ code: 'path_outside_sandbox' }));
});

test.each([
  ...['.ssh', '.aws/x', 'repo/.git', 'repo/.git/hooks', '.config/gh', '.Config/Google-Chrome/Default', '.kube'],
])('does not work in a secret place: %s', (name) => {
  const top = makeTempDirectory();
  const root = `${top}/${name}`;
  fs.mkdirSync(root, { recursive: true });
  expect(() => open({ root, home: top })).toThrow(expect.objectContaining({ code: 'path_outside_sandbox' }));
  fs.symlinkSync(root, `${top}/plain`);
  expect(() => open({ root: `${top}/plain`, home: top })).toThrow(
    expect.objectContaining({ code: 'path_outside_sandbox' }),
  );
});

test('takes directories of the workspace from the PATH, but not from that of commands', () => {
  const root = makeTempDirectory();
  const PATH = `${root}/node_modules/.bin:.:/usr/bin`;
  const { machine } = open({ root, environment: { PATH } });
  expect(machine).toMatchObject({ environment: { PATH: '/usr/bin' }, commandPath: PATH });
});
