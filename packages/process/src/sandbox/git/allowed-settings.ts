import { posix } from 'node:path';

/** A setting of a git config file, in parts. */
export interface SettingParts {
  /** The section and the key, in lower case. */
  readonly section: string;
  readonly key: string;
  /** The name in quotes behind the section; undefined if there is none. */
  readonly name: string | undefined;
  readonly value: string;
}

/** A repository in a workspace, whose settings must not lead its working tree out of the workspace. */
export interface SettingsPlace {
  readonly git: string;
  readonly root: string;
  /** True for a repository that a command made. False if absent. */
  readonly isNew?: boolean;
}

type Rule = RegExp | ((value: string, parts: SettingParts, place: SettingsPlace) => boolean);

const BOOLEAN = /^(true|false|yes|no|on|off|1|0)$/i;
/** Any text that does not go on in the next line: git only shows it. */
const TEXT = /^.*$/;
const NUMBER = /^\d{1,6}$/;
const BRANCH = /^(?!-)[\w./-]+$/;
const ADDRESS = /^(?:(?:https?|ssh|git|file):\/\/(?!-)|\w[\w.-]*@[\w.-]+:(?!:)|\.{0,2}\/)(?!.*::)[^"\\#;]*$/;
const isRemote = (value: string): boolean => value === '.' || BRANCH.test(value) || ADDRESS.test(value);

/**
 * The settings that a command may make, change and remove, and their values: those that git and common tools write in
 * daily work. All other changes are undone. A section is never allowed as a whole, since a later git may run a program
 * for a key of it.
 */
const ALLOWED: Readonly<Record<string, Rule>> = {
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
    (isNew || git.includes('/.git/modules/')) && isWithin(value, git, root),
  'user.name': TEXT,
  'user.email': TEXT,
  'author.name': TEXT,
  'author.email': TEXT,
  'committer.name': TEXT,
  'committer.email': TEXT,
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
  'remote.*.fetch': (value, { name = '' }) => isPlainFetch(value, name),
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

/**
 * The further settings that a command may make in a new repository. In an existing one, they would break it or its
 * contents.
 */
const ALLOWED_IN_NEW: Readonly<Record<string, Rule>> = {
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

/** Reports whether a command may make, change or remove a setting. */
export function isAllowed(parts: SettingParts, place: SettingsPlace): boolean {
  const { section, key, name, value } = parts;
  if (value.endsWith('\\') || /[\r\0]/.test(value)) return false;
  const names = name === undefined ? [`${section}.${key}`] : [`${section}.${name}.${key}`, `${section}.*.${key}`];
  const tables = place.isNew ? [ALLOWED, ALLOWED_IN_NEW] : [ALLOWED];
  const rules = tables.flatMap((table) => names.flatMap((known) => (Object.hasOwn(table, known) ? table[known] : [])));
  return rules.some((rule) => (rule instanceof RegExp ? rule.test(value) : rule?.(value, parts, place)));
}

/** Reports whether the fetched branches stay below `refs/remotes/` of the remote itself. */
function isPlainFetch(value: string, name: string): boolean {
  const [, to] = /^\+?refs\/[\w./*-]+:(refs\/remotes\/[\w./*-]+)$/.exec(value) ?? [];
  return to?.startsWith(`refs/remotes/${name}/`) ?? false;
}

function isWithin(value: string, git: string, root: string): boolean {
  return /^[^"\\#;]*$/.test(value) && `${posix.resolve(git, value)}/`.startsWith(`${root}/`);
}
