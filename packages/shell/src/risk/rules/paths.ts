/** Files and directories that no one writes for harmless reasons, or that hold secrets. */
export interface PathRule {
  readonly path: RegExp;
  readonly reason: string;
}

/** Files in /dev that are harmless to write. Everything else there is a device. */
export const HARMLESS_DEVICE =
  /^\/dev\/(null|zero|full|tty|stdin|stdout|stderr|random|urandom|fd\/\d+|shm\/.*|pts\/\d+)$/;

/** Files that discard or show what is written to them. */
export const DISCARDED = /^\/dev\/(null|zero|full|tty|stdin|stdout|stderr|fd\/[012])$/;

const HOME = String.raw`(^|/|[\ue100\ue101])`;

/** Writing these has code run later, or changes the system. `@jinn/workspace/secrets/run-files` has the files that programs run by themselves. */
export const PROTECTED_PATHS: readonly PathRule[] = [
  { path: /^\/dev\/(tcp|udp)\//, reason: 'opens a connection to another machine' },
  { path: /^\/dev\//, reason: 'writes to a device' },
  {
    path: /(^|[/\ue100\ue101])\.config\/jinn(\/|$)|^[/~$\ue100\ue101](.*\/)?jinn\/(config\.json|tools)(\/|$)/i,
    reason: 'changes what jinn may do',
  },
  {
    path: new RegExp(`${HOME}\\.git/(hooks(/|$)|config$|config\\.worktree$|info/attributes$|modules/)`),
    reason: 'changes what git runs',
  },
  { path: new RegExp(`${HOME}\\.(gnupg|aws|kube|docker)(/|$)`), reason: 'changes keys' },
  {
    path: /(^|\/)(cron(\.d|\.daily|\.hourly|\.weekly|\.monthly)\/|crontab$|crontabs\/|LaunchAgents\/|LaunchDaemons\/|StartupItems\/)/,
    reason: 'changes what runs on a schedule',
  },
  {
    path: /^(\/private)?\/(etc|boot|bin|sbin|lib|lib32|lib64|sys|proc|root|System|Library)(\/|$)/,
    reason: 'changes the system',
  },
  { path: /^\/usr(\/(?!local\/(share|src)\/)|$)/, reason: 'changes the system' },
  { path: /^\/var\/(spool|lib|log|run|www)(\/|$)/, reason: 'changes the system' },
  {
    path: /(^|\/)(site-packages|dist-packages)\/[^/]*\.pth$|(site|user)customize\.py$/,
    reason: 'changes what every Python runs at its start',
  },
];

/** Programs that write to files named among their operands. */
export const WRITES_ANY =
  'tee touch mv mkdir chmod chown chgrp chattr setfacl truncate gzip gunzip bzip2 xz zip sponge dos2unix unix2dos mkfifo mknod strip objcopy ar ranlib mktemp patch vim vi nvim nano ed ex';

/** Programs that write to the last of their operands. */
export const WRITES_LAST = 'cp install ln rsync scp sftp split patch ffmpeg convert magick cwebp pdftotext';

/** Programs that write to the second of their operands. */
export const WRITES_SECOND = 'uniq xxd csplit';
