import { remembered } from '../remembered.ts';

/**
 * Calls of programs that otherwise change the system, but only print here: a name, and a pattern that must match all
 * arguments, joined by blanks; `(?i)` in front ignores case. Rows stand in the order of `rules/system.ts`. They are text,
 * since compiling all of them takes half a millisecond at the start of each process.
 */
const READS = String.raw`
# Processes and users
killall (-l|--list|-0 [\w.-]+|-V|--version)
pkill -0 (-f |-x )?[\w./-]+
fuser (-[vu]+ )?(-n (tcp|udp) )?[^-\s]\S*
sudo (-n )?(-l|--list|-ll|-V|--version)
passwd (-S|--status)( \w+)?
chage (-l|--list) \w+
dscl \. (-list|-read) \S+( \w+)*
at -l
crontab (-l|-u \w+ -l|-l -u \w+)
loginctl ((list|show|session|user|seat)-\w+( [\w-]+)*)?
# Disks
fdisk (-l|--list|-x|--list-details|-v|--version)( /dev/[\w/]+)*
sfdisk (-l|--list|-d|--dump|-J|--json|-V|--verify)( /dev/[\w/]+)*
gdisk -l /dev/[\w/]+
sgdisk (-p|--print|-v|-i \d+) /dev/[\w/]+
parted (-l|--list|(-s )?/dev/[\w/]+ (unit \w+ )?print( free)?)
wipefs ((-n|--no-act|-J|--json) )?/dev/[\w/]+
hdparm -[iIg] /dev/[\w/]+
nvme (list|version|list-subsys|(smart-log|id-ctrl|id-ns|error-log) /dev/\w+)
fsck -N( /dev/[\w/]+)*
tune2fs -l /dev/[\w/]+
zpool (list|status|get|iostat|history)( (-[vxHp]+|[\w/.,-]+))*
zfs (list|get)( (-[rHpt]+|[\w/.@,-]+))*
btrfs (filesystem (df|show|usage)|subvolume (list|show)|device usage)( [\w/.-]+)*
mdadm (--detail|-D|--examine|-E|--query|-Q|--detail --scan)( /dev/[\w/]+)*
cryptsetup (status|luksDump|isLuks) [\w/.-]+
dmsetup (ls|info|status|deps)( --tree| [\w/.-]+)*
losetup (-a|--all|-l|--list|-j \S+)?
diskutil (list|info|activity|apfs list)( -?[\w/]+)*
blockdev (--get\w+|--report)( /dev/[\w/]+)*
mount (-l|-v|-t \w+|-l -t \w+)?
swapon (-s|--summary|--show(=[\w,]+)?|-s -v|--show --bytes|--noheadings --show)
# Kernel, clock, network
modprobe (-n|--dry-run|-c|--showconfig|-D|--show-depends|-V)( -v)?( [\w-]+)*
kmod (list|version|static-nodes)
sysctl (-a|-A|(-[ne]+ )?[\w.-]+)
hwclock (-r|--show|--get|--verbose)*
timedatectl (status|show|list-timezones|timesync-status|show-timesync)?
hostnamectl (status)?
localectl (status|list-\w+)?
iptables (-t \w+ )?(?=.*-\w*[LS]|--list)(-[nvxLS]+|--list(-rules)?|--line-numbers|--numeric|--verbose|[A-Z]\w*| )*
ip6tables (-t \w+ )?(?=.*-\w*[LS]|--list)(-[nvxLS]+|--list(-rules)?|--line-numbers|--numeric|--verbose|[A-Z]\w*| )*
nft (-[ansj]+ )*list( \w+)+
ufw (status( verbose| numbered)?|version|app list|show \w+)
firewall-cmd (--state|--list-[\w-]+|--get-[\w-]+|--permanent| |--zone=\w+)+
pfctl -s ?\w+
ipset (list|-L)( -n| -t| [\w-]+)*
ifconfig (-a|-s|\w+)?
route (-n|-e|-ne|-rn|-n get \S+|get \S+)?
arp (-[aenv]+)?
iwconfig \w*
resolvectl (status|dns|domain|statistics|query)?( [\w.-]+)*
nmcli (-[a-z]+ ([\w,]+ )?)?((device|dev|d|connection|con|c|general|g|radio|networking|n)( (show|status|list|wifi list|connectivity|hostname))?)?
networksetup -(list|get)\w+( [\w-]+)*
scutil --(dns|proxy|nwi|get \w+)
# Services and settings
systemctl (--(user|failed|all|no-pager|type=\w+|state=\w+)| )*
service ([\w@.-]+ status|--status-all)
supervisorctl (status|avail|pid|version)( [\w:-]+)*
launchctl (list|print|blame|version|print-disabled|managername)( [\w./-]+)*
initctl (list|status [\w-]+|version)
chkconfig --list( [\w-]+)?
rc-update (show|-v show)?
monit (status|summary)
update-alternatives (--(list|display|query) [\w+.-]+|--get-selections)
alternatives (--(list|display) ?[\w+.-]*)
ldconfig (-p|--print-cache|-V)
efibootmgr (-v|--verbose)?
semanage \w+ -l
authselect (current|list|show \w+)
nvram -p
csrutil status
spctl --status
pmset -g( \w+)*
softwareupdate (-l|--list|--history)
bless --info
# git, containers, clouds
git ((-C [^-\s]\S*|--no-pager|-P|-c (color|core\.quotepath|advice|log|diff)[\w.]*=\w+) )*(branch( -[avlr]+)*|branch( --(list|all|remotes|verbose|merged|no-merged|show-current|column|sort=\S+|format=\S+|contains)| -[avlr]+)+( [\w/.@*^~-]+)?|tag( -l| --list| -n\d*| --sort=\S+| --contains| --merged| --points-at)*|tag (-l|--list|-n\d+|--sort=\S+|--contains|--merged|--points-at)( -n\d*| --sort=\S+)*( [\w/.*@^~-]+)?|remote( -v| show \S+| get-url \S+)?|clean (-[dxXfq]*n[dxXfq]*|--dry-run)( -[dxX]+)*|add (-n|--dry-run)( [^-]\S*)*|stash list|submodule|notes|worktree|reflog( -\d+| -n \d+| --all| --date=\w+)*( \w+)?|bisect (log|visualize)|config( --(global|local|system|get|get-all|show-origin|show-scope|includes|name-only|list|type=\w+)| -l| get| list)*( [a-z]\w*(\.[\w*/-]+)+)?|rebase --show-current-patch|am --show-current-patch|help( \w+)?)
docker (context (ls|show|inspect)|compose (ls|images|top|version|port|events|convert)|manifest inspect|system (df|info)|buildx (ls|inspect|du|version)|(image|volume|network|container|plugin|node|service|stack) (inspect|ls|list|logs|top|stats|port|history|ps)|plugin ls|version|--version|-v|ps|images)( -{0,2}[\w./:={},@%-]+)*
docker-compose (-f \S+ )?(ps|logs|config|images|top|version|port|ls)( -{0,2}[\w./:=-]+)*
aws (--(profile|region|output) \S+ )*([\w-]+ (describe|list)-[\w-]+|s3 ls|sts get-caller-identity|configure list)( \S+)*
gcloud (config (list|get-value|get|configurations list)|auth list|info|version|projects (list|describe)|([\w-]+ ){1,3}(list|describe))( (?!.*secret)\S+)*
az (?!.*(secret|key|credential|connection|token))(account (show|list)|version|([\w-]+ ){1,3}(list|show))( \S+)*
heroku (apps|ps|logs|releases|addons|domains|status|version)( -{0,2}[\w.-]+)*
vercel (ls|list|whoami|inspect|logs)( -{0,2}[\w./:-]+)*
fly (status|logs|apps list|version|regions list)( -{0,2}[\w.-]+)*
flyctl (status|logs|apps list|version|regions list)( -{0,2}[\w.-]+)*
redis-cli (?i)(-[hpna] \S+ )*(get|mget|strlen|keys|ttl|pttl|type|exists|info|ping|dbsize|scan|hget|hgetall|hkeys|hlen|lrange|llen|smembers|scard|zrange|zcard|xlen|xrange|time|lastsave|role|memory (usage|stats)|client list|object encoding)( \S+)*
# Languages
alias (-p)?
npm (-v|-l|help)
bun (pm (ls|bin|hash|cache)( -\w+)*|outdated|-v|--revision)
bash -n( [\w.@+/][\w.@+/\ue100\ue101-]*)+
sh -n( [\w.@+/][\w.@+/\ue100\ue101-]*)+
dash -n( [\w.@+/][\w.@+/\ue100\ue101-]*)+
zsh -n( [\w.@+/][\w.@+/\ue100\ue101-]*)+
php (-l( [\w.@+/][\w.@+/-]*)+|-v|-m|-i|--ini)
ruby (-c( [\w.@+/][\w.@+/-]*)+|-v)
code (--list-extensions( --show-versions)?|-v)
deno ((info|doc)( [\w./@:-]+)*|-V)
rustc (-V|-vV|--print \S+|--explain \w+)
java --?version
javac --?version
kotlinc -version
scala -version
ant -(version|p|projecthelp)
dotnet --(info|list-sdks|list-runtimes)
ssh (-V|-G \S+|-Q \w+)
tmux -V
# Files, keys, packages
tee (-a )?(/dev/(stderr|stdout|null|tty|fd/[012])( |$))*
rsync (?=(.* )?(-[a-zA-Z]*n[a-zA-Z]*|--dry-run)( |$))(-[avzrnhiPutgopDlHxcq]+|--(dry-run|delete(-\w+)?|stats|itemize-changes|checksum|progress|archive|verbose|recursive|human-readable)|--(exclude|include|info)=[^\s:]+|[^-\s:][^\s:]*| )*
gpg (--(list|fingerprint|verify|list-secret|check-sigs|list-packets)[\w-]*|-k|-K)( [^-\s]\S*)*
openssl (version( -\w)?|rand (-hex|-base64) \d+|ciphers( -\w+)*|(dgst|sha256|md5)( -(sha\d+|md5))?( [^-\s]\S*)*|x509 (-(in|inform) \S+ |-(noout|text|dates|subject|issuer|fingerprint|enddate|startdate|serial|sha256) ?)+|verify( -CAfile \S+)? \S+|list( -\w+)*)
ssh-keygen (-l -f|-lf|-lvf|-F) \S+
ssh-add -[lL]
apt (list|show|search|policy|depends|rdepends)( -{0,2}[\w.+:=-]+)*
apt-get (-s|--simulate|--dry-run|--just-print) \w+( -y)?( [\w.+:-]+)*
apt-cache (show|search|policy|depends|rdepends|showpkg|stats|pkgnames)( -{0,2}[\w.+:=-]+)*
dpkg (-[lLsSI]|--(list|listfiles|status|search|info|print-architecture|get-selections|version))( [\w.+*:/-]+)*
rpm -q[a-z]*( [\w.+*:/-]+)*
pacman -(Q[a-z]*|S[si]+|F[a-z]*)( [\w.+:/-]+)*
brew (list|ls|info|search|outdated|deps|uses|config|doctor|leaves|--version|--prefix|desc|home|cat|services list)( -{0,2}[\w./@+-]+)*
snap (list|info|find|version|services|connections)( [\w.-]+)*
flatpak (list|info|search|remotes)( -{0,2}[\w./-]+)*
yum (list|info|search|repolist|provides|history)( [\w.*+-]+)*
dnf (list|info|search|repolist|provides|history)( [\w.*+-]+)*
apk (list|info|search|policy|version|stats)( -{0,2}[\w.*+-]+)*
`;

/** Returns the pattern for the arguments with which a program only prints; undefined if there is none. */
export const readsOf = remembered((name): RegExp | undefined => {
  const start = /^[\w.-]+$/.test(name) ? READS.indexOf(`\n${name} `) : -1;
  if (start === -1) return undefined;
  const row = READS.slice(start + name.length + 2, READS.indexOf('\n', start + 1));
  return row.startsWith('(?i)') ? new RegExp(`^(?:${row.slice(4)})$`, 'i') : new RegExp(`^(?:${row})$`);
});

/** Programs that print and end when they are asked for help or their version, whatever else they can do. */
export const HONORS_HELP =
  'rm rmdir unlink shred truncate dd cp mv ln install mkdir touch mktemp tee split csplit rsync scp tar zip unzip gzip bzip2 xz zstd chmod chown chgrp chattr setfacl patch mkfs mkswap fdisk sfdisk parted wipefs blkdiscard mount umount swapon swapoff losetup sudo su doas kill killall pkill crontab useradd userdel usermod groupadd passwd iptables nft ufw ip systemctl journalctl service sysctl modprobe hostname date make cmake ninja gcc g++ clang clang++ cc git docker podman kubectl helm terraform tofu npm pnpm yarn npx bun deno node python perl ruby php lua java javac go cargo rustc rustup pip pipx uv poetry pytest tox ruff black mypy tsc eslint prettier jest vitest mocha webpack vite esbuild rollup curl wget ssh jq yq sed awk gawk grep find sort xargs env timeout nohup nice watch bash zsh fish dash psql mysql sqlite3 redis-cli mongosh pg_dump aws gcloud az gh glab vim nvim emacs nano less man openssl gpg ffmpeg convert tmux screen nmap brew apt apt-get dpkg snap flatpak yum dnf gradle mvn dotnet swift kotlin scala ghc stack cabal mix elixir rails rake bundle gem composer ansible vagrant claude codex gemini copilot opencode aider goose cursor-agent ollama hyperfine strace gdb valgrind rg fd bat fzf tree code tsx ts-node nodemon pm2 turbo nx lerna rimraf';

/** Programs of which `--help` behind a subcommand asks for help on it, and reaches nothing that the subcommand would run. */
export const HAS_SUBCOMMANDS =
  'git npm docker podman kubectl helm terraform tofu cargo go rustup pip uv poetry brew apt apt-get systemctl aws gcloud az gh glab dotnet composer ip nmap nft conda gem';
