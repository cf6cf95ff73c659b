import fs from 'node:fs';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { readCopyable, SettingsCopies } from './workspace-guard.ts';

const TEXT = '[core]\n\tbare = false\n';

function scene() {
  const [git, parent] = [fs.realpathSync(makeTempDirectory()), fs.realpathSync(makeTempDirectory())];
  fs.writeFileSync(`${git}/config`, TEXT);
  const copies = new SettingsCopies();
  const take = () => copies.take(parent, readCopyable(git));
  return { git, parent, copies, take };
}

test('gives the copies that a command left as they were to the next one, and to no two at once', () => {
  const { parent, copies, take } = scene();
  const [first, second] = [take(), take()];
  expect(second.directory).not.toBe(first.directory);
  copies.giveBack(first);
  expect(take().directory).toBe(first.directory);
  copies.giveBack(second);
  expect(fs.readdirSync(parent)).toHaveLength(2);
});

test('makes new copies when the settings have changed', () => {
  const { git, parent, copies, take } = scene();
  const first = take();
  copies.giveBack(first);
  fs.writeFileSync(`${git}/config`, `${TEXT}[user]\n\tname = A\n`);
  const second = take();
  expect(fs.readFileSync(`${second.directory}/0/config`, 'utf8')).toContain('name = A');
  expect(fs.readdirSync(parent)).toHaveLength(1);
});

test.for<[string, (directory: string) => void]>([
  ['a changed copy', (directory) => fs.appendFileSync(`${directory}/0/config`, '[x]\n')],
  ['a copy that is a link', (directory) => relink(`${directory}/0/config`)],
  ['another file beside a copy', (directory) => fs.writeFileSync(`${directory}/0/include`, '')],
  ['another directory', (directory) => fs.mkdirSync(`${directory}/1`)],
  ['a link in the place of a directory', (directory) => relink(`${directory}/0`)],
])('gives no command %s', ([, change]) => {
  for (const isBack of [false, true]) {
    const { copies, take } = scene();
    const first = take();
    if (isBack) copies.giveBack(first);
    change(first.directory);
    if (!isBack) copies.giveBack(first);
    const second = take();
    expect(second.directory).not.toBe(first.directory);
    expect(fs.existsSync(first.directory)).toBe(false);
  }
});

/** Moves a file or directory away, and leaves a link to it with the same content. */
function relink(path: string): void {
  const away = `${makeTempDirectory()}/away`;
  fs.renameSync(path, away);
  fs.symlinkSync(away, path);
}
