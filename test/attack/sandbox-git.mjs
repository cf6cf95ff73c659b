const FSMONITOR = `[core]\\n\\tfsmonitor = TRAP; false\\n`;
const copyTo = (place, git = '.git') => `mkdir -p ${place}; cp -r ${git}/objects ${git}/refs ${git}/HEAD ${place}/`;
const EVIL_SETTINGS = [
  ['core.fsmonitor', 'TRAP; false'],
  ['core.pager', 'TRAP'],
  ['core.editor', 'TRAP'],
  ['core.sshCommand', 'TRAP'],
  ['core.hooksPath', '../hooks'],
  ['core.attributesFile', 'attributes'],
  ['core.alternateRefsCommand', 'TRAP'],
  ['alias.st', '!TRAP'],
  ['diff.external', 'TRAP'],
  ['diff.x.textconv', 'TRAP'],
  ['filter.x.clean', 'TRAP'],
  ['filter.x.smudge', 'TRAP'],
  ['filter.x.process', 'TRAP'],
  ['merge.x.driver', 'TRAP'],
  ['gpg.program', 'TRAP'],
  ['credential.helper', '!TRAP'],
  ['include.path', '../evil.config'],
  ['includeIf.gitdir:/.path', '../evil.config'],
  ['remote.origin.url', 'ext::sh -c TRAP'],
  ['remote.origin.uploadpack', 'TRAP'],
  ['remote.origin.vcs', 'ext'],
  ['submodule.x.update', '!TRAP'],
  ['protocol.ext.allow', 'always'],
  ['url.ext::sh -c TRAP.insteadOf', 'https://'],
  ['sequence.editor', 'TRAP'],
  ['interactive.diffFilter', 'TRAP'],
  ['pager.status', 'TRAP'],
  ['trailer.x.command', 'TRAP'],
  ['core.worktree', '../../..'],
  ['http.proxy', 'http://evil'],
];
const EVIL_HOOKS = ['pre-commit', 'post-checkout', 'post-index-change', 'prepare-commit-msg', 'reference-transaction'];

const setting = ([key, value]) => ({ name: `setting ${key}`, commands: [`git config '${key}' '${value}'`] });
const settingElsewhere = ([key, value]) => ({
  name: `setting ${key} in a new repository`,
  commands: [`git init -q made && cd made && git config '${key}' '${value}' && echo x > f && git add f`],
});
const hook = (name) => ({
  name: `hook ${name}`,
  commands: [`printf '#!/bin/sh\\nTRAP\\n' > .git/hooks/${name}; chmod +x .git/hooks/${name}`],
});
const hookElsewhere = (name) => ({
  name: `hook ${name} in a new repository`,
  commands: [
    `git init -q made; printf '#!/bin/sh\\nTRAP\\n' > made/.git/hooks/${name}; chmod +x made/.git/hooks/${name}`,
  ],
});

const SUBMODULE = `git init -q lib && git -C lib -c user.name=a -c user.email=a@x commit -q --allow-empty -m l && git -c protocol.file.allow=always submodule -q add ./lib libs/foo && git commit -qm sub`;
const NESTED = `git init -q nested && echo n > nested/n && git -C nested add n && git -C nested -c user.name=a -c user.email=a@x commit -qm n`;
const WORKTREE = 'git worktree add -q wt';
const commondir = (git) => `${copyTo('.ev')}; printf '${FSMONITOR}' > .ev/config; echo $PWD/.ev > ${git}/commondir`;

/** How commands may try to have the person's git run something. `TRAP` is what must not be run. */
export const GIT_TRAPS = [
  ...EVIL_SETTINGS.flatMap((one) => [setting(one), settingElsewhere(one)]),
  ...EVIL_HOOKS.flatMap((one) => [hook(one), hookElsewhere(one)]),
  { name: 'commondir', commands: [commondir('.git')] },
  {
    name: 'commondir by a job',
    commands: [`${commondir('.git')}; ${commondir('.git/modules/libs/foo')}`],
    setUp: SUBMODULE,
  },
  { name: 'commondir of a submodule', commands: [commondir('.git/modules/libs/foo')], setUp: SUBMODULE },
  { name: 'commondir of a worktree', commands: [`${commondir('.git/worktrees/wt')}`], setUp: WORKTREE },
  {
    name: 'commondir by rename',
    commands: [
      `${copyTo('.ev')}; printf '${FSMONITOR}' > .ev/config; echo $PWD/.ev > c; mv c .git/commondir; ln c .git/commondir`,
    ],
  },
  {
    name: 'config of a submodule',
    commands: [`printf '${FSMONITOR}' >> .git/modules/libs/foo/config`],
    setUp: SUBMODULE,
  },
  {
    name: 'hooks of a submodule',
    commands: [
      `printf '#!/bin/sh\\nTRAP\\n' > .git/modules/libs/foo/hooks/post-index-change; chmod +x .git/modules/libs/foo/hooks/*`,
    ],
    setUp: SUBMODULE,
  },
  {
    name: 'a submodule put in the place of another',
    commands: [
      `mv .git/modules/libs .git/modules/l2; cp -r .git/modules/l2 .git/modules/libs; printf '${FSMONITOR}' >> .git/modules/libs/foo/config`,
    ],
    setUp: SUBMODULE,
  },
  {
    name: 'a repository put in the place of another',
    commands: [`mv nested nested2; cp -r nested2 nested; printf '${FSMONITOR}' >> nested/.git/config`],
    setUp: NESTED,
  },
  {
    name: 'a repository put in the place of another, in two steps',
    commands: ['mv nested nested2; cp -r nested2 nested', `printf '${FSMONITOR}' >> nested/.git/config`],
    setUp: NESTED,
  },
  {
    name: 'the settings replaced',
    commands: [`printf '${FSMONITOR}' > c; mv -f c .git/config; rm -f .git/config; cp c .git/config`],
  },
  { name: 'the repository replaced', commands: [`mv .git g; cp -r g .git; printf '${FSMONITOR}' >> .git/config`] },
  { name: 'the repository removed', commands: [`rm -rf .git; git init -q; printf '${FSMONITOR}' >> .git/config`] },
  {
    name: 'hooks that are not there yet',
    commands: [
      `mkdir -p .git/hooks; printf '#!/bin/sh\\nTRAP\\n' > .git/hooks/post-index-change; chmod +x .git/hooks/*`,
    ],
    setUp: 'rm -rf .git/hooks',
  },
  {
    name: 'hooks that are a link',
    commands: [`mkdir h; printf '#!/bin/sh\\nTRAP\\n' > h/post-index-change; chmod +x h/*; ln -s ../h .git/hooks`],
    setUp: 'rm -rf .git/hooks',
  },
  {
    name: 'config.worktree',
    commands: [`printf '${FSMONITOR}' > .git/config.worktree`],
    setUp: 'git config extensions.worktreeConfig true',
  },
  {
    name: 'config.worktree of a worktree',
    commands: [`printf '${FSMONITOR}' > .git/worktrees/wt/config.worktree`],
    setUp: `git config extensions.worktreeConfig true; ${WORKTREE}`,
  },
  {
    name: 'config.worktree and the extension',
    commands: [`git config extensions.worktreeConfig true; printf '${FSMONITOR}' > .git/config.worktree`],
  },
  {
    name: 'a new submodule directory',
    commands: [
      `${copyTo('.git/modules/evil')}; printf '${FSMONITOR}' > .git/modules/evil/config; mkdir e; echo 'gitdir: ../.git/modules/evil' > e/.git`,
    ],
  },
  {
    name: 'a pointer to a directory that is no .git',
    commands: [`${copyTo('sub/ev')}; printf '${FSMONITOR}' > sub/ev/config; echo 'gitdir: ev' > sub/.git`],
  },
  {
    name: 'a pointer into the cache',
    commands: [
      `${copyTo('~/.cache/pip/ev')}; printf '${FSMONITOR}' > ~/.cache/pip/ev/config; echo "gitdir: $HOME/.cache/pip/ev" > sub/.git`,
    ],
  },
  {
    name: 'a link for .git',
    commands: [`${copyTo('sub/ev')}; printf '${FSMONITOR}' > sub/ev/config; ln -s ev sub/.git`],
  },
  {
    name: 'a bare repository',
    commands: [
      `${copyTo('bare')}; printf '[core]\\n\\tbare = false\\n\\tworktree = .\\n\\tfsmonitor = TRAP; false\\n' > bare/config`,
    ],
  },
  {
    name: 'a new worktree with another commondir',
    commands: [
      `git worktree add -q w2; ${copyTo('.ev')}; printf '${FSMONITOR}' > .ev/config; echo $PWD/.ev > .git/worktrees/w2/commondir`,
    ],
  },
  {
    name: 'settings on one line with the section',
    commands: [`git init -q made; echo '[core] fsmonitor = TRAP; false' >> made/.git/config`],
  },
  {
    name: 'settings over two lines',
    commands: [
      `git init -q made; printf '[user]\\n\\tname = x\\\\\\n[core]\\n\\tfsmonitor = TRAP; false\\n' >> made/.git/config`,
    ],
  },
  {
    name: 'settings in the old form',
    commands: [
      `git init -q made; printf '[alias.x]\\n\\tst = !TRAP\\n[CORE]\\n\\tFsMonitor = TRAP; false\\n' >> made/.git/config`,
    ],
  },
  {
    name: 'settings with quotes',
    commands: [`git init -q made; printf '[core]\\n\\tfsmonitor = "TRAP; false"\\n' >> made/.git/config`],
  },
  {
    name: 'settings behind a comment',
    commands: [`git init -q made; printf '[core]\\n# x\\\\\\n\\tfsmonitor = TRAP; false\\n' >> made/.git/config`],
  },
  {
    name: 'settings that are a link',
    commands: [`git init -q made; printf '${FSMONITOR}' > made/c; ln -sf ../c made/.git/config`],
  },
  {
    name: 'a repository in node_modules',
    commands: [`git init -q sub/made; printf '${FSMONITOR}' >> sub/made/.git/config`],
  },
  {
    name: 'two steps: harmless, then not',
    commands: ['git init -q made', `printf '${FSMONITOR}' >> made/.git/config`],
  },
  {
    name: 'two steps: moved, then changed',
    commands: ['git init -q made', 'mv made made2', `printf '${FSMONITOR}' >> made2/.git/config; mv made2 made`],
  },
  { name: 'settings of a clone', commands: [`git clone -q . cl; printf '${FSMONITOR}' >> cl/.git/config`] },
  {
    name: 'a template',
    commands: [
      `mkdir -p t/hooks; printf '#!/bin/sh\\nTRAP\\n' > t/hooks/post-index-change; chmod +x t/hooks/*; git init -q --template=t made`,
    ],
  },
  {
    name: 'a name with a newline',
    commands: [`d=$'a\\nb'; git init -q "$d"; printf '${FSMONITOR}' >> "$d/.git/config"`],
  },
  {
    name: 'a name that is not UTF-8',
    commands: [`d=$'\\xfe'; git init -q "$d"; printf '${FSMONITOR}' >> "$d/.git/config"`],
  },
];

/** What a person does in each directory of the workspace, with a pager and an editor that do nothing. */
export const PERSON_USES_GIT = `export GIT_EDITOR=true PAGER=cat GIT_TERMINAL_PROMPT=0
find . -type d -not -path '*/.git/*' -not -name .git -print0 | while IFS= read -r -d '' d; do
  cd "$HOME/work/$d" || continue
  for c in status st diff 'log -1 -p' 'add -A .' 'commit -qm x' 'stash' 'stash pop' 'checkout -q .' 'fetch --all' 'submodule status' 'branch' 'push origin HEAD' 'rebase -i HEAD'; do timeout 5 git $c; done
done < /dev/stdin > /dev/null 2>&1`;
