import {
  DISTINCT_PLACES,
  KEY_FILES,
  PROCESS_FILES,
  PUBLIC_FILES,
  SSH_SETTINGS,
} from '@jinn/workspace/secrets/key-files';
import { hasSensitiveSegment, isPrivateName } from '@jinn/workspace/secrets/names';
import { branchesAt, follow, isPlace, type PlaceTree } from '@jinn/workspace/secrets/place-tree';
import { homePlaces, systemPlaces } from '@jinn/workspace/secrets/places';
import { HOME_RUN_FILES, START_FILES } from '@jinn/workspace/secrets/run-files';

/** What stands for a home directory at the start of a path. A hole may, but not in front of an ordinary name, as `mail`. */
const HOME =
  /^(?:(?:~[\w.-]*|\$HOME|\/home\/[^/]+|\/root|\/Users\/[^/]+|\/var\/root)(?:\/|$)|[\ue100\ue101](?:\/(?=\.)|$))/;
const KEY_FILE = new RegExp(`(^|[/\ue100\ue101])(${KEY_FILES})$`, 'i');
const DISTINCT = DISTINCT_PLACES.map((place) => place.replaceAll('.', '\\.') + (place.endsWith('/') ? '' : '$'));
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

/** Returns the program that runs a cleaned path of a home by itself, or that starts with it wherever it lies. */
export function homeRunnerOf(path: string): string | undefined {
  const [home = ''] = HOME.exec(path) ?? [];
  const isHome = home !== '' && !UNKNOWN.test(home);
  // What stands in front of a dot may be a directory, as in `$X.bashrc`.
  const started = START_FILES.runnerOf(path.replace(/[\ue100\ue101](?=\.)/g, '/'));
  return started ?? (isHome ? HOME_RUN_FILES.runnerAt(path.slice(home.length)) : undefined);
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

/** Reports whether a pattern such as `.e*` finds a hidden name. One that does not begin with the dot finds none. */
function findsHidden(segment: string): boolean {
  if (!/^\..*[\ue100\ue101]/.test(segment)) return false;
  const parts = segment.toLowerCase().split(/[\ue100\ue101]+/);
  const pattern = new RegExp(`^${parts.map((part) => part.replace(/\W/g, '\\$&')).join('.*')}$`);
  return FOUND_HIDDEN.some((name) => pattern.test(name));
}

/** Returns what a name may lead to. A hole in it stands for any text, but not for a dot at the start, as with globs. */
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
  // A pattern is taken without its star: `notes$X` may well be called `notes.kdbx`, but nobody means that.
  for (const [pattern, branch] of tree.patterns) {
    const wanted = pattern.replace('*', '');
    if (first !== '' || !wanted.startsWith('.')) collect(wanted, branch);
  }
  return found;
}
