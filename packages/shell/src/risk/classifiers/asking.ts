import { holdsWord } from '../arguments.ts';
import type { Call } from '../context.ts';
import { HAS_SUBCOMMANDS, HONORS_HELP, readsOf } from '../rules/reads.ts';

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
