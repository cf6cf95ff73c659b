import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { makeTempDirectory } from '@jinn/testkit';
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import type { SettingsPlace } from './git-config.ts';
import { harmfulChanges, isLineByLine, parseSettings, withoutHarmful } from './git-config.ts';

const WHERE = { git: '/w/.git', root: '/w' };
const harmful = (text: string, where: SettingsPlace = WHERE) =>
  parseSettings(text, where)
    .filter(({ isHarmless }) => !isHarmless)
    .map(({ name }) => name);

test.for([
  '[remote "origin"]\n\turl = https://example.org/x.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n',
  '[remote "o"]\n\turl = git@example.org:x/y.git\n',
  '[branch "a.b/c"]\n\tremote = origin\n\tmerge = refs/heads/a\n',
  '[submodule "libs/foo"]\n\turl = ../foo\n\tactive = true\n\tupdate = rebase\n',
  '[filter "lfs"]\n\tclean = git-lfs clean -- %f\n\trequired = true\n',
  '# a comment\n[user]\n\tname = Me\n; another\n',
  '[user]\n\tname = "Zoë O\'Neil-Ång, Jr. "\n\temail = 1+me[bot]@x-y.example.org\n',
  '[branch "a"]\n\tremote = .\n\tpushRemote = git@example.org:fork/x.git\n\trebase = true\n',
  '[push]\n\tdefault = simple\n[pull]\n\trebase = false\n[core]\n\tautocrlf = input\n',
])('takes for harmless: %j', (text) => {
  expect(harmful(text)).toEqual([]);
});

test.for([
  ['[core]\n\tfsmonitor = ./evil\n', 'core.fsmonitor'],
  ['[CORE]\n\tFsMonitor = ./evil\n', 'core.fsmonitor'],
  ['[core] fsmonitor = ./evil\n', '[core] fsmonitor = ./evil'],
  ['[core]\n\thooksPath = x\n', 'core.hookspath'],
  ['[core]\n\tworktree = ../..\n', 'core.worktree'],
  ['[core]\n\tworktree = /home/me\n', 'core.worktree'],
  ['[alias]\n\tst = !evil\n', 'alias.st'],
  ['[include]\n\tpath = x\n', 'include.path'],
  ['[remote "o"]\n\turl = ext::sh -c evil\n', 'remote.o.url'],
  ['[remote "o"]\n\turl = "ext::sh -c evil"\n', 'remote.o.url'],
  ['[remote "o"]\n\turl = ssh://-oProxyCommand=evil\n', 'remote.o.url'],
  ['[remote "o"]\n\tuploadpack = evil\n', 'remote.o.uploadpack'],
  ['[submodule "x"]\n\tupdate = !evil\n', 'submodule.x.update'],
  ['[filter "lfs"]\n\tclean = evil\n', 'filter.lfs.clean'],
  ['[filter "x"]\n\tclean = git-lfs clean -- %f\n', 'filter.x.clean'],
  ['[user]\n\tname = x\\\n\temail = y\n', 'user.name'],
  ['[user "x"]\n\tname = x\n', 'user.x.name'],
  ['[user]\n\tname = "Me # you; \\"x\\""\n', 'user.name'],
  ['[user]\n\tname = Me; touch x;: #\n', 'user.name'],
  ['[user]\n\temail = $(touch x)@x\n', 'user.email'],
  ['[author]\n\tname = `touch x`\n', 'author.name'],
  ['[committer]\n\temail = a@b|sh\n', 'committer.email'],
  ['[core.x]\n\tbare = false\n', '[core.x]'],
  ['name = x\n', 'name = x'],
  ['[user]\r\n\tname = x\n', '[user]\r'],
])('takes for harmful: %j', ([text, name]) => {
  expect(harmful(text as string)[0]).toBe(name);
  expect(harmful(withoutHarmful(text as string, WHERE))).toEqual([]);
});

/** What git 2.39 to 2.56 write into a new repository: `init`, `clone`, and what options of them add. */
test.for([
  [
    '[core]\n\trepositoryformatversion = 1\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n',
    '/w/a/.git',
  ],
  ['[core]\n\trepositoryformatversion = 0\n\tbare = true\n', '/w/bare.git'],
  ['[extensions]\n\tobjectformat = sha256\n\trefStorage = reftable\n', '/w/.git'],
  [
    '[extensions]\n\tpartialclone = origin\n[remote "origin"]\n\tpromisor = true\n\tpartialclonefilter = blob:none\n',
    '/w/.git',
  ],
  ['[remote "origin"]\n\tfetch = +refs/tags/v1.0:refs/tags/v1.0\n', '/w/.git'],
  ['[core]\n\tworktree = ../../../libs/foo\n', '/w/.git/modules/libs'],
] as const)('allows only a new repository: %j', ([text, git]) => {
  expect(harmful(text, { git, root: '/w', isNew: true })).toEqual([]);
  if (!git.includes('/modules/')) expect(harmful(text, { git, root: '/w' })).not.toEqual([]);
});

test.for([
  ['core', 'bare = true'],
  ['core', 'bare = true', '/w/.git/modules/x'],
  ['core', 'sharedRepository = 0777'],
  ['core', 'checkStat = minimal'],
  ['gc', 'auto = 1'],
  ['gc', 'recentObjectsHook = evil'],
  ['remote "origin"', 'mirror = true'],
  ['remote "origin"', 'push = +refs/heads/master:refs/heads/release'],
  ['remote "origin"', 'fetch = +refs/*:refs/*'],
  ['remote "origin"', 'fetch = +refs/heads/*:refs/remotes/other/*'],
  ['remote "origin"', 'fetch = +refs/heads/*:refs/heads/*'],
  ['branch "a"', 'remote = ext::sh -c evil'],
  ['branch "a"', 'remote = -x'],
  ['push', 'default = matching'],
  ['blame', 'ignoreRevsFile = /etc/shadow'],
  ['core', 'fsmonitor = true'],
])('allows not even a new repository: [%s] %s', ([section, line, git = '/w/.git']) => {
  expect(harmful(`[${section}]\n\t${line}\n`, { git, root: '/w', isNew: true })).toHaveLength(1);
});

function readPage(file: string): string {
  return fs.readFileSync(path.join(import.meta.dirname, file), 'utf8');
}

function settingOf(name: string, value: string): string {
  const parts = name.replace(/<\w+>/, 'x').split('.');
  const subsection = parts.length > 2 ? ` "${parts.slice(1, -1).join('.')}"` : '';
  return `[${parts[0]}${subsection}]\n\t${parts.at(-1)} = ${value}\n`;
}

test('allows nothing of what the releases of git run or obey', () => {
  const rows = [...readPage('fixture/obeyed-settings.md').matchAll(/^\| `([\w<>.*-]+)` \| `([^`]*)` \| [\d.]+ \|/gm)];
  expect(rows.length).toBeGreaterThan(90);
  for (const [, name = '', value = ''] of rows) expect(harmful(settingOf(name, value)), name).toHaveLength(1);
});

test('allows what its page lists', () => {
  const rows = [...readPage('../../../../../docs/git-settings.md').matchAll(/^\| (`.+`) \| (`.+`) \|$/gm)];
  expect(rows.length).toBeGreaterThan(15);
  for (const [, sections = '', keys = ''] of rows) {
    for (const [, section] of sections.matchAll(/`([^`]+)`/g)) {
      for (const [, key, value = ''] of keys.matchAll(/`(\w+)=([^`]+)`/g)) {
        expect(harmful(settingOf(`${section}.${key}`, value)), `${section}.${key}`).toEqual([]);
      }
    }
  }
});

test('compares what was added and taken away, wherever it stands', () => {
  const before = '[alias]\n\tx = !mine\n[user]\n\tname = a\n';
  const none = { added: [], removed: [] };
  expect(harmfulChanges(before, '[user]\n\tname = b\n[alias]\n\tx = !mine\n', WHERE)).toEqual(none);
  expect(harmfulChanges(before, '[user]\n\tname = a\n', WHERE).removed.map(({ name }) => name)).toEqual(['alias.x']);
  expect(harmfulChanges(before, `${before}[alias]\n\tx = !mine\n`, WHERE).added).toHaveLength(1);
  expect([isLineByLine('a\\\nb'), isLineByLine('a\nb\n')]).toEqual([false, true]);
});

/** Pieces of which settings, and what only looks like them, are made. */
const PIECES = [
  '[core]',
  '[alias]',
  '[alias "x"]',
  '[user]',
  '[core "a"]',
  '[',
  ']',
  '"',
  '\\',
  '\n',
  '\t',
  ' ',
  '=',
  '#',
  ';',
  '\r',
  '.',
  '!evil',
  'st',
  'fsmonitor',
  'name',
  'bare',
  'true',
  '\ufeff',
  '\v',
];

test('finds every alias and program that git finds', () => {
  const file = `${makeTempDirectory()}/config`;
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...PIECES), { minLength: 3, maxLength: 16 }), (pieces) => {
      const text = pieces.join('');
      fs.writeFileSync(file, text);
      const names = listed(file);
      const isDangerous = names.some((name) => name.startsWith('alias.') || name === 'core.fsmonitor');
      const isHarmless = harmful(Buffer.from(text).toString('latin1')).length === 0;
      expect(isDangerous && isHarmless && !/fsmonitor\s*=\s*true/.test(text), JSON.stringify(text)).toBe(false);
    }),
    { numRuns: 300 / inject('runsDivisor') },
  );
}, 60_000);

function listed(file: string): string[] {
  try {
    const out = execFileSync('git', ['config', '--file', file, '--no-includes', '--name-only', '-z', '--list'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return out.split('\0');
  } catch {
    return []; // Git refuses the file, and does nothing in such a repository.
  }
}
