/**
 * Files with keys and passwords in any directory, as regular expressions for the end of a path. Commands that read them
 * are dangerous. The file tools open them in a workspace.
 */
const KEYS: Readonly<Record<string, string>> = {
  OpenSSH: 'id_(rsa|dsa|ecdsa|ed25519|ecdsa_sk|ed25519_sk)',
  'stores of keys and passwords': String.raw`[^/]+\.(p12|pfx|jks|keystore|kdbx)`,
  'PuTTY, and OpenVPN, which takes keys into its settings': String.raw`[^/]+\.(ppk|ovpn)`,
  'keys by their names': String.raw`[^/]*(priv(ate)?|secret)[-_.]?key[^/]*\.(pem|key|der|asc)`,
  'Google Cloud': String.raw`service[-_]account[^/]*\.json|credentials\.json|client_secret[^/]*\.json`,
};
export const KEY_FILES = Object.values(KEYS).join('|');

const MAYBE: Readonly<Record<string, string>> = {
  'settings that take tokens': String.raw`\.(curlrc|dockercfg|htpasswd|npmrc|wgetrc|yarnrc|yarnrc\.yml)`,
  // Without a directory `item.key` is mostly code, as in `grep -A 3 item.key`.
  'a key, a translation or slides': String.raw`[^/]+/[^/]+\.key|[^/]*(ca|cert|client|host|server|ssl|tls)\.key`,
};
export const MAY_HOLD_SECRETS = Object.values(MAYBE).join('|');

/** Files next to keys that are there to be given away. */
export const PUBLIC_FILES = String.raw`\.ssh/(authorized_keys|known_hosts[^/]*|[^/]*\.pub)`;
/** A file next to keys that holds none, but names hosts, users and keys. */
export const SSH_SETTINGS = String.raw`\.ssh/config`;

/** Memory and environments of processes, from the root. */
export const PROCESS_FILES = '/proc/[^/]+/(task/[^/]+/)?(environ|mem)|/proc/kcore|/dev/k?mem';

/** Places below the home that are known without it, since nothing else has these names. A slash ends a directory. */
export const DISTINCT_PLACES: readonly string[] = `
  .aws/, .azure/, .cargo/credentials, .cargo/credentials.toml, .config/gcloud/, .config/gh/, .docker/config.json,
  .git-credentials, .gnupg/, .kube/, .my.cnf, .netrc, .password-store/, .pgpass, .pypirc, .ssh/, .vault-token
`
  .trim()
  .split(/,\s+/);
