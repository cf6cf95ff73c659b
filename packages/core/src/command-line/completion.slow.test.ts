import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { type CommandSpec, SHELLS } from './command-spec.ts';
import { completionScript } from './completion.ts';

const APPS = path.resolve(import.meta.dirname, '../../../../apps');
const PROGRAMS = {
  jinn: 'jinn/dist/jinn.cjs',
  'jinn-mcp': 'mcp-server/dist/jinn-mcp.cjs',
  jinni: 'jinni/dist/jinni.cjs',
};
const PRESS_TAB = path.join(import.meta.dirname, 'fixture/press-tab.zsh');
const hasShell = (shell: string) => spawnSync(shell, ['-c', 'true']).status === 0;

type Program = keyof typeof PROGRAMS;

/** What each shell offers for the last word of a line, among which these must be and those may not. */
const LINES: readonly (readonly [Program, string, readonly string[], readonly string[]])[] = [
  ['jinn', 'jinn ', ['tools', 'lsp', 'grants', 'completion'], ['a-file.txt']],
  ['jinn', 'jinn --re', ['--read-only'], ['--tools']],
  ['jinn', 'jinn --sandbox ', ['off', 'auto', 'require'], ['tools']],
  ['jinn', 'jinn --read-only --dangerous ', ['ask', 'allow', 'deny'], ['off']],
  ['jinn', 'jinn tools ', ['new', 'check', 'trust'], ['lsp']],
  ['jinn', 'jinn tools new --', ['--runtime', '--workspace'], ['--sandbox']],
  ['jinn', 'jinn completion ', ['bash', 'zsh', 'fish'], ['tools']],
  ['jinn-mcp', 'jinn-mcp ', ['install', 'uninstall', 'status', 'grants'], ['a-file.txt']],
  ['jinn-mcp', 'jinn-mcp install ', ['codex', 'claude-code'], ['status']],
  ['jinn-mcp', 'jinn-mcp install --root ', ['sub'], ['a-file.txt']],
  ['jinn-mcp', 'jinn-mcp --log-file ', ['a-file.txt'], ['install']],
  ['jinni', 'jinni ', ['a-file.txt', 'sub'], ['--tree']],
  ['jinni', 'jinni --format ', ['fences', 'xml'], ['a-file.txt']],
  ['jinni', 'jinni --max-t', ['--max-tokens'], ['--tree']],
  ['jinni', 'jinni -l --root ', ['sub'], ['a-file.txt']],
];

const ASK = {
  bash: ({ script, line, cwd }: Asked) => {
    const words = line.split(' ');
    const [program = ''] = words;
    const ask = `source "$0"; COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _${program.replace('-', '_')}; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync('bash', ['--norc', '-c', ask, script, ...words], { cwd, encoding: 'utf8' });
  },
  fish: ({ script, line, cwd }: Asked) => {
    const env = { ...process.env, HOME: cwd, XDG_CONFIG_HOME: `${cwd}/config`, XDG_DATA_HOME: `${cwd}/data` };
    return execFileSync('fish', ['--no-config', '-c', 'source $argv[1]; complete -C $argv[2]', script, line], {
      cwd,
      env,
      encoding: 'utf8',
    });
  },
  zsh: ({ script, line, cwd }: Asked) =>
    execFileSync('zsh', ['-f', PRESS_TAB, script, line, cwd], { cwd, encoding: 'utf8', timeout: 50_000 }),
};

interface Asked {
  readonly script: string;
  readonly line: string;
  readonly cwd: string;
}

/** Asks a shell what it offers. Of zsh, that is all that the terminal shows, behind the line. */
function offersOf(shell: (typeof SHELLS)[number], asked: Asked): string[] {
  const shown = ASK[shell](asked);
  const list = shell === 'zsh' ? (shown.slice(shown.indexOf('\n')).split('==>')[0] ?? '') : shown;
  return list.split(/[\s]+/).map((word) => word.replace(/\/$/, ''));
}

function makePlace(): string {
  const cwd = makeTempDirectory();
  makeTree(cwd, { 'a-file.txt': '', 'sub/': '' });
  return cwd;
}

for (const shell of SHELLS) {
  test.skipIf(!hasShell(shell))(`${shell} completes the programs`, { timeout: 300_000 }, () => {
    const cwd = makePlace();
    const home = makeTempDirectory();
    for (const [program, file] of Object.entries(PROGRAMS)) {
      const script = execFileSync(process.execPath, [path.join(APPS, file), 'completion', shell], { cwd });
      fs.writeFileSync(`${home}/${program}`, script);
    }
    for (const [program, line, some, none] of LINES) {
      // zsh completes a single choice by itself.
      const asked = shell === 'zsh' && some.length === 1 && !line.endsWith(' ') ? line.slice(0, -1) : line;
      const offers = offersOf(shell, { script: `${home}/${program}`, line: asked, cwd });
      expect([shell, line, offers]).toEqual([shell, line, expect.arrayContaining([...some])]);
      if (asked === line) for (const word of none) expect(offers, `${shell}: ${line}`).not.toContain(word);
    }
  });
}

const ODD: CommandSpec = {
  about: 'odd',
  usage: '',
  flags: {
    quoted: { about: `it's "so": [a] $HOME \`b\` \\`, value: 'A:B', choices: ['x', 'y'] },
    plain: { about: 'p', short: 'p' },
  },
  commands: { go: { about: `don't: "stop"`, usage: '', flags: {} } },
};

test.each(SHELLS.filter(hasShell))('%s takes texts with quotes and brackets', { timeout: 120_000 }, (shell) => {
  const cwd = makePlace();
  const script = `${makeTempDirectory()}/odd`;
  fs.writeFileSync(script, completionScript(shell, 'odd', ODD));
  expect(offersOf(shell, { script, line: 'odd --quoted ', cwd })).toEqual(expect.arrayContaining(['x', 'y']));
  expect(offersOf(shell, { script, line: 'odd ', cwd })).toContain('go');
});

test.skipIf(!hasShell('bash'))('bash completes behind =, which it takes for a word', () => {
  const script = `${makeTempDirectory()}/odd`;
  fs.writeFileSync(script, completionScript('bash', 'odd', ODD));
  // biome-ignore lint/suspicious/noTemplateCurlyInString: bash puts the answers there
  const ask = 'source "$0"; COMP_WORDS=(odd --quoted = "$1") COMP_CWORD=$2; _odd; printf "%s\\n" "${COMPREPLY[@]}"';
  const offers = (word: string, at: string) =>
    execFileSync('bash', ['--norc', '-c', ask, script, word, at], { encoding: 'utf8' });
  expect([offers('', '2'), offers('x', '3')]).toEqual(['x\ny\n', 'x\n']);
});
