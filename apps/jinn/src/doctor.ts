import type { Machine as JinnMachine } from '@jinn/core';
import { type LanguageStatus, listLanguages } from '@jinn/lsp';
import { adoptsOrphans, findBash, findPerl } from '@jinn/process';
import { findCodeDirectory } from '@jinn/process/loader/kept-code';
import { findSandbox } from '@jinn/process/sandbox';
import { explainNoSqlite, openHistory } from '@jinn/store';
import { describeMode, findIsolation } from '@jinn/toolsets/machine/isolation';
import type { findDirectories } from '@jinn/workspace';

type Directories = ReturnType<typeof findDirectories>;

interface Machine {
  readonly version: string;
  readonly directories: Directories;
  readonly cwd: string;
  readonly machine: JinnMachine;
}

interface Finding {
  readonly what: string;
  readonly works: boolean;
  readonly detail: string;
}

const PACKAGES =
  'Debian, Ubuntu: apt install NAME; Fedora: dnf install NAME; Arch: pacman -S NAME; Alpine: apk add NAME';

/** Checks what jinn needs of this machine. Returns a text for the user, one line per check. */
export async function examine({ version, directories, cwd, machine }: Machine): Promise<string> {
  const findings = [
    { what: 'jinn', works: true, detail: `${version} on Node ${process.version}, ${process.platform} ${process.arch}` },
    checkBash(),
    checkPerl(),
    await checkCommands(machine),
    await checkSandbox(true),
    await checkSandbox(false),
    await checkHistory(directories, cwd),
    checkStart(),
    ...(await checkLanguages(machine)),
  ];
  return findings
    .map(({ what, works, detail }) => `${works ? 'ok  ' : 'NO  '} ${what.padEnd(16)} ${detail}\n`)
    .join('');
}

function checkBash(): Finding {
  const bash = findBash();
  return {
    what: 'bash',
    works: bash !== undefined,
    detail: bash ?? `run_shell has no shell. ${install('bash')}`,
  };
}

function checkPerl(): Finding {
  const perl = findPerl();
  const orphans = adoptsOrphans()
    ? 'what a command starts ends with it, also in a session of its own'
    : 'what a command starts in a session of its own (setsid) may outlive it on this system';
  return {
    what: 'perl',
    works: perl !== undefined,
    detail:
      perl === undefined
        ? `what a command starts in a session of its own (setsid) may outlive it, and all of it a killed jinn. ${install('perl')}`
        : `${perl}: ${orphans}`,
  };
}

async function checkCommands(machine: JinnMachine): Promise<Finding> {
  const isolation = await findIsolation(machine);
  return { what: 'commands', works: isolation.confines, detail: describeMode(isolation) };
}

async function checkSandbox(network: boolean): Promise<Finding> {
  const what = network ? 'sandbox' : 'no network';
  const usable = findBash() !== undefined;
  const sandbox = usable ? await findSandbox({ network }) : undefined;
  if (sandbox?.works) return { what, works: true, detail: `${sandbox.name}, ${sandbox.program}` };
  const why = sandbox ? sandbox.why : 'needs bash';
  return { what, works: false, detail: `${why}. ${adviceOn(why)}` };
}

function adviceOn(why: string): string {
  const [, missing] = /^(\w+) is not installed$/.exec(why) ?? [];
  if (missing !== undefined) return install(missing);
  if (/namespace|uid map|permitted|denied/i.test(why)) {
    return 'Unprivileged user namespaces are switched off. Ubuntu 24.04 and newer: an AppArmor profile for bwrap, or sysctl kernel.apparmor_restrict_unprivileged_userns=0; others: sysctl kernel.unprivileged_userns_clone=1, user.max_user_namespaces=10000; Docker: --security-opt seccomp=unconfined --security-opt systempaths=unconfined';
  }
  return 'Commands run without a sandbox, or not at all with --sandbox=require';
}

const WITHOUT_HISTORY =
  'Files are changed without undo, or not at all with "history": "require" or a state.db of another user. --no-history changes them in any case';

async function checkHistory({ state }: Directories, cwd: string): Promise<Finding> {
  const what = 'undo history';
  const missing = await explainNoSqlite();
  if (missing !== undefined) return { what, works: false, detail: missing };
  try {
    const history = await openHistory(state, cwd);
    await history.commit('', []); // Changes nothing, but fails if the history can only be read.
    return { what, works: true, detail: `${state}/state.db` };
  } catch (error) {
    return { what, works: false, detail: `${(error as Error).message}. ${WITHOUT_HISTORY}` };
  }
}

function checkStart(): Finding {
  const directory = findCodeDirectory();
  return {
    what: 'fast start',
    works: directory !== undefined,
    detail:
      directory ??
      'Each start compiles the program again, about 13 ms, since tools or other users could write to the cache. Set XDG_CACHE_HOME to a directory of yours outside of this one',
  };
}

async function checkLanguages(machine: JinnMachine): Promise<Finding[]> {
  const what = 'language server';
  try {
    const { languages, warnings } = await listLanguages(machine);
    const notes = warnings.map((detail) => ({ what, works: false, detail }));
    return [...languages.map((status) => ({ what, ...checkLanguage(status) })), ...notes];
  } catch (error) {
    return [{ what, works: false, detail: (error as Error).message }];
  }
}

function checkLanguage({ language, files, servers }: LanguageStatus): Omit<Finding, 'what'> {
  const name = `${language} (${files} ${files === 1 ? 'file' : 'files'})`;
  const used = servers.find(({ program }) => program !== undefined);
  if (used) return { works: true, detail: `${name}: ${used.id}, ${used.program}` };
  const untrusted = servers.find((server) => server.untrusted);
  if (untrusted) {
    const { id, untrusted: own } = untrusted;
    return {
      works: false,
      detail: `${name}: ${id} is installed, and needs trust, since ${own?.why}. Allow it with: jinn lsp trust ${id}`,
    };
  }
  const obstacles = servers.map(({ obstacle }) => obstacle).join('; ') || 'config.json leaves none';
  const advice = servers[0] ? `. Install ${servers[0].id} with: ${servers[0].install}` : '';
  return { works: false, detail: `${name}: ${obstacles}${advice}` };
}

function install(name: string): string {
  return `Install ${name} (${PACKAGES.replaceAll('NAME', name)})`;
}
