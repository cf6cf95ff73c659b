import { makeTempDirectory, openTestMachine } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { openWorkspaceState } from './workspace-state.ts';

test.each([true, false])(
  'takes back one of two approvals that differ only in whom they count for: %s',
  async (forAll) => {
    const options = { root: makeTempDirectory(), state: makeTempDirectory() };
    const grants = await openTestMachine(options).grants();
    const permission = { tool: 'run_shell', type: 'dangerous_command', key: 'rm -rf build' };
    for (const each of [true, false]) await grants.add({ ...permission, fingerprint: 'f' }, { forAll: each });
    const { root, state: directory } = options;
    const directories = { state: directory, cache: `${directory}/spill` };
    const state = openWorkspaceState({ root, version: '1', home: directory, directories, environment: {}, log() {} });
    expect(await state.revoke({ ...permission, forAll })).toEqual({ text: 'revoked 1 approval' });
    expect(await grants.list()).toMatchObject([{ forAll: !forAll }]);
    expect(await state.revoke({ ...permission, forAll })).toEqual({ text: 'revoked 0 approvals' });
  },
);
