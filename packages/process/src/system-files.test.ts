import fs from 'node:fs';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { watchDirectory } from './system-files.ts';

test('tells of files that are made, changed in place and removed', async () => {
  const directory = makeTempDirectory();
  let changes = 0;
  const end = watchDirectory(
    directory,
    () => changes++,
    () => {},
  );
  onTestFinished(() => end?.());
  const file = `${directory}/a`;
  for (const change of [() => fs.writeFileSync(file, ''), () => fs.appendFileSync(file, 'a'), () => fs.rmSync(file)]) {
    const before = changes;
    change();
    await expect.poll(() => changes).toBeGreaterThan(before);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
});

test('does not watch what is not there', () => {
  expect(
    watchDirectory(
      '/nowhere',
      () => {},
      () => {},
    ),
  ).toBeUndefined();
});
