import fs from 'node:fs';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { findRipgrep } from './ripgrep.ts';

/** A ripgrep that says a version, and leaves a file each time that it is asked. */
function makeFake(version: string): { command: string; asked(): number } {
  const directory = makeTempDirectory();
  const content = `#!/bin/sh\necho "ripgrep ${version}"\necho >> "$0.asked"\n`;
  makeTree(directory, { rg: { content, mode: 0o755 } });
  const command = `${directory}/rg`;
  return {
    command,
    asked: () => (fs.existsSync(`${command}.asked`) ? fs.readFileSync(`${command}.asked`, 'utf8').length : 0),
  };
}

test('finds the one that came with jinn again, without looking for it', async () => {
  const place = { root: makeTempDirectory(), cacheDirectory: makeTempDirectory() };
  const file = `${place.cacheDirectory}/ripgrep.json`;
  // A copy of the module, since another test of this process may have asked for it, which is remembered.
  const copy = './ripgrep.ts?copy';
  const module: typeof import('./ripgrep.ts') = await import(copy);
  await module.findRipgrep({ PATH: '' }, place);
  const [[name, entry] = []] = Object.entries(JSON.parse(fs.readFileSync(file, 'utf8')));
  expect(name).toMatch(/^file:.*ripgrep/);
  expect(entry).toMatchObject({ command: expect.stringMatching(/\/rg$/), version: expect.stringMatching(/^\d+\./) });
});

test('asks a program for its version once, and again when it is another', async () => {
  const cacheDirectory = makeTempDirectory();
  const place = { root: makeTempDirectory(), cacheDirectory };
  const fake = makeFake('98.1.0');
  const found = await findRipgrep({ JINN_RIPGREP: fake.command }, place);
  expect([found, fake.asked()]).toEqual([{ command: fake.command, version: '98.1.0' }, 1]);
  const kept = JSON.parse(fs.readFileSync(`${cacheDirectory}/ripgrep.json`, 'utf8'));
  expect(kept[fake.command]).toMatchObject({ version: '98.1.0' });
  expect(fs.statSync(`${cacheDirectory}/ripgrep.json`).mode & 0o777).toBe(0o600);
  // As another process would: by a name that was not asked for in this one.
  const again = makeFake('98.2.0');
  const { size, mtimeMs } = fs.statSync(again.command);
  fs.writeFileSync(
    `${cacheDirectory}/ripgrep.json`,
    JSON.stringify({ [again.command]: { command: again.command, size, mtimeMs, version: '97.0.0' } }),
  );
  expect((await findRipgrep({ JINN_RIPGREP: again.command }, place))?.version).toBe('97.0.0');
  expect(again.asked()).toBe(0);
  const changed = makeFake('98.3.0');
  fs.writeFileSync(
    `${cacheDirectory}/ripgrep.json`,
    JSON.stringify({ [changed.command]: { command: changed.command, size, mtimeMs: 1, version: '97.0.0' } }),
  );
  expect((await findRipgrep({ JINN_RIPGREP: changed.command }, place))?.version).toBe('98.3.0');
});

test('takes the newest of what is there, by number', async () => {
  const fakes = ['14.9.0', '98.10.0', '98.9.9'].map(makeFake);
  for (const { command } of fakes) {
    const place = { root: makeTempDirectory(), cacheDirectory: undefined };
    const found = await findRipgrep({ PATH: command.slice(0, -'/rg'.length) }, place);
    expect(found?.command === command).toBe(command !== fakes[0]?.command);
  }
});

test('does without a cache that is damaged, or that cannot be written', async () => {
  const root = makeTempDirectory();
  makeTree(root, { 'cache/ripgrep.json': '[', file: '' });
  for (const cacheDirectory of [`${root}/cache`, `${root}/file/below`, undefined]) {
    const { command } = makeFake('98.0.0');
    expect((await findRipgrep({ JINN_RIPGREP: command }, { root, cacheDirectory }))?.version).toBe('98.0.0');
  }
});
