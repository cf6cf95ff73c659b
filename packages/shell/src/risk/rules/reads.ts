import { remembered } from '../remembered.ts';
import READS from './reads.table';

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
