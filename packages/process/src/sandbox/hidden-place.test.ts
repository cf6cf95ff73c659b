import { makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { makeHome, makeScene } from './fixture/sandbox-scene.ts';
import { findHiddenPlace } from './hidden-place.ts';

test('no setting is named for a file of the operator, but for what config.json hides', () => {
  const place = makeHome();
  makeTree(place, { 'team.json': '', mine: '', seen: '' });
  const policy = { ownFiles: [`${place}/team.json`], hidden: [`${place}/mine`] };
  const { confinement } = makeScene({ policy });
  const find = (name: string) => findHiddenPlace(`${place}/${name}`, confinement);
  expect(find('team.json')).toEqual({ place: `${place}/team.json`, cure: undefined });
  expect(find('mine')?.cure).toBe(`take ${place}/mine out of sandbox.hidden in config.json`);
  expect(find('seen')).toBeUndefined();
});
