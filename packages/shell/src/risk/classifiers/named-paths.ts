import { hasSensitiveSegment, isPrivateName } from '@jinn/workspace/secrets/names';
import {
  homePlaces,
  PROCESS_FILES,
  PUBLIC_FILES,
  placesIn,
  SSH_SETTINGS,
  systemPlaces,
} from '@jinn/workspace/secrets/places';
import { branchesAt, follow, isPlace, type PlaceTree, runFiles } from '@jinn/workspace/secrets/run-files';
import { Arguments, holdsWord, possibleValuesOf, remembered, valuesOf, wordsIn } from '../arguments.ts';
import type { Call, Context } from '../context.ts';
import { EDITORS, type Editor, withoutAttached } from '../rules/editors.ts';
import { HARMLESS_DEVICE, PROTECTED_PATHS, WRITES_ANY, WRITES_LAST, WRITES_SECOND } from '../rules/paths.ts';
import WRITE_OPTIONS from '../rules/write-options.table';
import { argumentsOf, ownWords, readKnown, readTable } from '../tables.ts';
import { reachOf } from './exposing.ts';
import { runsAnother } from './wrapped-commands.ts';

/** Programs that show their arguments, and do not open them. */
const ONLY_NAMES = 'echo printf basename dirname test [ cd pushd alias export which command';
const LISTS = 'ls stat file du find fd tree realpath readlink namei exa eza chmod chown touch mkdir';
/** Programs whose first operand is a pattern or a filter. */
const PATTERN_FIRST = 'grep egrep fgrep zgrep rg ag ack jq yq';
/** Subcommands of git that open files outside of the repository. */
const GIT_OPENS = new Set(
  wordsIn(
    'diff grep hash-object apply am bundle show cat-file blame annotate archive send-email merge-file fast-export',
  ),
);
const SHOWS_PATCH = /^(-p|-u|--patch.*|-[LU].*|--unified.*|--cc|--binary|--remerge-diff|--(word-diff|color-words).*)$/;
/** Options of git that take a text from a file. */
const GIT_TEXTS = ['-F', '-t', '--file', '--template', '--pathspec-from-file', '--blob', '--contents'];
/** What has a program take names from its standard input. */
const TAKES_NAMES = /^-@?$|^--(batch|stdin)|^--(\w+-)*files?\d?(-from)?=-$/;
/** What is in front of a path that git takes from a commit or from its index: `HEAD:`, `:2:`. */
const REVISION = /^[^\s:]*:(?:[0-3]:)?(?=[^:])/;
const MAY_HOLD_SECRET = new RegExp(`(^|/)(${placesIn('maybe').join('|')})$`, 'i');
const SSH_SETTING = new RegExp(`(^|/)(${SSH_SETTINGS})$`, 'i');
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
/** Programs that remove, change or use a file and do not show it, and those that run a script, whose words are its own. */
const ONLY_USES =
  'rm rmdir unlink shred srm trash trash-put rimraf del truncate mkdir touch tee chmod chown chgrp chattr setfacl getfattr lsattr read mapfile readarray source . vim vi nvim nano ex emacs code subl micro hx gedit dos2unix unix2dos sponge patch prettier dotenv-linter dotenv dotenvx env-cmd direnv foreman honcho overmind hivemind op doppler infisical sops age rage ansible-vault git-crypt terraform tofu python python3 node deno bun java tsx ts-node npm npx pnpm pnpx yarn bunx make gmake just task rails rake bundle uv poetry pipenv pytest mvn gradle cargo dotnet';
/** Options by which a program makes variables of a file. */
const TAKES_VARIABLES = /^--?([a-z]+-)*env(ironment)?(-?file)?(=|$)/;
/** What has an interpreter run code of the command line on the file. */
const SCRIPTED = /^(python3?|node|deno|bun|php)$/;
const GIVES_CODE = /^-\w*[cem]/;
/** Programs that describe a file without its content. */
const COUNTS = 'wc cksum sum';
const QUIET = /^(-\w*[qclL]|--(quiet|silent|count|files-with(out)?-match(es)?))/;
/** The start of an argument that names a file after an option, a form field or an `@`. */
const BEFORE_PATH = /^(-[A-Za-z]|--[\w-]+=|[\w.-]+:?=|[\w.-]+@)?[@<]?(fileb?:(\/\/)?)?/;
/** The file that a form field, or an address for SQLite, names. */
const AFTER_PATH = /;(type|filename|headers|encoder)=.*|\?(mode|cache|immutable|vfs|nolock|psow)=.*/;
/** The start of a path that climbs to a directory of the system, or to what is hidden in a home. */
const CLIMB = /^(\.\.\/)+(?=(etc|dev|boot|proc|sys)\/|(root|(home|Users)\/[^/]+)\/\.)/;
/** The same to anything below a home, or below a directory of the project that is called `home` or `Users`. */
const CLIMB_BELOW_HOME = /^(\.\.\/){2,}(?=(home|Users)\/[^/]+\/.)/;
/** The start of a path that climbs from a home to the root. The home may be `/root`. */
const CLIMB_FROM_HOME =
  /^(~[^/]*|\$HOME)\/(\.\.(\/\.\.)+(\/|$)|\.\.\/(?=(etc|dev|boot|proc|sys|home|Users)\/|root\/\.))/;
const BESIDE_HOME = /^(~[^/]*|\$HOME)\/\.\.(?=\/|$)/;
/** Links to the root and to the working directory of a process, below the root. */
const LINK_OF_PROCESS = /^proc\/[^/]+(?:\/task\/[^/]+)?\/(root|cwd)$/;
/** Directories below which a path means no more than by itself. Empty for the one where the command starts. */
const PLAIN = /^(?:[\w-]+(?:\/[\w-]+)*)?$/;
/** The files that a program of yq loads. */
const LOADED = /load\w*\(\s*"([^"]+)"/g;
const LOOKS_LIKE_PATH = /[/.~$\ue100\ue101]|id_|key|cred|secret/i;

const writeOptionsOf = readTable(WRITE_OPTIONS);

/** How a program treats the files that its arguments name. `writing` are options whose value is a file that it writes. */
const habitsOf = remembered((name) => ({
  onlyNames: holdsWord(ONLY_NAMES, name),
  lists: holdsWord(LISTS, name),
  patternFirst: holdsWord(PATTERN_FIRST, name),
  takesAll: holdsWord(TAKES_ALL, name),
  writesAny: holdsWord(WRITES_ANY, name),
  writesSecond: holdsWord(WRITES_SECOND, name),
  writesLast: holdsWord(WRITES_LAST, name),
  writing: writeOptionsOf(name)[0]?.words ?? [],
}));

/** Judges the files that a call names: those that it writes, and those with credentials that it reads. */
export function classifyPaths(call: Call, context: Context, directory: string): void {
  const { name, args } = call;
  for (const path of writtenBy(call)) classifyWritten(path, context, directory);
  const habits = habitsOf(name);
  if (habits.onlyNames) return;
  const opens = name !== 'git' || args.some((arg) => GIT_OPENS.has(arg) || SHOWS_PATCH.test(arg));
  const used = usedBy(call);
  const written = valuesOf(args, habits.writing);
  // A program that lists shows what is in files only if an option says so, and then the option is not known.
  const listsOnly = habits.lists && readKnown(ownWords(call))?.unknown === undefined;
  const reader = { listsOnly, takesAll: takingOf(call), shows: () => showsContent(call) };
  for (const arg of opens ? mentionedBy(call) : valuesOf(args, GIT_TEXTS)) {
    if ((PLAIN.test(directory) && !LOOKS_LIKE_PATH.test(arg)) || arg.length > 4_096) continue;
    const path = arg
      .replace(BEFORE_PATH, '')
      .replace(AFTER_PATH, '')
      .replace(name === 'git' ? REVISION : '', '');
    if (used.includes(path) && isSecretPath(path)) context.report('caution', 'uses a key or a secret');
    else classifyRead(path, { ...reader, shows: () => !written.includes(path) && reader.shows() }, context, directory);
  }
  // A search that names no directory reads the current one.
  const isHere = argumentsOf(call).operands.length < (name === 'git' ? 3 : 2);
  if (reachOf(call) !== 'files' && isHere) classifyRead('.', reader, context, directory);
}

/** A program shows, copies or sends a file that it is given, unless it is known to do something else. */
function showsContent(call: Call): boolean {
  const { verb, name, args } = call;
  if (editsInPlace(call) || (/grep$|^rg$/.test(name) && args.some((arg) => QUIET.test(arg)))) return false;
  if (holdsWord(WRITES_LAST, name) || name === 'mv') return !isHidden(argumentsOf(call).operands.at(-1) ?? '');
  if (holdsWord(COUNTS, name) || runsAnother(call)) return false;
  if (holdsWord(ONLY_USES, name)) return SCRIPTED.test(name) && args.some((arg) => GIVES_CODE.test(arg));
  return !/^[./~]/.test(verb) || readKnown(call) !== undefined;
}

/** Reports whether a program shows its standard input. */
export function showsInput(name: string): boolean {
  return name === 'tee' || !(holdsWord(COUNTS, name) || holdsWord(ONLY_USES, name));
}

function mentionedBy(call: Call): readonly string[] {
  const { name, args, input } = call;
  if (input !== undefined && args.some((arg) => TAKES_NAMES.test(arg))) return [...args, ...wordsIn(input)];
  if (name === 'sed') return [...editedBy(call), ...valuesOf(args, ['-f', '--file'])];
  if (!habitsOf(name).patternFirst) return args;
  const pattern = args.findIndex((arg) => !arg.startsWith('-'));
  const loaded = name === 'yq' ? args.flatMap((arg) => [...arg.matchAll(LOADED)].map(([, file = '']) => file)) : [];
  return [...loaded, ...args.filter((arg, i) => i !== pattern || arg.includes('/'))];
}

function takingOf(call: Call): Reader['takesAll'] {
  const { name, args } = call;
  const copiesAll = name === 'cp' && args.some((arg) => /^-[A-Za-z]*[rRa]|^--(rec|arch)/.test(arg));
  const reach = reachOf(call);
  if (habitsOf(name).takesAll || copiesAll || reach === 'all') return () => true;
  const { operands } = argumentsOf(call);
  const link = operands.length > 1 ? operands.at(-1) : undefined;
  if (name === 'ln') return (path) => path !== link;
  return (path) => reach === 'visible' && !HOME_ITSELF.test(path);
}

function usedBy({ name, args }: Call): string[] {
  if (name === 'ssh-add') return args.filter((arg) => !arg.startsWith('-'));
  const variables = args.flatMap((arg, i) =>
    TAKES_VARIABLES.test(arg) ? [arg.includes('=') ? arg.slice(arg.indexOf('=') + 1) : (args[i + 1] ?? '')] : [],
  );
  return Object.hasOwn(USES, name) ? [...variables, ...valuesOf(args, wordsIn(USES[name]))] : variables;
}

function writtenBy(call: Call): string[] {
  if (call.name === 'ssh-keygen' && call.args.some((arg) => /^-[lyFeiB]/.test(arg))) return [];
  const { writing, writesAny, writesSecond, writesLast } = habitsOf(call.name);
  const named = possibleValuesOf(call.args, writing);
  if (writesAny) return [...named, ...ownOperands(call)];
  if (editsInPlace(call)) return [...named, ...editedBy(call)];
  if (writesSecond) return [...named, ...argumentsOf(call).operands.slice(1, 2)];
  if (!writesLast) return named;
  const last = argumentsOf(call).operands.at(-1);
  return last === undefined ? named : [...named, last];
}

/**
 * Returns the operands of a call, or none for a `chmod` that takes rights away from others, which is how keys are kept:
 * `chmod 600 ~/.ssh/id_rsa`.
 */
function ownOperands(call: Call): string[] {
  const { operands } = argumentsOf(call);
  const isPrivate = call.name === 'chmod' && /^(0?[0-7]00|go?-[rwx]+|go=|u=[rwx]+,go=)$/.test(operands[0] ?? '');
  return isPrivate ? [] : operands;
}

/** Returns the files that an editor is given: its operands, without the first if that is the program text. */
function editedBy(call: Call): string[] {
  const { name, args } = call;
  const inPlace = editsInPlace(call);
  const editor: Omit<Editor, 'inPlace'> = editorOf(name) ?? { program: '', valued: '' };
  const program = wordsIn(editor.program);
  const given = new Arguments(withoutAttached(args, editor), new Set([...program, ...wordsIn(editor.valued)]));
  // BSD takes the suffix for `-i` as a word of its own, which is mostly empty.
  const operands = given.operands.filter((operand) => !inPlace || operand !== '');
  return program.some((option) => given.has(option)) ? operands : operands.slice(1);
}

function editorOf(name: string): Editor | undefined {
  return Object.hasOwn(EDITORS, name) ? EDITORS[name] : undefined;
}

function editsInPlace({ name, args }: Call): boolean {
  const editor = editorOf(name);
  return editor !== undefined && args.some((arg) => editor.inPlace.test(arg));
}

/** Judges one file that is written. */
export function classifyWritten(written: string, context: Context, directory: string): void {
  for (const path of placesOf(written, directory)) {
    if (HARMLESS_DEVICE.test(path)) return;
    const rule = PROTECTED_PATHS.find((candidate) => candidate.path.test(path));
    const runner = homeRunnerOf(path);
    const ofProject = runFiles('projects').runnerOf(path);
    if (rule) context.report('dangerous', rule.reason);
    else if (isCredential(path)) context.report('dangerous', 'changes credentials');
    else if (runner !== undefined) context.report('dangerous', changesFileOf(runner));
    else if (ofProject !== undefined) context.report('caution', changesFileOf(ofProject), { replacesEqual: true });
  }
}

function changesFileOf(runner: string): string {
  return `changes a file that ${runner} runs or takes commands from`;
}

interface Reader {
  /** True if it shows names, and not what is in the files. */
  readonly listsOnly: boolean;
  /** True if it shows what is in the files, copies or sends it. */
  readonly shows: () => boolean;
  /** Reports whether the program reads everything below a directory. */
  readonly takesAll: (path: string) => boolean;
}

function classifyRead(read: string, reader: Reader, context: Context, directory: string): void {
  const { listsOnly, takesAll, shows } = reader;
  for (const path of placesOf(read, directory)) {
    if (PUBLIC_FILE.test(path)) continue;
    if (isCredential(path)) context.report(listsOnly ? 'caution' : 'dangerous', 'reads credentials');
    else if (takesAll(path) && holdsCredentials(path)) context.report('dangerous', 'takes credentials along');
    else if (!listsOnly && isHidden(path) && !SSH_SETTING.test(path) && !context.isCaptured && shows())
      context.report('dangerous', 'shows or copies what may be a secret');
    else if (!listsOnly && (MAY_HOLD_SECRET.test(path) || hasSensitiveSegment(path) || isHidden(path))) {
      context.report('caution', 'touches what may be a secret');
    }
  }
}

/** Judges a file that is read through a redirection, or by code. */
export function classifyOpened(path: string, shows: boolean, context: Context, directory: string): void {
  if (/^\/dev\/(tcp|udp)\//.test(path)) context.report('dangerous', 'opens a connection to another machine');
  classifyRead(path, { listsOnly: false, shows: () => shows, takesAll: () => false }, context, directory);
}

/** Judges a path that a variable, a loop or a pipe carries to later commands, which may read it. */
export function classifyNamed(path: string, context: Context, directory: string): void {
  if (path.length > 4_096 || !LOOKS_LIKE_PATH.test(path) || path === '') return;
  if (placesOf(path, directory).some(isCredential)) context.report('dangerous', 'hands credentials to later commands');
  else if (isHidden(path)) context.report('caution', 'touches what may be a secret');
}

/** Returns the path as written, and as seen from where the last `cd` led, both cleaned. */
function placesOf(path: string, directory: string): string[] {
  const clean = cleaned(path);
  const isRelative = !/^[/~$]/.test(clean);
  return isRelative && !PLAIN.test(directory) ? [clean, cleaned(`${directory}/${clean}`)] : [clean];
}

/**
 * Removes `.`, `..`, double slashes, and the links of `/proc` to the root and to a working directory. A path that climbs to a directory
 * of the system, or to what is hidden or known in a home, is taken to reach it.
 */
function cleaned(path: string): string {
  if (!/\/[./]|^\.|\/$|^\/proc\//.test(path)) return path;
  let root = path.startsWith('/') ? '/' : '';
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment === '..') climb(segments, root);
    else segments.push(segment);
    const link = linkAt(segments, root);
    if (link === undefined) continue;
    segments.length = 0;
    root = link === 'root' ? '/' : '';
  }
  if (segments.length === 0) return root || '.';
  const joined = `${root}${segments.join('/')}${path.endsWith('/') ? '/' : ''}`;
  const belowHome = joined.replace(CLIMB_BELOW_HOME, '/');
  if (belowHome !== joined && (holdsCredentials(belowHome) || homeRunnerOf(belowHome) !== undefined)) return belowHome;
  return joined.replace(CLIMB, '/').replace(CLIMB_FROM_HOME, '/').replace(BESIDE_HOME, '/home');
}

/** Goes up by one directory. What is above a home or the start is not known, and above the root is nothing. */
function climb(segments: string[], root: string): void {
  const last = segments.at(-1);
  const isHome = root === '' && segments.length === 1 && /^(~|\$HOME$)/.test(last ?? '');
  if (last === '..' || isHome || (last === undefined && root === '')) segments.push('..');
  else segments.pop();
}

function linkAt(segments: readonly string[], root: string): string | undefined {
  const last = segments.at(-1);
  if (last !== 'root' && last !== 'cwd') return undefined;
  const start = segments.lastIndexOf('..') + 1;
  if ((root === '' && start === 0) || segments.length - start > 5) return undefined;
  return LINK_OF_PROCESS.exec(segments.slice(start).join('/'))?.[1];
}

/** What stands for a home directory at the start of a path. A hole may, but not in front of an ordinary name, such as `mail`. */
const HOME =
  /^(?:(?:~[\w.-]*|\$HOME|\/home\/[^/]+|\/root|\/Users\/[^/]+|\/var\/root)(?:\/|$)|[\ue100\ue101](?:\/(?=\.)|$))/;
const KEY_FILE = new RegExp(`(^|[/\ue100\ue101])(${placesIn('keys').join('|')})$`, 'i');
const DISTINCT = placesIn('distinct').map((place) => place.replaceAll('.', '\\.') + (place.endsWith('/') ? '' : '$'));
const DISTINCT_PLACE = new RegExp(`(^|/)(${DISTINCT.join('|')})`, 'i');
/** Files of jinn itself, wherever `$JINN_CONFIG_DIR` or `$XDG_CONFIG_HOME` puts them. */
const OWN_FILE = /^(?:[/~$\ue100\ue101](?:.*\/)?|(?:.*\/)?\.config\/)jinn\/([^/]+)$/i;
const PROCESS_FILE = new RegExp(`^(${PROCESS_FILES})$`);
const HOLDS_NO_KEY = new RegExp(`(^|/)(${PUBLIC_FILES}|${SSH_SETTINGS})$`, 'i');

/** Public halves of keys, and the like. */
export const PUBLIC_FILE: RegExp = new RegExp(`(^|/)(${PUBLIC_FILES})$`, 'i');
/** Names of hidden files and directories that a pattern may find. */
const FOUND_HIDDEN = ['.env', '.env.local', '.env.production', '.envrc', '.ssh', '.aws', '.gnupg'];
const UNKNOWN = /[\ue100\ue101]/;
const ENDS_UNKNOWN = /[\ue100\ue101][^/]*$/;

/** Reports whether a cleaned path names a file with credentials, a directory of them, or a pattern that finds them. */
export function isCredential(path: string): boolean {
  if (HOLDS_NO_KEY.test(path)) return false;
  if (DISTINCT_PLACE.test(path) || KEY_FILE.test(path) || PROCESS_FILE.test(path)) return true;
  const [, own] = OWN_FILE.exec(path) ?? [];
  if (own !== undefined && follow(homePlaces(), ['.config', 'jinn', own]).some(isPlace)) return true;
  if (path.startsWith('/') && follow(systemPlaces(), path.slice(1).split('/'), 0, possibleBranchesAt).some(isPlace))
    return true;
  const home = HOME.exec(path);
  if (!home) return false;
  const below = path.slice(home[0].length);
  const found = follow(homePlaces(), below.split('/'), 0, possibleBranchesAt);
  return found.some(isPlace) || (found.length > 0 && ENDS_UNKNOWN.test(below));
}

/** Reports whether a directory holds credentials somewhere below it, such as a home. */
export function holdsCredentials(path: string): boolean {
  if (path === '/' || path === '/home' || path === '/Users' || path === '/etc') return true;
  const home = HOME.exec(path);
  if (!home) return false;
  const below = path.slice(home[0].length).replace(/\/$/, '');
  return below === '' ? !UNKNOWN.test(home[0]) : follow(homePlaces(), below.split('/')).length > 0;
}

/** Returns the program that runs a cleaned path of a home by itself, or that starts with it wherever it is. */
export function homeRunnerOf(path: string): string | undefined {
  const [home = ''] = HOME.exec(path) ?? [];
  const isHome = home !== '' && !UNKNOWN.test(home);
  // What is in front of a dot may be a directory, as in `$X.bashrc`.
  const started = runFiles('starts').runnerOf(path.replace(/[\ue100\ue101](?=\.)/g, '/'));
  return started ?? (isHome ? runFiles('home').runnerAt(path.slice(home.length)) : undefined);
}

/** Reports whether a path names a file that holds secrets, or a directory of such files. */
export function isSecretPath(path: string): boolean {
  return isCredential(path) || isHidden(path);
}

/** Reports whether a path names a hidden file of secrets, or what is in a hidden directory. */
export function isHidden(path: string): boolean {
  const segments = path.split('/').filter((segment) => segment !== '.git');
  const last = segments.findLast((segment) => segment !== '') ?? '';
  const isNamed = isPrivateName(last) || hasSensitiveSegment(segments.join('/')) || segments.some(findsHidden);
  return isNamed && !PUBLIC_FILE.test(path);
}

/** Reports whether a pattern such as `.e*` finds a hidden name. One that does not start with the dot finds none. */
function findsHidden(segment: string): boolean {
  if (!/^\..*[\ue100\ue101]/.test(segment)) return false;
  const parts = segment.toLowerCase().split(/[\ue100\ue101]+/);
  const pattern = new RegExp(`^${parts.map((part) => part.replace(/\W/g, '\\$&')).join('.*')}$`);
  return FOUND_HIDDEN.some((name) => pattern.test(name));
}

/** Returns what a name may point to. A hole in it stands for any text, but not for a dot at the start, as with globs. */
function possibleBranchesAt(tree: PlaceTree, name: string): PlaceTree[] {
  const [first = '', ...others] = name.toLowerCase().split(UNKNOWN);
  const last = others.at(-1);
  if (last === undefined) return branchesAt(tree, name);
  const found: PlaceTree[] = [];
  const collect = (wanted: string, branch: PlaceTree) => {
    const isLongEnough = wanted.length >= first.length + last.length;
    if (isLongEnough && wanted.startsWith(first) && wanted.endsWith(last)) found.push(branch);
  };
  for (const [initial, names] of tree.named) {
    const mayFit = first === '' ? initial !== '.' : first.startsWith(initial);
    if (mayFit) for (const [wanted, branch] of names) collect(wanted, branch);
  }
  // A pattern is taken without its star: `notes$X` may well be called `notes.kdbx`, but no one means that.
  for (const [pattern, branch] of tree.patterns) {
    const wanted = pattern.replace('*', '');
    if (first !== '' || !wanted.startsWith('.')) collect(wanted, branch);
  }
  return found;
}
