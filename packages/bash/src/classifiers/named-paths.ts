import { MAY_HOLD_SECRETS, PUBLIC_FILES } from '@jinn/secrets/key-files';
import { hasSensitiveSegment } from '@jinn/secrets/names';
import { PROJECT_RUN_FILES } from '@jinn/secrets/run-files';
import { holdsWord, valuesOf, wordsIn } from '../arguments.ts';
import type { Call, Context } from '../context.ts';
import { remembered } from '../remembered.ts';
import {
  HARMLESS_DEVICE,
  PROTECTED_PATHS,
  WRITE_OPTIONS,
  WRITES_ANY,
  WRITES_LAST,
  WRITES_SECOND,
} from '../rules/paths.ts';
import { argumentsOf } from '../table.ts';
import { holdsCredentials, homeRunnerOf, isCredential } from './credentials.ts';
import { reachOf } from './exposing.ts';

const IN_PLACE = new Set(['sed', 'perl', 'ruby', 'yq', 'awk', 'gawk']);
const GIVES_PROGRAM = ['-e', '-E', '-f', '--expression', '--file', '--from-file'];
/** Programs that show their arguments, and do not open them. */
const ONLY_NAMES = 'echo printf basename dirname test [ cd pushd alias export which command';
const LISTS = 'ls stat file du find fd tree realpath readlink namei exa eza chmod chown touch mkdir';
/** Programs whose first operand is a pattern or a filter. */
const PATTERN_FIRST = 'grep egrep fgrep zgrep rg ag ack jq yq';
/** Subcommands of git that open files outside of the repository. */
const GIT_OPENS = new Set([
  'diff',
  'grep',
  'hash-object',
  'apply',
  'am',
  'bundle',
  'show',
  'cat-file',
  'blame',
  'annotate',
]);
const SHOWS_PATCH = /^(-p|-u|--patch|-L.*)$/;
/** What stands in front of a path that git takes from a commit or from its index: `HEAD:`, `:2:`. */
const REVISION = /^[^\s:]*:(?:[0-3]:)?(?=[^:])/;
const MAY_HOLD_SECRET = new RegExp(`(^|/)(${MAY_HOLD_SECRETS})$`, 'i');
const PUBLIC_FILE = new RegExp(`(^|/)(${PUBLIC_FILES})$`, 'i');
/** A home, or the directory of homes: a search that passes hidden files over reads no secret there. */
const HOME_ITSELF = /^(~[\w.-]*|\$HOME|\/home(\/[^/]+)?|\/root|\/Users(\/[^/]+)?)\/?$/;
/** Options whose value is a key that the program uses and does not show. */
const USES: Readonly<Record<string, string>> = {
  ssh: '-i -F',
  scp: '-i -F',
  sftp: '-i -F',
  autossh: '-i -F',
  mosh: '--ssh',
  'ssh-add': '-d',
  'ssh-keygen': '-f -lf',
  'ssh-copy-id': '-i',
  kubectl: '--kubeconfig',
  helm: '--kubeconfig',
  oc: '--kubeconfig',
  k9s: '--kubeconfig',
  docker: '--config --tlscacert --tlscert --tlskey',
  'ansible-playbook': '--private-key --vault-password-file',
  ansible: '--private-key --vault-password-file',
  psql: '--set',
};
/** Programs that copy or send whole directories. */
const TAKES_ALL = 'tar bsdtar zip 7z rsync scp rclone restic borg duplicity cpio pax rar';
/** The start of an argument that names a file behind an option, a form field or an `@`. */
const BEFORE_PATH = /^(-[A-Za-z]|--[\w-]+=|[\w.-]+=)?@?(file:\/\/)?/;
/** The start of a path that climbs to a directory of the system or to the homes, also by way of `~/..`. */
const CLIMB = /^\/?(\.\.\/)+(home\/)?(?=(etc|dev|boot|proc|sys|home|Users)\/|root\/\.)/;
/** Links to the root and to the working directory of a process, below the root. */
const LINK_OF_PROCESS = /^proc\/[^/]+(?:\/task\/[^/]+)?\/(root|cwd)$/;
/** Directories below which a path means no more than by itself; empty for the one where the command starts. */
const PLAIN = /^(?:[\w-]+(?:\/[\w-]+)*)?$/;
const LOOKS_LIKE_PATH = /[/.~$\ue100\ue101]|id_|key|cred|secret/i;

/** How a program treats the files that its arguments name. */
interface Habits {
  readonly onlyNames: boolean;
  readonly lists: boolean;
  readonly patternFirst: boolean;
  readonly takesAll: boolean;
  readonly writesAny: boolean;
  readonly writesSecond: boolean;
  readonly writesLast: boolean;
  /** Options whose value is a file that it writes. */
  readonly writing: readonly string[];
}

const habitsOf = remembered(
  (name): Habits => ({
    onlyNames: holdsWord(ONLY_NAMES, name),
    lists: holdsWord(LISTS, name),
    patternFirst: holdsWord(PATTERN_FIRST, name),
    takesAll: holdsWord(TAKES_ALL, name),
    writesAny: holdsWord(WRITES_ANY, name),
    writesSecond: holdsWord(WRITES_SECOND, name),
    writesLast: holdsWord(WRITES_LAST, name),
    writing: Object.hasOwn(WRITE_OPTIONS, name) ? wordsIn(WRITE_OPTIONS[name]) : [],
  }),
);

/** Judges the files that a call names: those that it writes, and those with credentials that it reads. */
export function classifyPaths(call: Call, context: Context, directory: string): void {
  const { name, args } = call;
  for (const path of writtenBy(call)) classifyWritten(path, context, directory);
  const habits = habitsOf(name);
  if (habits.onlyNames || (name === 'git' && !args.some((arg) => GIT_OPENS.has(arg) || SHOWS_PATCH.test(arg)))) return;
  const used = usedBy(call);
  const takesAll = takingOf(call);
  const pattern = habits.patternFirst ? args.find((arg) => !arg.startsWith('-')) : undefined;
  for (const arg of args) {
    if (arg === pattern && !arg.includes('/')) continue;
    if ((PLAIN.test(directory) && !LOOKS_LIKE_PATH.test(arg)) || arg.length > 4_096) continue;
    const path = arg.replace(BEFORE_PATH, '').replace(name === 'git' ? REVISION : '', '');
    if (used.includes(path) && isCredential(path)) context.report('caution', 'uses a key');
    else classifyRead(path, { call, takesAll }, context, directory);
  }
  if (searchesHere(call)) classifyRead('.', { call, takesAll }, context, directory);
}

/** Returns which directories a call reads with all that is below them. */
function takingOf(call: Call): Reader['takesAll'] {
  const { name, args } = call;
  const copiesAll = name === 'cp' && args.some((arg) => /^-[A-Za-z]*[rRa]|^--(rec|arch)/.test(arg));
  const reach = reachOf(call);
  if (habitsOf(name).takesAll || copiesAll || reach === 'all') return () => true;
  if (name === 'ln') return (path) => path !== linkOf(call);
  return (path) => reach === 'visible' && !HOME_ITSELF.test(path);
}

/** Returns where `ln` puts the link; undefined for the current directory. */
function linkOf(call: Call): string | undefined {
  const { operands } = argumentsOf(call);
  return operands.length > 1 ? operands.at(-1) : undefined;
}

/** Reports whether a search names no directory, and so reads the current one. */
function searchesHere(call: Call): boolean {
  const { operands } = argumentsOf(call);
  return reachOf(call) !== 'files' && operands.length < (call.name === 'git' ? 3 : 2);
}

function usedBy({ name, args }: Call): string[] {
  if (name === 'ssh-add') return args.filter((arg) => !arg.startsWith('-'));
  return Object.hasOwn(USES, name) ? valuesOf(args, wordsIn(USES[name])) : [];
}

/** Returns the files that a program writes, as far as its arguments tell. */
function writtenBy(call: Call): string[] {
  if (call.name === 'ssh-keygen' && call.args.some((arg) => /^-[lyFeiB]/.test(arg))) return [];
  const { writing, writesAny, writesSecond, writesLast } = habitsOf(call.name);
  const named = valuesOf(call.args, writing);
  if (writesAny) return [...named, ...ownOperands(call)];
  if (editsInPlace(call)) return [...named, ...editedBy(call)];
  if (writesSecond) return [...named, ...argumentsOf(call).operands.slice(1, 2)];
  if (!writesLast) return named;
  const last = argumentsOf(call).operands.at(-1);
  return last === undefined ? named : [...named, last];
}

/**
 * Returns the operands of a call; none for a `chmod` that takes rights away from others, which is how keys are kept:
 * `chmod 600 ~/.ssh/id_rsa`.
 */
function ownOperands(call: Call): string[] {
  const { operands } = argumentsOf(call);
  const isPrivate = call.name === 'chmod' && /^(0?[0-7]00|go?-[rwx]+|go=|u=[rwx]+,go=)$/.test(operands[0] ?? '');
  return isPrivate ? [] : operands;
}

/** Returns the files that a program edits: its operands without the first, which is the program text unless an option gives that. */
function editedBy(call: Call): string[] {
  const given = argumentsOf(call);
  if (!GIVES_PROGRAM.some((option) => given.has(option))) return given.operands.slice(1);
  const programs = valuesOf(call.args, GIVES_PROGRAM);
  return given.operands.filter((operand) => !programs.includes(operand));
}

function editsInPlace({ name, args }: Call): boolean {
  return IN_PLACE.has(name) && args.some((arg) => /^(-[A-Za-z]*i|--in-?place|inplace$)/.test(arg));
}

/** Judges one file that is written. */
export function classifyWritten(written: string, context: Context, directory: string): void {
  for (const path of placesOf(written, directory)) {
    if (HARMLESS_DEVICE.test(path)) return;
    const rule = PROTECTED_PATHS.find((candidate) => candidate.path.test(path));
    const runner = homeRunnerOf(path);
    const ofProject = PROJECT_RUN_FILES.runnerOf(path);
    if (rule) context.report('dangerous', rule.reason);
    else if (isCredential(path)) context.report('dangerous', 'changes credentials');
    else if (runner !== undefined) context.report('dangerous', changesFileOf(runner));
    else if (ofProject !== undefined) context.report('caution', changesFileOf(ofProject), true);
  }
}

function changesFileOf(runner: string): string {
  return `changes a file that ${runner} runs or takes commands from`;
}

interface Reader {
  readonly call: Call;
  /** Reports whether the program reads everything below a directory. */
  readonly takesAll: (path: string) => boolean;
}

function classifyRead(read: string, { call, takesAll }: Reader, context: Context, directory: string): void {
  for (const path of placesOf(read, directory)) {
    const listsOnly = habitsOf(call.name).lists;
    if (isCredential(path)) context.report(listsOnly ? 'caution' : 'dangerous', 'reads credentials');
    else if (takesAll(path) && holdsCredentials(path)) context.report('dangerous', 'takes credentials along');
    else if (!listsOnly && (MAY_HOLD_SECRET.test(path) || hasSensitiveSegment(path)) && !PUBLIC_FILE.test(path)) {
      context.report('caution', 'touches what may be a secret');
    }
  }
}

/** Judges a file that is read through a redirection. */
export function classifyOpened(path: string, call: Call, context: Context, directory: string): void {
  if (/^\/dev\/(tcp|udp)\//.test(path)) context.report('dangerous', 'opens a connection to another machine');
  classifyRead(path, { call, takesAll: () => false }, context, directory);
}

/** Judges a path that a variable, a loop or a pipe carries to later commands, which may read it. */
export function classifyNamed(path: string, context: Context, directory: string): void {
  if (path.length > 4_096 || !LOOKS_LIKE_PATH.test(path) || path === '') return;
  if (placesOf(path, directory).some(isCredential)) context.report('dangerous', 'hands credentials to later commands');
}

/** Returns the path as written, and as seen from where the last `cd` led, both cleaned. */
function placesOf(path: string, directory: string): string[] {
  const clean = cleaned(path);
  const isRelative = !/^[/~$]/.test(clean);
  return isRelative && !PLAIN.test(directory) ? [clean, cleaned(`${directory}/${clean}`)] : [clean];
}

/**
 * Removes `.`, `..`, double slashes, and the links of `/proc` to the root and to a working directory. A path that climbs to a directory
 * of the system, or to the homes, is taken to reach it.
 */
function cleaned(path: string): string {
  if (!/\/[./]|^\.|\/$|^\/proc\//.test(path)) return path;
  let root = path.startsWith('/') ? '/' : '';
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment === '..') climb(segments);
    else segments.push(segment);
    if (root === '' || segments.length > 5) continue;
    const [, link] = LINK_OF_PROCESS.exec(segments.join('/')) ?? [];
    if (link !== undefined) segments.length = 0;
    if (link === 'cwd') root = '';
  }
  if (segments.length === 0) return root || '.';
  const joined = `${root}${segments.join('/')}${path.endsWith('/') ? '/' : ''}`;
  return joined.replace(CLIMB, '/').replace(/^\/(\.\.\/)+/, '/');
}

/** Goes up by one directory, from a home to that of the homes. */
function climb(segments: string[]): void {
  const last = segments.at(-1) ?? '..';
  if (last === '..') segments.push('..');
  else segments.pop();
  if (segments.length === 0 && /^(~|\$HOME)/.test(last)) segments.push('..', 'home');
}
