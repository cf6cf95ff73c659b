import { posix } from 'node:path';

interface SettingParts {
  readonly section: string;
  readonly key: string;
  readonly name: string | undefined;
  readonly value: string;
}

/** A repository in a workspace, whose settings must not lead its working tree out of the workspace. */
export interface SettingsPlace {
  readonly git: string;
  readonly root: string;
  readonly isNew?: boolean;
}

type SettingRule = RegExp | ((value: string, parts: SettingParts, place: SettingsPlace) => boolean);

const BOOLEAN = /^(true|false|yes|no|on|off|1|0)$/i;
const TEXT = /^.*$/;
/** Git copies these values into files of its own, and other programs into commands: no character means anything there. */
const PERSON = /^"?[\w\x80-\xff .,'@+[\]-]*"?$/;
const NUMBER = /^\d{1,6}$/;
const BRANCH = /^(?!-)[\w./-]+$/;
const ADDRESS = /^(?:(?:https?|ssh|git|file):\/\/(?!-)|\w[\w.-]*@[\w.-]+:(?!:)|\.{0,2}\/)(?!.*::)[^"\\#;]*$/;
const isRemote = (value: string): boolean => value === '.' || BRANCH.test(value) || ADDRESS.test(value);

/**
 * The settings that a command may make, change and remove, with their values. All other changes are undone. A section
 * is never allowed as a whole, since a later git may run a program for a key of it.
 */
const ALLOWED: Readonly<Record<string, SettingRule>> = {
  'core.filemode': BOOLEAN,
  'core.autocrlf': /^(true|false|input)$/,
  'core.eol': /^(lf|crlf|native)$/,
  'core.quotepath': BOOLEAN,
  'core.abbrev': /^(auto|no|[4-9]|[1-3]\d|40)$/,
  'core.preloadindex': BOOLEAN,
  'core.untrackedcache': /^(true|false|keep)$/,
  'core.sparsecheckout': BOOLEAN,
  'core.sparsecheckoutcone': BOOLEAN,
  'core.fsmonitor': /^false$/, // Before git 2.36 `true` is a program, which reports that nothing has changed.
  'core.worktree': (value, _, { git, root, isNew }) =>
    (isNew || git.includes('/.git/modules/')) && staysWithin(value, git, root),
  'user.name': PERSON,
  'user.email': PERSON,
  'author.name': PERSON,
  'author.email': PERSON,
  'committer.name': PERSON,
  'committer.email': PERSON,
  'pull.rebase': /^(true|false|merges)$/,
  'pull.ff': /^(true|false|only)$/,
  'push.default': /^(simple|current|nothing)$/,
  'push.autosetupremote': BOOLEAN,
  'fetch.prune': BOOLEAN,
  'fetch.parallel': NUMBER,
  'merge.ff': /^(true|false|only)$/,
  'merge.conflictstyle': /^(merge|diff3|zdiff3)$/,
  'rebase.autosquash': BOOLEAN,
  'rebase.autostash': BOOLEAN,
  'rerere.enabled': BOOLEAN,
  'diff.algorithm': /^(default|myers|minimal|patience|histogram)$/,
  'diff.renames': /^(true|false|copies)$/,
  'diff.colormoved': /^[a-z-]+$/,
  'color.ui': /^(auto|always|never|true|false)$/,
  'advice.detachedhead': BOOLEAN,
  'advice.skippedcherrypicks': BOOLEAN,
  'advice.addembeddedrepo': BOOLEAN,
  'blame.ignorerevsfile': /^\.git-blame-ignore-revs$/,
  'index.sparse': BOOLEAN,
  'extensions.worktreeconfig': /^true$/,
  'submodule.active': /^[\w./-]+$/,
  'submodule.recurse': BOOLEAN,
  'submodule.fetchjobs': NUMBER,
  'lfs.repositoryformatversion': /^0$/,
  'remote.*.url': ADDRESS,
  'remote.*.pushurl': ADDRESS,
  // The fetched branches stay below `refs/remotes/` of the remote itself.
  'remote.*.fetch': (value, { name = '' }) =>
    /^\+?refs\/[\w./*-]+:(refs\/remotes\/[\w./*-]+)$/.exec(value)?.[1]?.startsWith(`refs/remotes/${name}/`) ?? false,
  'remote.*.tagopt': /^--(no-)?tags$/,
  'remote.*.prune': BOOLEAN,
  'remote.*.gh-resolved': /^[\w./-]+$/,
  'remote.*.followremotehead': /^(create|warn|never)$/,
  'branch.*.remote': isRemote,
  'branch.*.pushremote': isRemote,
  'branch.*.merge': /^refs\/[\w.#+@/-]+$/,
  'branch.*.rebase': /^(true|false|merges)$/,
  'branch.*.description': TEXT,
  'branch.*.vscode-merge-base': BRANCH,
  'branch.*.gh-merge-base': BRANCH,
  'branch.*.github-pr-owner-number': /^"?[\w.#/-]+"?$/,
  'submodule.*.url': ADDRESS,
  'submodule.*.active': BOOLEAN,
  'submodule.*.branch': BRANCH,
  'submodule.*.update': /^(checkout|rebase|merge|none)$/,
  'submodule.*.shallow': BOOLEAN,
  'submodule.*.fetchrecursesubmodules': /^(true|false|on-demand)$/,
  'filter.lfs.clean': /^git-lfs clean -- %f$/,
  'filter.lfs.smudge': /^git-lfs smudge -- %f$/,
  'filter.lfs.process': /^git-lfs filter-process$/,
  'filter.lfs.required': /^true$/,
};

/** The further settings that a command may make in a new repository. They would break an existing one. */
const ALLOWED_IN_NEW: Readonly<Record<string, SettingRule>> = {
  'core.repositoryformatversion': /^[01]$/,
  'core.bare': (value, _, { git }) => value === 'false' || (value === 'true' && !/\/\.git(\/|$)/.test(git)),
  'core.logallrefupdates': /^(true|always)$/,
  'core.ignorecase': BOOLEAN,
  'core.precomposeunicode': BOOLEAN,
  'core.symlinks': BOOLEAN,
  'extensions.objectformat': /^(sha1|sha256)$/,
  'extensions.compatobjectformat': /^(sha1|sha256)$/,
  'extensions.refstorage': /^(files|reftable)$/,
  'extensions.partialclone': BRANCH,
  'extensions.relativeworktrees': BOOLEAN,
  'remote.*.promisor': BOOLEAN,
  'remote.*.partialclonefilter': /^[\w:=.-]+$/,
  'remote.*.fetch': /^\+?(refs\/tags\/[\w./-]+):\1$/,
};

function isAllowed(parts: SettingParts, place: SettingsPlace): boolean {
  const { section, key, name, value } = parts;
  if (value.endsWith('\\') || /[\r\0]/.test(value)) return false;
  const names = name === undefined ? [`${section}.${key}`] : [`${section}.${name}.${key}`, `${section}.*.${key}`];
  const tables = place.isNew ? [ALLOWED, ALLOWED_IN_NEW] : [ALLOWED];
  const rules = tables.flatMap((table) => names.flatMap((known) => (Object.hasOwn(table, known) ? table[known] : [])));
  return rules.some((rule) => (rule instanceof RegExp ? rule.test(value) : rule?.(value, parts, place)));
}

function staysWithin(value: string, git: string, root: string): boolean {
  return /^[^"\\#;]*$/.test(value) && `${posix.resolve(git, value)}/`.startsWith(`${root}/`);
}

export interface Setting {
  /** The section as it is written, and the line without the space around it. Both together identify a setting. */
  readonly identity: string;
  readonly name: string;
  /** False for a setting that a command may not make, change or remove, and for a line that is not understood. */
  readonly isHarmless: boolean;
}

const SECTION = /^\[([A-Za-z0-9-]+)(?:[ \t]+"((?:[^"\\]|\\["\\])*)")?\]$/;
const SETTING = /^([A-Za-z][A-Za-z0-9-]*)[ \t]*(?:=[ \t]*(.*))?$/;
const COMMENT = /^[#;]/;

/**
 * Reads the settings of a git config file. The grammar is far narrower than git's: a line that could mean two things,
 * or continues on the next, counts as a harmful setting.
 */
export function parseSettings(text: string, where: SettingsPlace): Setting[] {
  return readLines(text, where).flatMap(({ setting }) => setting ?? []);
}

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
  const [sectionName = '', subsection] = [section[1]?.toLowerCase(), section[2]];
  const key = setting[1]?.toLowerCase() ?? '';
  const parts = { section: sectionName, key, name: subsection, value: setting[2] ?? 'true' };
  const name = `${sectionName}${subsection === undefined ? '' : `.${subsection}`}.${key}`;
  return { identity, name, isHarmless: isAllowed(parts, where) };
}

/** Reports whether the lines of a file can be compared one by one, because none continues on the next. */
export function isLineByLine(text: string): boolean {
  return !/\\\r?$/m.test(text) && !text.includes('\r') && !text.includes('\0');
}

/** Returns the harmful settings that were added, and those removed that were harmful or replaced by a harmful one. */
export function harmfulChanges(
  before: string,
  after: string,
  where: SettingsPlace,
): { added: Setting[]; removed: Setting[] } {
  const [old, now] = [parseSettings(before, where), parseSettings(after, where)];
  const isHarmful = ({ isHarmless }: Setting) => !isHarmless;
  const added = missingFrom(old, now).filter(isHarmful);
  const isReplaced = ({ name }: Setting) => added.some((setting) => setting.name === name);
  return { added, removed: missingFrom(now, old).filter((setting) => isHarmful(setting) || isReplaced(setting)) };
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

/** Returns the text without the harmful settings, except for those whose identity is known. */
export function withoutHarmful(text: string, where: SettingsPlace, known: ReadonlySet<string> = new Set()): string {
  const kept = readLines(text, where).filter(({ setting }) => {
    return !setting || setting.isHarmless || known.has(setting.identity);
  });
  return kept.map(({ raw }) => raw).join('\n');
}
