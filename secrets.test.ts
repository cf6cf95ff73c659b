import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { classify } from './packages/bash/src/index.ts';
import { readContext } from './packages/context/src/read-context.ts';
import { checksumTree } from './packages/fs-tools/src/checksum-tree.ts';
import { editFile } from './packages/fs-tools/src/edit-file.ts';
import { listDir } from './packages/fs-tools/src/list-dir.ts';
import { readFile } from './packages/fs-tools/src/read-file.ts';
import { secretPlaces } from './packages/sandbox/src/view/sandbox-places.ts';
import { WorkspaceScanner } from './packages/sandbox/src/workspace/workspace-scan.ts';
import { findFiles } from './packages/search/src/find-files.ts';
import { searchFiles } from './packages/search/src/search-files.ts';
import { HOME_PLACES, SYSTEM_PLACES } from './packages/secrets/src/places.ts';
import { call, makeTempDirectory, makeTree } from './packages/testkit/src/index.ts';
import type { Tool } from './packages/tool/src/tool.ts';

const NO_POLICY = { mode: 'off', network: true, home: undefined, state: [], writable: [], hidden: [] } as const;

const places = HOME_PLACES.map((place) => place.replaceAll('*', 'any'));

describe('every place below the home', () => {
  test.each([
    'cat "$HOME/PLACE"',
    "grep x ~/'PLACE'",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: bash reads it.
    'head "${HOME}/PLACE"',
    'base64 "/home/me/PLACE/some/file"',
    'cp "/root/PLACE" .',
    'cd ~; cat "PLACE"',
    'x="$HOME/PLACE"; sort < "$x"',
  ])('is dangerous to read by %s', (command) => {
    const risks = places.map((place) => [place, classify(command.replace('PLACE', place)).risk]);
    expect(risks.filter(([, risk]) => risk !== 'dangerous')).toEqual([]);
  });

  test.each([
    ['as it is written', (place: string) => place],
    ['in capital letters', (place: string) => place.toUpperCase()],
  ])('is hidden by the sandbox, %s', (_, spelled) => {
    const home = makeTempDirectory();
    for (const place of places) makeTree(home, { [`${spelled(place)}/file`]: 'x' });
    const hidden = new Set(secretPlaces({ ...NO_POLICY, home }));
    expect(places.filter((place) => !hidden.has(path.join(home, spelled(place))))).toEqual([]);
  });
});

test('every place of the system is dangerous to read, and hidden where it is readable', () => {
  const judged = SYSTEM_PLACES.map((place) => [place, classify(`cat ${place}`).risk]);
  expect(judged.filter(([, risk]) => risk !== 'dangerous')).toEqual([]);
  const hidden = secretPlaces(NO_POLICY);
  const readable = SYSTEM_PLACES.filter((place) => isReadable(place));
  expect(readable.map((place) => fs.realpathSync(place)).filter((place) => !hidden.includes(place))).toEqual([]);
});

test.each([
  ['cat "$dir/.config/gh/hosts.yml"', 'dangerous'],
  ['cat "$dir/mail/index.js"', 'safe'],
  ['cat ~/.config/JetBrains/*/c.pwd', 'dangerous'],
  ['cat ~/notes$X', 'safe'],
  ['cat ~/.vault_p*', 'dangerous'],
  ['cat ~/.config/Cursor/User/settings.json', 'safe'],
])('what a place may be behind a variable or a glob: %s is %s', (command, risk) => {
  expect(classify(command).risk).toBe(risk);
});

/** Calls by which a file `d/NAME` would be seen, with what then stands in the answer. */
const LOOKS: readonly [string, Tool, object, string][] = [
  ['read_file', readFile, { path: 'd/NAME' }, 'w0rd'],
  ['edit_file', editFile, { path: 'd/NAME', old_text: 'w0rd', new_text: 'other' }, 'd/NAME'],
  ['find_files', findFiles, { pattern: '**/*', hidden: true, no_ignore: true }, 'NAME'],
  ['search_files', searchFiles, { pattern: 'w0rd', hidden: true, no_ignore: true }, 'w0rd'],
  ['checksum_tree', checksumTree, { path: '.' }, 'NAME'],
  ['read_context', readContext, { rules: ['.*', '*'] }, 'w0rd'],
];

/** Leaves out hidden names anyway, but not `#.env#`. */
const LISTING: (typeof LOOKS)[number] = ['list_dir', listDir, {}, 'NAME'];

async function isSeen(name: string, [, tool, args, seen]: (typeof LOOKS)[number]): Promise<boolean> {
  const root = makeTempDirectory();
  makeTree(root, { [`d/${name}`]: 'w0rd\n', 'd/plain': 'none\n' });
  const fill = (text: string) => text.replaceAll('NAME', name);
  const answer = await call(tool, JSON.parse(fill(JSON.stringify(args))), { root });
  return answer.ok && JSON.stringify(answer).includes(fill(seen));
}

describe.each(['.env', '.env.local', '.Env.example.local', '.env~', '#.env#', '#.ENV.local#', '.ssh', '.AWS'])(
  'the guarded name %s',
  (name) => {
    test('is found by the scan of the sandbox, in a workspace and in the home, and never safe to read', async () => {
      const root = makeTempDirectory();
      makeTree(root, { [name]: 'x' });
      expect((await new WorkspaceScanner().scan(root)).secrets).toEqual([`${root}/${name}`]);
      expect(secretPlaces({ ...NO_POLICY, home: root })).toContain(`${root}/${name}`);
      expect(classify(`cat 'd/${name}'`).risk).toBe('caution');
    });

    test.each([...LOOKS, LISTING])('is not seen by %s', async (...look) => {
      expect(await isSeen(name, look)).toBe(false);
    });
  },
);

describe.each(['.env.example', '.env.sample', '.ENV.template'])('the open name %s', (name) => {
  test('is passed over by the scan of the sandbox, in a workspace and in the home, and safe to read', async () => {
    const root = makeTempDirectory();
    makeTree(root, { [name]: 'x' });
    expect((await new WorkspaceScanner().scan(root)).secrets).toEqual([]);
    expect(secretPlaces({ ...NO_POLICY, home: root })).not.toContain(`${root}/${name}`);
    expect(classify(`cat d/${name} ~/${name} "$dir/${name}"`).risk).toBe('safe');
  });

  test.each(LOOKS)('is seen by %s', async (...look) => {
    expect(await isSeen(name, look)).toBe(true);
  });
});

function isReadable(place: string): boolean {
  try {
    fs.accessSync(place, fs.constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
