import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { readContext } from '../../packages/context/src/read-context.ts';
import type { Tool } from '../../packages/core/src/tool/tool.ts';
import { applyPatch } from '../../packages/fs-tools/src/apply-patch.ts';
import { checksumTree } from '../../packages/fs-tools/src/checksum-tree.ts';
import { editFile } from '../../packages/fs-tools/src/edit-file.ts';
import { listDir } from '../../packages/fs-tools/src/list-dir.ts';
import { readFile } from '../../packages/fs-tools/src/read-file.ts';
import { secretPlaces } from '../../packages/process/src/sandbox/view/sandbox-places.ts';
import { guardRunFiles } from '../../packages/process/src/sandbox/workspace/run-files-guard.ts';
import { WorkspaceScanner } from '../../packages/process/src/sandbox/workspace/workspace-scan.ts';
import { findFiles } from '../../packages/search/src/find-files.ts';
import { searchFiles } from '../../packages/search/src/search-files.ts';
import { classify } from '../../packages/shell/src/risk/index.ts';
import { call, makeTempDirectory, makeTree, openTestMachine } from '../../packages/testkit/src/index.ts';
import { pathsOf } from '../../packages/workspace/src/secrets/fixture/paths-of.ts';
import { placesIn } from '../../packages/workspace/src/secrets/places.ts';
import { type RunFiles, runFiles } from '../../packages/workspace/src/secrets/run-files.ts';
import { hasSensitiveSegment } from '../../packages/workspace/src/secrets/secret-names.ts';

const NO_POLICY = { mode: 'off', network: true, home: undefined, state: [], writable: [], hidden: [] } as const;

/** Other paths that lead to a place below a home. */
const SPELLINGS = [
  '//home/./me/x/../PLACE',
  '/proc/self/root/home/me/PLACE',
  '/proc/1/root/root/PLACE',
  '/proc/thread-self/root/proc/4/task/5/root/home/me/PLACE',
  '//proc//self/./root/../home/me/PLACE',
  '../../home/me/PLACE',
];

const places = placesIn('home').map((place) => place.replaceAll('*', 'any'));

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
    ...SPELLINGS.map((spelling) => `cat "${spelling}"`),
    'cd /home/me; cat "/proc/self/cwd/PLACE"',
    'cd /proc/self; cat "root/home/me/PLACE"',
    'cat ~/"../me/PLACE"',
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

test.each([
  ['the home', ''],
  ['the directory above it', 'me/'],
])('no tool opens a place of the home where the workspace is %s', (_, below) => {
  const root = makeTempDirectory();
  const { workspace } = openTestMachine({ root, home: root + below.replace(/^(.*)\/$/, '/$1') });
  for (const place of places) makeTree(root, { [`${below}${place}/file`]: 'x', [`other/${place}/file`]: 'x' });
  const isOpen = (path: string) => {
    try {
      return workspace.status(path).kind === 'file';
    } catch {
      return false;
    }
  };
  const spellings = [`${below}PLACE`, `${below}PLACE/file`].flatMap((path) => [path, path.toUpperCase()]);
  const paths = places.flatMap((place) => spellings.map((path) => path.replace('PLACE', place)));
  expect(paths.filter(isOpen)).toEqual([]);
  const others = places.filter((place) => !hasSensitiveSegment(place));
  expect(others.filter((place) => !isOpen(`other/${place}/file`))).toEqual([]);
});

test('every place of the system is dangerous to read, and hidden where it is readable', () => {
  const paths = placesIn('system').flatMap((place) => [place, `/proc/1/root${place}`]);
  const judged = paths.map((place) => [place, classify(`cat ${place}`).risk]);
  expect(judged.filter(([, risk]) => risk !== 'dangerous')).toEqual([]);
  const hidden = secretPlaces(NO_POLICY);
  const readable = placesIn('system').filter((place) => isReadable(place));
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

describe('what is known by its name wherever it lies', () => {
  const inDirectories = placesIn('distinct').map((place) => (place.endsWith('/') ? `${place}x` : place));
  test.each([
    ...inDirectories,
    ...['id_rsa', 'id_dsa', 'id_ecdsa', 'id_ed25519', 'id_ecdsa_sk', 'id_ed25519_sk', 'ID_RSA'],
    ...['a.p12', 'a.pfx', 'a.jks', 'a.keystore', 'a.kdbx', 'a.ppk', 'a.ovpn', 'a.P12'],
    ...['privkey.pem', 'my-private_key.der', 'secret-key-2.asc', 'private.key.key'],
    ...['service-account-1.json', 'service_account.json', 'credentials.json', 'client_secret_1.json'],
  ])('%s is dangerous to read', (name) => {
    const commands = [`cat '${name}'`, `cp 'd/${name}' x`, `head < "/srv/${name}"`, `cd d && sort '${name}'`];
    expect(commands.filter((command) => classify(command).risk !== 'dangerous')).toEqual([]);
  });

  test.each([
    ...['.curlrc', '.dockercfg', '.htpasswd', '.npmrc', '.wgetrc', '.yarnrc', '.yarnrc.yml'],
    ...['server.key', 'my-ca.KEY', 'certs/a.key', '.ssh/config'],
  ])('%s may hold a secret', (name) => {
    for (const command of [`cat '${name}'`, `cat 'd/${name}'`]) expect(classify(command).risk).toBe('caution');
  });

  test.each(['grep -A 3 item.key src', 'git grep item.key', 'jq --arg a b .a.key x.json', 'cat key.ts'])(
    '%s reads nothing of that kind',
    (command) => expect(classify(command).risk).toBe('safe'),
  );

  test.each(['.ssh/id_rsa.pub', '.ssh/known_hosts', '.ssh/known_hosts.old', '.ssh/authorized_keys', 'id_rsa.pub'])(
    '%s is public',
    (name) => expect(classify(`cat ~/${name} 'd/${name}'`).risk).toBe('safe'),
  );

  test.each(['/proc/1/environ', '/proc/self/mem', '/proc/self/task/7/environ', '/proc/kcore', '/dev/mem', '/dev/kmem'])(
    '%s is dangerous to read',
    (file) => expect(classify(`strings ${file}`).risk).toBe('dangerous'),
  );
});

/** Commands that write to a file. */
const WRITES = [
  'echo x > "PLACE"',
  'tee -a "PLACE/file" < x',
  'cp x "PLACE"',
  'mv "PLACE/a" x',
  'install -m 755 x "PLACE"',
  'ln -sf x "PLACE"',
  'sed -i s/a/b/ "PLACE"',
  'perl -i -pe s/a/b/ "PLACE"',
  'curl -o "PLACE" http://h',
];

describe('every file below the home that programs run by themselves', () => {
  const all = pathsOf(runFiles('home').tree);

  test.each([
    ...WRITES.map((command) => command.replace('PLACE', '/home/me/PLACE')),
    ...SPELLINGS.map((spelling) => `touch "${spelling}"`),
    'echo x >> "$HOME/PLACE"',
    'cd; cp x "PLACE"',
    'dd if=x of="/root/PLACE"',
    'python3 -c \'open("/home/me/PLACE", "w")\'',
  ])('is dangerous to write by %s', (command) => {
    expect(all.filter((place) => classify(command.replace('PLACE', place)).risk !== 'dangerous')).toEqual([]);
  });

  test('is protected by the sandbox where the home can be written', () => {
    expect(placesGuarded(all, runFiles('home'))).toEqual(all.toSorted());
  });
});

test.each([
  ['of a project', runFiles('projects')],
  ['known wherever it lies', runFiles('starts')],
])('every file %s that programs run by themselves is named by the file tools that write it', async (_, table) => {
  const root = makeTempDirectory();
  const all = pathsOf(table.tree).filter((place) => !hasSensitiveSegment(place));
  const added = all.map((place) => `*** Add File: sub/${place}\n+x\n`).join('');
  const patch = `*** Begin Patch\n${added}*** End Patch`;
  const answer = await call(applyPatch, { patch }, { root });
  const text = JSON.stringify(answer);
  expect(all.filter((place) => !text.includes(`sub/${place} is a file that `))).toEqual([]);
});

describe('every file of a project that programs run by themselves', () => {
  const all = pathsOf(runFiles('projects').tree);

  test.each(WRITES)('is named where %s writes it', (command) => {
    const judged = all.map((place) => ({ place, ...classify(command.replace('PLACE', `sub/${place}`)) }));
    const isNamed = (reason: string) => reason.endsWith(' runs or takes commands from');
    expect(judged.filter(({ risk, reason }) => risk === 'safe' || !isNamed(reason))).toEqual([]);
    // Vim and consoles take these from the home, too.
    const asked = judged.filter(({ risk }) => risk === 'dangerous').map(({ place }) => place);
    expect(asked.filter((place) => !['.exrc', '.vimrc', '.irbrc', '.rprofile'].includes(place))).toEqual([]);
  });

  test('is protected by the sandbox', () => {
    expect(placesGuarded(all, runFiles('projects'))).toEqual(all.toSorted());
  });
});

/** Returns which of these files, all made in one directory, the sandbox keeps from being written there. */
function placesGuarded(files: readonly string[], table: RunFiles): string[] {
  const top = makeTempDirectory();
  for (const file of files) makeTree(top, { [file]: 'x' });
  const { places: guarded } = guardRunFiles([{ top, files: table }], NO_POLICY);
  return guarded.map((place) => path.relative(top, place)).toSorted();
}

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

/** The directory `d` is the home of the user. */
async function isSeen(name: string, [, tool, args, seen]: (typeof LOOKS)[number]): Promise<boolean> {
  const root = makeTempDirectory();
  makeTree(root, { [`d/${name}`]: 'w0rd\n', 'd/plain': 'none\n' });
  const fill = (text: string) => text.replaceAll('NAME', name);
  const answer = await call(tool, JSON.parse(fill(JSON.stringify(args))), { root, home: `${root}/d` });
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
      expect(classify(`cat 'd/${name}'`).risk).toBe('dangerous');
    });

    test.each([...LOOKS, LISTING])('is not seen by %s', async (...look) => {
      expect(await isSeen(name, look)).toBe(false);
    });
  },
);

describe.each(['.netrc', '.NPMRC', '.bash_history'])('the secret of the home %s', (name) => {
  test.each([...LOOKS, LISTING])('is not seen by %s', async (...look) => {
    expect(await isSeen(name, look)).toBe(false);
  });
});

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
