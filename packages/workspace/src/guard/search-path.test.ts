import fs from 'node:fs';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { withOwnPath } from './workspace.ts';

const PLAIN = '/usr/local/bin:/usr/bin:/bin';

function scene() {
  const top = makeTempDirectory();
  makeTree(top, { 'ws/bin/git': '', 'other/bin/git': '', link: { symlink: 'ws/bin' }, out: { symlink: 'other' } });
  fs.symlinkSync('../other/bin', `${top}/ws/away`);
  return { top, own: (PATH: string | undefined) => withOwnPath({ PATH }, `${top}/ws`).PATH };
}

test.for([
  ['as written', '$/ws/bin'],
  ['the workspace itself', '$/ws'],
  ['with dots', '$/other/../ws/bin/'],
  ['as resolved', '$/link'],
  ['as written, but leads out', '$/ws/away'],
  ['missing', '$/ws/none/bin'],
  ['missing behind a link', '$/link/none'],
  ['relative', 'node_modules/.bin'],
  ['the working directory', '.'],
  ['empty', ''],
])('leaves out an entry in the workspace: %s', ([, entry = '']) => {
  const { top, own } = scene();
  const path = entry.replace('$', top);
  expect(own(`${path}:${top}/other/bin:${path}`)).toBe(`${top}/other/bin`);
  expect(own(path)).toBe(PLAIN);
});

test('keeps what lies elsewhere, and never leaves an empty PATH', () => {
  const { top, own } = scene();
  const outside = `${top}/other/bin:${top}/out/bin:${top}/ws2:/usr/bin:/missing`;
  expect(own(outside)).toBe(outside);
  expect([own(undefined), own(''), own(':')]).toEqual([PLAIN, PLAIN, PLAIN]);
});
