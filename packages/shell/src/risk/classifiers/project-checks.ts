import { holdsWord, programName, remembered, wordsIn } from '../arguments.ts';
import type { Call } from '../context.ts';
import CHECKS from '../rules/checks.table';
import READS from '../rules/reads.table';
import { CHECKING, RUNNERS } from '../rules/runners.ts';
import { hasHole } from '../syntax/fields.ts';
import { readTable } from '../tables.ts';

const rowsOf = readTable(CHECKS);
/** An option with a value, and what the value may be. */
const VALUED = /=(\(.*\)|\{\})?$/;
/** A test, or a directory of tests, as its path tells. */
const IS_TEST = /(^|[/._-])(__tests__|tests?|specs?|e2e)\d*([/._:-]|$)|(^|\/)Test|Tests?\b/;
const PATH_LIKE = /[./\ue100\ue101]/;
const checksOf = remembered((name) =>
  rowsOf(name).map(({ subs, is, words }) => ({
    subs: subs.length === 0 ? [wordsIn('')] : subs.map(wordsIn),
    flags: new Set(words.filter((word) => !VALUED.test(word))),
    valued: new Map(words.flatMap((word) => (VALUED.exec(word) ? [word.split(/=(.*)/s) as [string, string]] : []))),
    needs: is.get('needs')?.split(',') ?? [],
    files: ['files', 'paths', 'tests', 'dirs'].find((trait) => is.has(trait)),
  })),
);
type KnownCheck = ReturnType<typeof checksOf>[number];
const MAX_WORDS = 60;

/** Directories of the project in which its tools are installed. */
const OWN_TOOLS = /^(\.\/)?(node_modules\/\.bin|\.?venv\/bin|vendor\/bin|bin)\/[\w.-]+$|^\.\/(gradlew|mvnw)$/;
const ASSIGNS = /^\w+[:+?]?=/;
/** Options whose value is a pattern or a name, and may look like a path. */
const TAKES_TEXT = new Set(
  wordsIn('-t -k -g -R -E -e -m -n -W -run -bench -skip -list --grep --fgrep -f --filter --ext --extensions'),
);
/** A place outside of the project. */
const ELSEWHERE = /(^|[=:,])(\/(?!\/|dev\/null$)|[~$])|(^|[/=:,])\.\.(\/|$)/;
/** A place that is hidden, as git's own files are. */
const HIDDEN = /(^|[/=:,])\.[^./]/;
/** Options whose value is a module if it looks like a path. */
const NAMES_MODULE = /^(--(test-)?reporters?|-[Rf]|--format|--formatter|--environment|--pool)$/;

/** Reports whether a call is a test, a linter or a build that the project in the current directory declares. */
export function isCheck({ verb, name, args }: Call): boolean {
  if (checksOf(name).length === 0 && !RUNNERS.some((runner) => runner.startsWith(name))) return false;
  if (args.length > MAX_WORDS || hasHole(verb) || args.some((word) => hasHole(word.slice(0, 1)))) return false;
  if (verb.includes('/') && !OWN_TOOLS.test(verb)) return false;
  if (checksOf(name).some((check) => applies(check, args))) return true;
  const [tool, ...others] = withoutRunner([name, ...args]) ?? [];
  if (tool === undefined) return false;
  const inner = programName(tool, (candidate) => checksOf(candidate).length > 0);
  return isCheck({ verb: tool, name: inner, args: others, fed: false, input: undefined });
}

function withoutRunner(argv: readonly string[]): readonly string[] | undefined {
  let longest = 0;
  for (const runner of RUNNERS) {
    if (!runner.startsWith(argv[0] ?? '')) continue;
    const words = wordsIn(runner);
    if (words.length > longest && words.every((word, i) => word === argv[i])) longest = words.length;
  }
  const inner = argv.slice(longest);
  return longest > 0 && inner.length > 0 && !inner[0]?.startsWith('-') ? inner : undefined;
}

function applies(known: KnownCheck, args: readonly string[]): boolean {
  if (known.needs.length > 0 && !known.needs.some((option) => args.includes(option))) return false;
  const operands = operandsOf(known, args);
  if (!operands || operands.some((operand) => ELSEWHERE.test(operand) || ASSIGNS.test(operand))) return false;
  return known.subs.some((sub) => fits(known, operands, sub));
}

function operandsOf({ flags, valued }: KnownCheck, args: readonly string[]): string[] | undefined {
  const operands: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? '';
    if (arg === '--') continue;
    if (!arg.startsWith('-')) operands.push(arg);
    else if (valued.has(arg) && !(flags.has(arg) && /^-|^$/.test(args[i + 1] ?? ''))) {
      if (!isValue(arg, args[i + 1] ?? '', valued.get(arg))) return undefined;
      i++;
    } else if (!isOption(arg, flags, valued)) return undefined;
  }
  return operands;
}

function isValue(option: string, value: string, known = ''): boolean {
  if (known === '{}') return value.split(',').every((name) => CHECKING.test(name));
  if (known !== '') return new RegExp(`^${known}$`).test(value) && !ELSEWHERE.test(value);
  if (NAMES_MODULE.test(option) && /^\.{0,2}\/|\.[cm]?js$/.test(value)) return false;
  return TAKES_TEXT.has(option) || (!value.startsWith('--') && !ELSEWHERE.test(value) && !HIDDEN.test(value));
}

/** Accepts a listed option, one with a value after `=` or at its end, or a cluster of listed letters. */
function isOption(arg: string, flags: ReadonlySet<string>, valued: ReadonlyMap<string, string>): boolean {
  if (flags.has(arg)) return true;
  const equals = arg.indexOf('=');
  const name = arg.slice(0, equals);
  if (equals > 0) return valued.has(name) && isValue(name, arg.slice(equals + 1), valued.get(name));
  if (arg.startsWith('--')) return false;
  if (/^-[a-zA-Z]\d+$/.test(arg)) return valued.has(arg.slice(0, 2)) || flags.has(arg.slice(0, 2));
  return arg.length <= 8 && [...arg.slice(1)].every((letter) => flags.has(`-${letter}`));
}

function fits({ files, subs }: KnownCheck, operands: readonly string[], sub: readonly string[]): boolean {
  const matches = (word: string, operand = '') =>
    word === '*' || word === operand || (word === '{}' && CHECKING.test(operand));
  if (sub.length > operands.length || !sub.every((word, i) => matches(word, operands[i]))) return false;
  const others = operands.slice(sub.length);
  const isDirectory = (operand: string) => files === 'dirs' && !/[^./]\./.test(operand);
  if (files === 'tests' || files === 'dirs') {
    return others.every((operand) => IS_TEST.test(operand.split('::')[0] ?? '') || isDirectory(operand));
  }
  // Without a subcommand, a bare word may be one that the row does not name.
  if (files === 'paths' && sub.length === 0) return others.every((operand) => PATH_LIKE.test(operand));
  const isListed = (operand: string) => subs.some((words) => words.length === 1 && matches(words[0] ?? '', operand));
  return files !== undefined || others.every(isListed);
}

/** The pattern for the arguments with which a program only prints, or undefined if there is none. */
const readsOf = remembered((name): RegExp | undefined => {
  const start = /^[\w.-]+$/.test(name) ? READS.indexOf(`\n${name} `) : -1;
  if (start === -1) return undefined;
  const row = READS.slice(start + name.length + 2, READS.indexOf('\n', start + 1));
  return row.startsWith('(?i)') ? new RegExp(`^(?:${row.slice(4)})$`, 'i') : new RegExp(`^(?:${row})$`);
});

/** Programs that print and end when they are asked for help or their version, no matter what else they can do. */
const HONORS_HELP =
  'rm rmdir unlink shred truncate dd cp mv ln install mkdir touch mktemp tee split csplit rsync scp tar zip unzip gzip bzip2 xz zstd chmod chown chgrp chattr setfacl patch mkfs mkswap fdisk sfdisk parted wipefs blkdiscard mount umount swapon swapoff losetup sudo su doas kill killall pkill crontab useradd userdel usermod groupadd passwd iptables nft ufw ip systemctl journalctl service sysctl modprobe hostname date make cmake ninja gcc g++ clang clang++ cc git docker podman kubectl helm terraform tofu npm pnpm yarn npx bun deno node python perl ruby php lua java javac go cargo rustc rustup pip pipx uv poetry pytest tox ruff black mypy tsc eslint prettier jest vitest mocha webpack vite esbuild rollup curl wget ssh jq yq sed awk gawk grep find sort xargs env timeout nohup nice watch bash zsh fish dash psql mysql sqlite3 redis-cli mongosh pg_dump aws gcloud az gh glab vim nvim emacs nano less man openssl gpg ffmpeg convert tmux screen nmap brew apt apt-get dpkg snap flatpak yum dnf gradle mvn dotnet swift kotlin scala ghc stack cabal mix elixir rails rake bundle gem composer ansible vagrant claude codex gemini copilot opencode aider goose cursor-agent ollama hyperfine strace gdb valgrind rg fd bat fzf tree code tsx ts-node nodemon pm2 turbo nx lerna rimraf';

/** Programs of which `--help` after a subcommand asks for help on it, and reaches nothing that the subcommand would run. */
const HAS_SUBCOMMANDS =
  'git npm docker podman kubectl helm terraform tofu cargo go rustup pip uv poetry brew apt apt-get systemctl aws gcloud az gh glab dotnet composer ip nmap nft conda gem';

const ASKS = new Set(['--help', '--version']);
/** Subcommands that pass `--help` on to the program that they run, if another word is before it. */
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
