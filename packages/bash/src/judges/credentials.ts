import { CREDENTIAL_PLACES, SYSTEM_CREDENTIAL_PLACES } from '../credential-places.ts';

/** What stands for a home directory at the start of a path. */
const HOME = /^(?:~[\w.-]*|\$HOME|\/home\/[^/]+|\/root|\/Users\/[^/]+|\/var\/root|[\ue100\ue101])(?:\/|$)/;
/** Keys are known by their names wherever they lie, unless the name says that they are public or a sample. */
const KEY_NAME =
  /(^|[/\ue100\ue101])(id_(rsa|dsa|ecdsa|ed25519|ecdsa_sk|ed25519_sk)|[^/]+\.(p12|pfx|jks|keystore|kdbx|ppk|ovpn)|[^/]*(private|secret)[-_.]?key[^/]*\.(pem|key|der|asc)|service[-_]account[^/]*\.json|credentials\.json|client_secret[^/]*\.json)$/i;
/** Directories and files that are unmistakable without the home in front of them. */
const UNMISTAKABLE =
  /(^|\/)(\.ssh\/(?!config$|known_hosts|authorized_keys|[^/]*\.pub$)|\.(gnupg|aws|azure|kube|password-store)\/|\.docker\/config\.json$|\.config\/(gcloud|gh)\/|\.(netrc|pgpass|my\.cnf|git-credentials|vault-token|pypirc)$|\.cargo\/credentials(\.toml)?$)/i;
/** Files of jinn itself, wherever `$JINN_CONFIG_DIR` or `$XDG_CONFIG_HOME` puts them. */
const OWN_FILE = /^(?:[/~$\ue100\ue101](?:.*\/)?|(?:.*\/)?\.config\/)jinn\/(?:\.env|state\.db[^/]*)$/i;
const PROCESS = /^\/proc\/[^/]+\/(environ|mem)$|^\/dev\/k?mem$/;
const PUBLIC = /(^|\/)\.ssh\/(config|known_hosts[^/]*|authorized_keys|[^/]*\.pub)$/;

interface Places {
  readonly below: ReadonlySet<string>;
  readonly system: ReadonlySet<string>;
  /** The places below the home, segment by segment, by their first segment. */
  readonly byFirst: ReadonlyMap<string, readonly (readonly string[])[]>;
  /** The places whose first segment does not begin with a dot. */
  readonly withoutDot: ReadonlyMap<string, readonly (readonly string[])[]>;
}

let prepared: Places | undefined;

/** Returns the lists, prepared at first use: most commands name no path below the home. */
function places(): Places {
  if (prepared) return prepared;
  const below = new Set(CREDENTIAL_PLACES.map((place) => place.toLowerCase()));
  const byFirst = new Map<string, string[][]>();
  for (const place of below) {
    const segments = place.split('/');
    const [first = ''] = segments;
    byFirst.set(first, [...(byFirst.get(first) ?? []), segments]);
  }
  const withoutDot = new Map([...byFirst].filter(([first]) => !first.startsWith('.')));
  prepared = { below, system: new Set(SYSTEM_CREDENTIAL_PLACES), byFirst, withoutDot };
  return prepared;
}

const UNKNOWN = /[\ue100\ue101]/;

/** True if a cleaned path names a file with credentials, a directory of them, or a pattern that finds them. */
export function isCredential(path: string): boolean {
  if (PUBLIC.test(path)) return false;
  if (UNMISTAKABLE.test(path) || KEY_NAME.test(path) || OWN_FILE.test(path) || PROCESS.test(path)) return true;
  if (path.startsWith('/') && isListed(places().system, path)) return true;
  const home = HOME.exec(path);
  if (!home) return false;
  const below = path.slice(home[0].length).toLowerCase();
  return isListed(places().below, below) || (UNKNOWN.test(below) && mayBeListed(below));
}

/** True if a directory holds credentials somewhere below it, as a home does. */
export function holdsCredentials(path: string): boolean {
  if (path === '/' || path === '/home' || path === '/Users' || path === '/etc') return true;
  const home = HOME.exec(path);
  if (!home) return false;
  const below = path.slice(home[0].length).replace(/\/$/, '').toLowerCase();
  return below === '' ? !UNKNOWN.test(home[0]) : [...places().below].some((place) => place.startsWith(`${below}/`));
}

/** True if the path or one of its parents is in the set. */
function isListed(listed: ReadonlySet<string>, path: string): boolean {
  for (let end = path.indexOf('/', 1); end !== -1; end = path.indexOf('/', end + 1)) {
    if (listed.has(path.slice(0, end))) return true;
  }
  return listed.has(path);
}

/** Compares segment by segment; a hole stands for any text, but not for a dot at the start, as with globs. */
function mayBeListed(path: string): boolean {
  const given = path.split('/');
  const [first = ''] = given;
  if (!UNKNOWN.test(first)) return (places().byFirst.get(first) ?? []).some((wanted) => mayBe(given, wanted));
  const literal = first.slice(0, first.search(UNKNOWN));
  // A hole at the start stands for no dot, and most names start with one.
  const candidates = literal.startsWith('.') ? places().byFirst : places().withoutDot;
  for (const [name, listed] of candidates) {
    if (name.startsWith(literal) && fits(first, name) && listed.some((wanted) => mayBe(given, wanted))) return true;
  }
  return false;
}

function mayBe(given: readonly string[], wanted: readonly string[]): boolean {
  const all = given.length >= wanted.length || UNKNOWN.test(given.at(-1) ?? '');
  return all && wanted.every((segment, i) => i >= given.length || fits(given[i] ?? '', segment));
}

function fits(given: string, segment: string): boolean {
  const [first = '', ...others] = given.split(UNKNOWN);
  if (others.length === 0) return given === segment;
  if (first === '' && segment.startsWith('.')) return false;
  const last = others.at(-1) ?? '';
  return segment.startsWith(first) && segment.endsWith(last) && segment.length >= first.length + last.length;
}
