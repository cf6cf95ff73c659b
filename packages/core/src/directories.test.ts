import { expect, test } from 'vitest';
import { findCacheDirectory, findDirectories } from './directories.ts';

const HOME = '/home/me';

test.for([
  [{}, '/home/me/.config/jinn', '/home/me/.cache/jinn'],
  [{ JINN_CONFIG_DIR: '', XDG_CONFIG_HOME: '', XDG_CACHE_HOME: '' }, '/home/me/.config/jinn', '/home/me/.cache/jinn'],
  [{ XDG_CONFIG_HOME: '/c', XDG_CACHE_HOME: '/k' }, '/c/jinn', '/k/jinn'],
  [{ JINN_CONFIG_DIR: '/own', XDG_CONFIG_HOME: '/c' }, '/own/jinn', '/home/me/.cache/jinn'],
  [{ JINN_CONFIG_DIR: '~' }, '/home/me/jinn', '/home/me/.cache/jinn'],
  [{ JINN_CONFIG_DIR: '~/own' }, '/home/me/own/jinn', '/home/me/.cache/jinn'],
  [{ XDG_CONFIG_HOME: 'c', XDG_CACHE_HOME: './k' }, '/home/me/.config/jinn', '/home/me/.cache/jinn'],
  [{ XDG_CONFIG_HOME: '~/c', XDG_CACHE_HOME: '~' }, '/home/me/.config/jinn', '/home/me/.cache/jinn'],
] as const)('finds the directories for %j', ([env, state, cache]) => {
  expect(findDirectories(env, HOME)).toEqual({ state, cache });
  expect(findCacheDirectory(env, HOME)).toBe(cache);
});

test.for([undefined, '', '.', 'home'])('has no directories for the home %j', (home) => {
  expect(findDirectories({}, home)).toEqual({ state: undefined, cache: undefined });
  expect(findDirectories({ JINN_CONFIG_DIR: '/own' }, home).state).toBe('/own/jinn');
});

test.for([
  ['own', HOME],
  ['./own', HOME],
  ['~other/own', HOME],
  ['~', undefined],
  ['~/own', '.'],
] as const)('refuses JINN_CONFIG_DIR=%s with the home %s', ([JINN_CONFIG_DIR, home]) => {
  expect(() => findDirectories({ JINN_CONFIG_DIR }, home)).toThrow(
    expect.objectContaining({
      code: 'invalid_args',
      message: `JINN_CONFIG_DIR is not an absolute path: "${JINN_CONFIG_DIR}"`,
      suggestion: expect.stringContaining('begins with / or ~/'),
    }),
  );
});
