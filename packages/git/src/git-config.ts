import { posix } from 'node:path';

/** One line of a git config file that sets something, in its section. */
export interface Setting {
  /** The section as it is written, and the line without the space around it: what tells one setting from another. */
  readonly identity: string;
  /** `section.key`, for people. */
  readonly name: string;
  /** False for a setting that may make git run a program or read settings from elsewhere, and for what is not understood. */
  readonly isHarmless: boolean;
}

/** A repository in a workspace, whose settings must not lead its working tree out of the workspace. */
export interface SettingsPlace {
  readonly git: string;
  readonly root: string;
}

const SECTION = /^\[([A-Za-z0-9-]+)(?:[ \t]+"((?:[^"\\]|\\["\\])*)")?\]$/;
const SETTING = /^([A-Za-z][A-Za-z0-9-]*)[ \t]*(?:=[ \t]*(.*))?$/;
const COMMENT = /^[#;]/;
const NO_SPECIALS = /^[^"\\#;]*$/;
const ADDRESS = /^(?:(?:https?|ssh|git|file):\/\/(?!-)|[\w.-]+@[\w.-]+:(?!:)|\.{0,2}\/)(?!.*::)/;

/** Keys by section, for sections without a name in quotes. What is not listed is not harmless. */
const PLAIN: Readonly<Record<string, RegExp>> = {
  core: /^(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|quotepath|abbrev|compression|bigfilethreshold|sharedrepository|preloadindex|untrackedcache|protecthfs|protectntfs|checkstat|trustctime|longpaths|sparsecheckout|sparsecheckoutcone)$/,
  user: /^(name|email|signingkey|useconfigonly)$/,
  author: /^(name|email)$/,
  committer: /^(name|email)$/,
  init: /^defaultbranch$/,
  pull: /^(rebase|ff|twohead)$/,
  push: /^(default|autosetupremote|followtags)$/,
  fetch: /^(prune|prunetags|parallel|all|output|fsckobjects|writecommitgraph)$/,
  remote: /^pushdefault$/,
  merge: /^(ff|conflictstyle|log|renames|renamelimit|autostash|stat|verbosity)$/,
  rebase: /^(autosquash|autostash|updaterefs|stat|missingcommitscheck|forkpoint|backend)$/,
  rerere: /^(enabled|autoupdate)$/,
  diff: /^(algorithm|renames|renamelimit|colormoved|colormovedws|mnemonicprefix|context|interhunkcontext|noprefix|submodule|wserrorhighlight|indentheuristic|relative)$/,
  extensions:
    /^(objectformat|compatobjectformat|refstorage|partialclone|worktreeconfig|noop|preciousobjects|relativeworktrees)$/,
  submodule: /^(active|recurse|fetchjobs|propagatebranches)$/,
  commit: /^(gpgsign|cleanup|verbose|status)$/,
  tag: /^(gpgsign|sort|forcesignannotated)$/,
  log: /^(date|decorate|abbrevcommit|follow|mailmap)$/,
  lfs: /^repositoryformatversion$/,
  maintenance: /^(auto|strategy)$/,
  receive: /^(denycurrentbranch|denynonfastforwards|denydeletes)$/,
  transfer: /^(fsckobjects|unpacklimit)$/,
  checkout: /^(defaultremote|guess|workers)$/,
  worktree: /^(guessremote|userelativepaths)$/,
  ...Object.fromEntries(
    ['advice', 'color', 'column', 'gc', 'pack', 'index', 'feature', 'status', 'stash', 'blame', 'grep', 'i18n'].map(
      (name) => [name, /./],
    ),
  ),
};

/** The same for sections with a name in quotes. */
const NAMED: Readonly<Record<string, RegExp>> = {
  remote:
    /^(fetch|push|tagopt|mirror|prune|prunetags|promisor|partialclonefilter|skipfetchall|followremotehead|gh-resolved)$/,
  branch: /^(remote|merge|rebase|pushremote|description|vscode-merge-base|gh-merge-base|github-pr-owner-number)$/,
  submodule: /^(active|branch|ignore|fetchrecursesubmodules|shallow|path)$/,
};

/** Settings whose value decides. */
const BY_VALUE: Readonly<Record<string, RegExp>> = {
  'core.fsmonitor': /^(true|false)$/,
  'remote..url': ADDRESS,
  'remote..pushurl': ADDRESS,
  'submodule..url': ADDRESS,
  'submodule..update': /^(checkout|rebase|merge|none)$/,
  'filter.lfs.clean': /^git-lfs clean -- %f$/,
  'filter.lfs.smudge': /^git-lfs smudge -- %f$/,
  'filter.lfs.process': /^git-lfs filter-process$/,
  'filter.lfs.required': /^true$/,
};

/**
 * Reads the settings of a git config file. The grammar is far narrower than git's: a line that goes on in the next one, or
 * any other that could mean two things, counts as a setting that is not harmless.
 */
export function readSettings(text: string, where: SettingsPlace): Setting[] {
  return readLines(text, where).flatMap(({ setting }) => setting ?? []);
}

/** Reads each line as it is written, with what it sets; that is undefined for a header, a comment or an empty line. */
function readLines(text: string, where: SettingsPlace): { raw: string; setting: Setting | undefined }[] {
  let header = '';
  let section: RegExpExecArray | null = null;
  return text.split('\n').map((raw) => {
    const line = raw.replace(/^[ \t]+|[ \t]+$/g, '');
    if (line === '' || (COMMENT.test(line) && !line.includes('\r'))) return { raw, setting: undefined };
    const found = SECTION.exec(line);
    if (!found) return { raw, setting: toSetting(header, section, line, where) };
    [section, header] = [found, line];
    return { raw, setting: undefined };
  });
}

function toSetting(header: string, section: RegExpExecArray | null, line: string, where: SettingsPlace): Setting {
  const identity = `${header}\n${line}`;
  const setting = SETTING.exec(line);
  if (!section || !setting) return { identity, name: line.slice(0, 60), isHarmless: false };
  const [name = '', subsection] = [section[1]?.toLowerCase(), section[2]];
  const key = setting[1]?.toLowerCase() ?? '';
  const shown = `${name}${subsection === undefined ? '' : `.${subsection}`}.${key}`;
  return {
    identity,
    name: shown,
    isHarmless: isHarmless({ name, subsection, key, value: setting[2] ?? 'true' }, where),
  };
}

interface Parts {
  readonly name: string;
  readonly subsection: string | undefined;
  readonly key: string;
  readonly value: string;
}

function isHarmless({ name, subsection, key, value }: Parts, { git, root }: SettingsPlace): boolean {
  if (value.endsWith('\\') || /[\r\0]/.test(value)) return false;
  if (name === 'core' && key === 'worktree') {
    return NO_SPECIALS.test(value) && `${posix.resolve(git, value)}/`.startsWith(`${root}/`);
  }
  const middle = subsection === undefined ? '' : subsection === 'lfs' && name === 'filter' ? '.lfs' : '.';
  const rule = BY_VALUE[`${name}${middle}.${key}`];
  if (rule) return NO_SPECIALS.test(value) && rule.test(value);
  return (subsection === undefined ? PLAIN : NAMED)[name]?.test(key) ?? false;
}

/** Reports whether the lines of a file can be compared one by one, because none continues on the next. */
export function isLineByLine(text: string): boolean {
  return !/\\\r?$/m.test(text) && !text.includes('\r') && !text.includes('\0');
}

/** Returns the settings that only one of the two texts has and that are not harmless. */
export function harmfulChanges(before: string, after: string, where: SettingsPlace): Setting[] {
  const [old, now] = [readSettings(before, where), readSettings(after, where)];
  return [...missingFrom(old, now), ...missingFrom(now, old)].filter(({ isHarmless: harmless }) => !harmless);
}

/** Returns the entries of the second list that the first list lacks, or has fewer times. */
function missingFrom(first: readonly Setting[], second: readonly Setting[]): Setting[] {
  const counts = new Map<string, number>();
  for (const { identity } of first) counts.set(identity, (counts.get(identity) ?? 0) + 1);
  return second.filter(({ identity }) => {
    const left = counts.get(identity) ?? 0;
    counts.set(identity, left - 1);
    return left <= 0;
  });
}

/** Returns the text without the settings that are not harmless, except for those whose identity is known. */
export function withoutHarmful(text: string, where: SettingsPlace, known: ReadonlySet<string> = new Set()): string {
  const kept = readLines(text, where).filter(({ setting }) => {
    return !setting || setting.isHarmless || known.has(setting.identity);
  });
  return kept.map(({ raw }) => raw).join('\n');
}
