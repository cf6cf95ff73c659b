import { holdsWord } from '../arguments.ts';
import { remembered } from '../by-name.ts';
import type { Call } from '../context.ts';
import READS from '../rules/reads.table';

/** The pattern for the arguments with which a program only prints; undefined if there is none. */
const readsOf = remembered((name): RegExp | undefined => {
  const start = /^[\w.-]+$/.test(name) ? READS.indexOf(`\n${name} `) : -1;
  if (start === -1) return undefined;
  const row = READS.slice(start + name.length + 2, READS.indexOf('\n', start + 1));
  return row.startsWith('(?i)') ? new RegExp(`^(?:${row.slice(4)})$`, 'i') : new RegExp(`^(?:${row})$`);
});

/** Programs that print and end when they are asked for help or their version, whatever else they can do. */
const HONORS_HELP =
  'rm rmdir unlink shred truncate dd cp mv ln install mkdir touch mktemp tee split csplit rsync scp tar zip unzip gzip bzip2 xz zstd chmod chown chgrp chattr setfacl patch mkfs mkswap fdisk sfdisk parted wipefs blkdiscard mount umount swapon swapoff losetup sudo su doas kill killall pkill crontab useradd userdel usermod groupadd passwd iptables nft ufw ip systemctl journalctl service sysctl modprobe hostname date make cmake ninja gcc g++ clang clang++ cc git docker podman kubectl helm terraform tofu npm pnpm yarn npx bun deno node python perl ruby php lua java javac go cargo rustc rustup pip pipx uv poetry pytest tox ruff black mypy tsc eslint prettier jest vitest mocha webpack vite esbuild rollup curl wget ssh jq yq sed awk gawk grep find sort xargs env timeout nohup nice watch bash zsh fish dash psql mysql sqlite3 redis-cli mongosh pg_dump aws gcloud az gh glab vim nvim emacs nano less man openssl gpg ffmpeg convert tmux screen nmap brew apt apt-get dpkg snap flatpak yum dnf gradle mvn dotnet swift kotlin scala ghc stack cabal mix elixir rails rake bundle gem composer ansible vagrant claude codex gemini copilot opencode aider goose cursor-agent ollama hyperfine strace gdb valgrind rg fd bat fzf tree code tsx ts-node nodemon pm2 turbo nx lerna rimraf';

/** Programs of which `--help` behind a subcommand asks for help on it, and reaches nothing that the subcommand would run. */
const HAS_SUBCOMMANDS =
  'git npm docker podman kubectl helm terraform tofu cargo go rustup pip uv poetry brew apt apt-get systemctl aws gcloud az gh glab dotnet composer ip nmap nft conda gem';

const ASKS = new Set(['--help', '--version']);
/** Subcommands that pass `--help` on to the program that they run, if another word stands before it. */
const HANDS_ON = /\b(run|exec|x|start|test|shell|ssh)\b/;
const WORD = /^[a-z][a-z0-9:-]*$/;

/** Reports whether a call only asks something of a program that could change much. */
export function onlyAsks({ name, args }: Call): boolean {
  if (args.every((arg) => !/\s/.test(arg)) && readsOf(name)?.test(args.join(' '))) return true;
  const last = args.at(-1);
  if (last === undefined || args.length > 4 || !ASKS.has(last)) return false;
  if (args.length === 1) return holdsWord(HONORS_HELP, name);
  const subcommands = args.slice(0, -1);
  return (
    holdsWord(HAS_SUBCOMMANDS, name) &&
    subcommands.every((word) => WORD.test(word)) &&
    !HANDS_ON.test(args.slice(0, -2).join(' '))
  );
}

/** Variables of the shell that hold no number of a process that the command itself started. */
const OTHERS =
  /^\$(PPID|UID|EUID|PWD|OLDPWD|HOME|USER|LOGNAME|SHELL|TERM|TZ|LANG|PATH|HOSTNAME|TMPDIR|RANDOM|SECONDS|LINENO)$/;
const SIGNAL = /^-(?:[A-Z][A-Z0-9+-]*|\d+|s|n|-)$/;

/** Reports whether a call is a `kill` that ends nothing but jobs of this very command, or nothing at all. */
export function killsOwnJobs({ name, args }: Call): boolean {
  if (name !== 'kill') return false;
  const [first = '', ...others] = args;
  if (/^-(l|L|-list|-table)$/.test(first)) return others.every((arg) => /^\w+$/.test(arg));
  if (first === '-0' || (first === '-s' && others[0] === '0')) return others.every((arg) => !/^-[^\d]/.test(arg));
  const targets = args.filter((arg, i) => !(i < 2 && (SIGNAL.test(arg) || (i === 1 && args[0] === '-s'))));
  return targets.length > 0 && targets.every((target) => isOwnJob(target));
}

function isOwnJob(target: string): boolean {
  return target === '$!' || /^%[\w%+-]*$/.test(target) || (/^\$[A-Za-z_]\w*$/.test(target) && !OTHERS.test(target));
}
