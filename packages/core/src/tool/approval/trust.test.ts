import { makeTempDirectory, openTestMachine } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { serverTrust, toolTrust, trustedFingerprints, variableTrust } from './trust.ts';

test('the fingerprints are those that the person trusts and those for everybody, of just this', async () => {
  const place = { root: makeTempDirectory(), state: makeTempDirectory() };
  const of = (person: string) => openTestMachine({ ...place, person }).grants;
  const tool = { name: 'deploy', shown: '.jinn/tools/deploy' };
  const subject = toolTrust(tool);
  expect(await trustedFingerprints(subject, of('ann'))).toEqual([]);
  await (await of('ann')()).add({ ...subject, fingerprint: 'mine' });
  await (await of('')()).add({ ...subject, fingerprint: 'all' }, { forAll: true });
  await (await of('ann')()).add({ ...variableTrust(tool, 'TOKEN'), fingerprint: 'variable' });
  await (await of('ann')()).add({ ...serverTrust('zls'), fingerprint: 'server' });
  const trusted = async (person: string) => (await trustedFingerprints(subject, of(person))).toSorted();
  expect([await trusted('ann'), await trusted('bob')]).toEqual([['all', 'mine'], ['all']]);
  expect(await trustedFingerprints(variableTrust(tool, 'TOKEN'), of('ann'))).toEqual(['variable']);
  expect(await trustedFingerprints(variableTrust(tool, 'OTHER'), of('ann'))).toEqual([]);
  expect(await trustedFingerprints(serverTrust('zls'), of('ann'))).toEqual(['server']);
});

test('nothing is trusted where the grants cannot be read', async () => {
  const grants = async () => Promise.reject(new Error('no grants'));
  expect(await trustedFingerprints(serverTrust('zls'), grants)).toEqual([]);
});
