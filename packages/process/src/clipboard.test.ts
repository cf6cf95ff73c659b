import fs from 'node:fs';
import path from 'node:path';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { copyToClipboard, findClipboard } from './clipboard.ts';

/** A directory with programs of these names. */
function programs(scripts: Readonly<Record<string, string>>) {
  const directory = makeTempDirectory();
  for (const [name, script] of Object.entries(scripts)) {
    makeTree(directory, { [name]: { content: `#!/bin/sh\n${script}\n`, mode: 0o755 } });
  }
  return directory;
}

test.for<[string, string[], object, string | undefined]>([
  ['linux', ['xsel', 'xclip', 'wl-copy'], { DISPLAY: ':0', WAYLAND_DISPLAY: 'w' }, 'wl-copy'],
  ['linux', ['xsel', 'xclip'], { DISPLAY: ':0', WAYLAND_DISPLAY: 'w' }, 'xsel -b -i'],
  ['linux', ['xclip'], { DISPLAY: ':0' }, 'xclip -selection clipboard'],
  ['linux', ['xsel', 'wl-copy', 'pbcopy', 'clip.exe'], {}, undefined],
  ['linux', ['clip.exe'], { WSL_DISTRO_NAME: 'Ubuntu' }, 'clip.exe'],
  ['darwin', ['pbcopy', 'xsel'], { DISPLAY: ':0' }, 'pbcopy'],
  ['darwin', ['xsel'], { DISPLAY: ':0' }, undefined],
])('on %s with %j and %j uses %s', ([platform, names, variables, expected]) => {
  const directory = programs(Object.fromEntries(names.map((name) => [name, 'cat'])));
  const found = findClipboard({ PATH: `relative:${directory}`, ...variables }, platform as NodeJS.Platform);
  expect(found && [path.relative(directory, found.command), ...found.args].join(' ')).toBe(expected);
});

test('gives all of the text to the program', async () => {
  const directory = programs({ copy: 'cat > "$0.out"' });
  const chunks = Array.from({ length: 20 }, (_, i) => Buffer.alloc(100_000, `${i}`));
  expect(await copyToClipboard({ command: `${directory}/copy`, args: [] }, chunks)).toBeUndefined();
  expect(fs.readFileSync(`${directory}/copy.out`).equals(Buffer.concat(chunks))).toBe(true);
});

test.for([
  ['one that fails', 'exit 3', 'ended with status 3'],
  ['one that does not read', 'exec 0<&-; exit 0', undefined],
  ['one that hangs', 'sleep 60', 'took longer than 0.2 seconds'],
] as const)('says what is wrong with %s', async ([, script, fault]) => {
  const program = { command: `${programs({ copy: script })}/copy`, args: [] };
  expect(await copyToClipboard(program, [Buffer.alloc(1_000_000)], fault?.startsWith('took') ? 200 : 5_000)).toBe(
    fault,
  );
});

test('says that a program cannot be started', async () => {
  expect(await copyToClipboard({ command: '/nowhere/copy', args: [] }, [])).toBe('could not be started');
});
