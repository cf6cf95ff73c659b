import type { RiskRule, ValueOptions } from '../rule.ts';

/** git, by subcommand. One that is not named here changes something, or may. */
export const GIT: readonly RiskRule[] = [
  { verb: 'git', option: '--output', risk: 'caution', reason: 'writes a file' },
  { verb: 'git', option: '--ext-diff --textconv', risk: 'caution', reason: 'runs the diff programs of the settings' },
  {
    verb: 'git',
    sub: 'diff | log | show',
    option: '--no-index',
    risk: 'caution',
    reason: 'reads outside the repository',
  },
  { verb: 'git', sub: 'fsck', option: '--lost-found', risk: 'caution', reason: 'writes what it finds' },

  { verb: 'git', sub: 'push', risk: 'caution', reason: 'publishes commits' },
  {
    verb: 'git',
    sub: 'push',
    argument: /^(-[a-zA-Z]*f[a-zA-Z]*|--forc?e?)$/,
    without: '-n --dry-run',
    risk: 'dangerous',
    reason: 'overwrites what others may have fetched',
  },
  {
    verb: 'git',
    sub: 'push',
    argument: /^\+[^+\s]/,
    without: '-n --dry-run',
    risk: 'dangerous',
    reason: 'overwrites what others may have fetched',
  },
  {
    verb: 'git',
    sub: 'push',
    option: '-d --delete --mirror --prune',
    without: '-n --dry-run',
    risk: 'dangerous',
    reason: 'removes branches that others may use',
  },
  {
    verb: 'git',
    sub: 'push',
    argument: /^:[^:\s]/,
    without: '-n --dry-run',
    risk: 'dangerous',
    reason: 'removes branches that others may use',
  },

  {
    verb: 'git',
    sub: 'clean',
    without: '-n --dry-run',
    risk: 'dangerous',
    reason: 'removes files that git does not know',
  },
  { verb: 'git', sub: 'reset', option: '--hard --merge --keep', risk: 'dangerous', reason: 'throws away changes' },
  { verb: 'git', sub: 'checkout', option: '-f --force --', risk: 'dangerous', reason: 'throws away changes' },
  {
    verb: 'git',
    sub: 'checkout . | checkout :/ | checkout HEAD . | checkout * .',
    risk: 'dangerous',
    reason: 'throws away changes',
  },
  {
    verb: 'git',
    sub: 'switch',
    option: '-f --force --discard-changes',
    risk: 'dangerous',
    reason: 'throws away changes',
  },
  { verb: 'git', sub: 'restore', without: '-S --staged', risk: 'dangerous', reason: 'throws away changes' },
  { verb: 'git', sub: 'restore', option: '-W --worktree', risk: 'dangerous', reason: 'throws away changes' },
  { verb: 'git', sub: 'checkout-index', option: '-f --force', risk: 'dangerous', reason: 'throws away changes' },
  { verb: 'git', sub: 'read-tree', option: '-u --reset', risk: 'dangerous', reason: 'throws away changes' },
  { verb: 'git', sub: 'stash drop | stash clear', risk: 'dangerous', reason: 'throws away stashed changes' },
  { verb: 'git', sub: 'branch', option: '-D', risk: 'dangerous', reason: 'removes a branch, merged or not' },
  { verb: 'git', sub: 'branch', option: '--delete -d', risk: 'caution', reason: 'removes a branch' },
  { verb: 'git', sub: 'update-ref', option: '-d --stdin', risk: 'dangerous', reason: 'removes what keeps commits' },
  { verb: 'git', sub: 'reflog expire | reflog delete', risk: 'dangerous', reason: 'removes what keeps commits' },
  {
    verb: 'git',
    sub: 'gc | prune',
    option: '--prune --expire',
    risk: 'dangerous',
    reason: 'removes what keeps commits',
  },
  { verb: 'git', sub: 'lfs prune', risk: 'dangerous', reason: 'removes files that may be nowhere else' },
  { verb: 'git', sub: 'prune', risk: 'dangerous', reason: 'removes commits that nothing names' },
  { verb: 'git', sub: 'worktree remove', option: '-f --force', risk: 'dangerous', reason: 'throws away changes' },
  {
    verb: 'git',
    sub: 'filter-branch | filter-repo | fast-import | replace',
    risk: 'dangerous',
    reason: 'rewrites history',
  },
  {
    verb: 'git',
    sub: 'rm',
    option: '-f --force',
    without: '--cached',
    risk: 'dangerous',
    reason: 'removes files and what changed in them',
  },
  {
    verb: 'git',
    sub: 'submodule deinit',
    option: '-f --force --all',
    risk: 'dangerous',
    reason: 'throws away changes',
  },

  {
    verb: 'git',
    option: '--upload-pack --receive-pack --exec',
    risk: 'dangerous',
    reason: 'runs a program of its own choice for the transfer',
  },
  {
    verb: 'git',
    sub: 'clone',
    option: '-u',
    risk: 'dangerous',
    reason: 'runs a program of its own choice for the transfer',
  },
  { verb: 'git', argument: /(^|=)(ext|fd)::/, risk: 'dangerous', reason: 'runs a command as its transport' },
  { verb: 'git', argument: /^--exec-path=/, risk: 'dangerous', reason: 'takes its programs from another place' },
  {
    verb: 'git',
    argument: /^--(config-env|super-prefix)\b/,
    risk: 'dangerous',
    reason: 'takes settings that cannot be seen',
  },
  {
    verb: 'git',
    argument: /^--(git-dir|work-tree|namespace)\b/,
    risk: 'caution',
    reason: 'takes the settings of another repository',
  },
  {
    verb: 'git',
    sub: 'grep',
    option: '-O --open-files-in-pager',
    risk: 'dangerous',
    reason: 'runs a command on what it finds',
  },
  {
    verb: 'git',
    sub: 'difftool | mergetool',
    option: '-x --extcmd --tool -t',
    risk: 'dangerous',
    reason: 'runs a command on files',
  },
  {
    verb: 'git',
    sub: 'clone | init',
    option: '--template',
    risk: 'dangerous',
    reason: 'takes hooks from another place',
  },
  {
    verb: 'git',
    sub: 'daemon | instaweb | shell | upload-pack | receive-pack | http-backend | send-email | credential fill | credential-store | credential-cache',
    risk: 'dangerous',
    reason: 'serves the repository, or gives out secrets',
  },
  { verb: 'git', sub: 'config', option: '-e --edit', risk: 'dangerous', reason: 'opens an editor on the settings' },
];

export const GIT_VALUED: ValueOptions = {
  git: '-C -c --git-dir --work-tree --namespace --config-env --super-prefix --attr-source -m -n --max-count --since --until --author --grep --format',
};

/** Settings of git that name a command, or a place from which commands come. */
export const GIT_SETTINGS: RegExp =
  /^(alias\..*|core\.(pager|editor|sshcommand|hookspath|fsmonitor|askpass|gitproxy|attributesfile|alternaterefscommand)|credential(\..*)?\.helper|diff\.(external|.*\.(command|textconv))|filter\..*\.(clean|smudge|process)|merge\..*\.driver|mergetool\..*\.(cmd|path)|difftool\..*\.(cmd|path)|pager\..*|sequence\.editor|gpg(\..*)?\.program|gpg\.ssh\.defaultkeycommand|remote\..*\.(uploadpack|receivepack|vcs|proxy)|url\..*\.(insteadof|pushinsteadof)|protocol(\..*)?\.allow|include\.path|includeif\..*|init\.templatedir|uploadpack\.packobjectshook|interactive\.difffilter|trailer\..*\.(command|cmd)|man\..*\.(cmd|path)|browser\..*\.(cmd|path)|guitool\..*|sendemail\..*cmd|http\.(proxy|sslverify|sslcainfo)|submodule\..*\.update|extensions\.worktreeconfig|receive\.procreceiverefs|ssh\.variant|rebase\.instructionformat)$/i;

/** Values of such a setting that everybody gives. */
export const HARMLESS_SETTING = /^(cat|less|more|true|:|false|vim?|nano|code --wait|never|)$/;
