import { branchesAt, homePlaces, type PlaceTree, systemPlaces } from '@jinn/secrets/place-tree';

/** What stands for a home directory at the start of a path. A hole may, but not in front of an ordinary name, as `mail`. */
const HOME =
  /^(?:(?:~[\w.-]*|\$HOME|\/home\/[^/]+|\/root|\/Users\/[^/]+|\/var\/root)(?:\/|$)|[\ue100\ue101](?:\/(?=\.)|$))/;
/** Keys are known by their names wherever they lie, unless the name says that they are public or a sample. */
const KEY_NAME =
  /(^|[/\ue100\ue101])(id_(rsa|dsa|ecdsa|ed25519|ecdsa_sk|ed25519_sk)|[^/]+\.(p12|pfx|jks|keystore|kdbx|ppk|ovpn)|[^/]*(private|secret)[-_.]?key[^/]*\.(pem|key|der|asc)|service[-_]account[^/]*\.json|credentials\.json|client_secret[^/]*\.json)$/i;
/** Directories and files that are unmistakable without the home in front of them. */
const UNMISTAKABLE =
  /(^|\/)(\.ssh\/(?!config$|known_hosts|authorized_keys|[^/]*\.pub$)|\.(gnupg|aws|azure|kube|password-store)\/|\.docker\/config\.json$|\.config\/(gcloud|gh)\/|\.(netrc|pgpass|my\.cnf|git-credentials|vault-token|pypirc)$|\.cargo\/credentials(\.toml)?$)/i;
/** Files of jinn itself, wherever `$JINN_CONFIG_DIR` or `$XDG_CONFIG_HOME` puts them. */
const OWN_FILE = /^(?:[/~$\ue100\ue101](?:.*\/)?|(?:.*\/)?\.config\/)jinn\/(?:\.env|(?:state|memory)\.db[^/]*)$/i;
const PROCESS = /^\/proc\/[^/]+\/(environ|mem)$|^\/dev\/k?mem$/;
const PUBLIC = /(^|\/)\.ssh\/(config|known_hosts[^/]*|authorized_keys|[^/]*\.pub)$/;

const UNKNOWN = /[\ue100\ue101]/;
const ENDS_UNKNOWN = /[\ue100\ue101][^/]*$/;

/** Reports whether a cleaned path names a file with credentials, a directory of them, or a pattern that finds them. */
export function isCredential(path: string): boolean {
  if (PUBLIC.test(path)) return false;
  if (UNMISTAKABLE.test(path) || KEY_NAME.test(path) || OWN_FILE.test(path) || PROCESS.test(path)) return true;
  if (path.startsWith('/') && follow(systemPlaces(), path.slice(1), branchesAt).some(isPlace)) return true;
  const home = HOME.exec(path);
  if (!home) return false;
  const below = path.slice(home[0].length);
  const found = follow(homePlaces(), below, possibleBranchesAt);
  return found.some(isPlace) || (found.length > 0 && ENDS_UNKNOWN.test(below));
}

/** Reports whether a directory holds credentials somewhere below it, such as a home. */
export function holdsCredentials(path: string): boolean {
  if (path === '/' || path === '/home' || path === '/Users' || path === '/etc') return true;
  const home = HOME.exec(path);
  if (!home) return false;
  const below = path.slice(home[0].length).replace(/\/$/, '');
  return below === '' ? !UNKNOWN.test(home[0]) : follow(homePlaces(), below, branchesAt).length > 0;
}

/** Returns where a path leads to in a tree, but no further than to a place. */
function follow(tree: PlaceTree, path: string, step: typeof branchesAt): PlaceTree[] {
  let found = [tree];
  for (const name of path.split('/')) {
    if (found.length === 0 || found.some(isPlace)) break;
    found = found.flatMap((branch) => step(branch, name));
  }
  return found;
}

function isPlace(tree: PlaceTree): boolean {
  return tree.isPlace;
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
