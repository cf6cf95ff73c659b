import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { posix } from 'node:path';
import type { SandboxPolicy } from '@jinn/core';
import { realPath } from './real-path.ts';
import { CACHES, OTHER_CACHES } from './sandbox-caches.ts';
import { SECRET_GROUPS } from './sandbox-secrets.ts';

/** Secrets of the system, which matter when jinn runs as root. */
const SYSTEM_SECRETS = [
  ...[
    '/etc/shadow',
    '/etc/shadow-',
    '/etc/gshadow',
    '/etc/gshadow-',
    '/etc/sudoers',
    '/etc/sudoers.d',
    '/etc/krb5.keytab',
  ],
  ...[
    '/etc/ssl/private',
    '/etc/pki/tls/private',
    '/etc/wireguard',
    '/etc/openvpn',
    '/etc/NetworkManager/system-connections',
  ],
  ...['/etc/ppp/chap-secrets', '/etc/ppp/pap-secrets', '/etc/security/opasswd', '/etc/docker/key.json', '/etc/rancher'],
  ...['/etc/kubernetes', '/etc/letsencrypt', '/etc/cloudflared', '/etc/restic', '/etc/borg', '/var/lib/bluetooth'],
  ...['/var/lib/NetworkManager', '/var/lib/iwd', '/var/lib/tailscale', '/var/lib/kubelet', '/var/lib/rancher'],
  ...['/var/spool/cron', '/var/mail', '/var/spool/mail', '/var/log/auth.log', '/var/log/secure', '/var/backups'],
  ...['/etc/ssh/ssh_host_rsa_key', '/etc/ssh/ssh_host_ecdsa_key', '/etc/ssh/ssh_host_ed25519_key'],
];

/** Directories below the home in which services make sockets, at any time. */
const SOCKET_DIRECTORIES = [
  ...['.docker/run', '.docker/desktop', '.colima', '.lima', '.rd', '.orbstack/run', '.config/podman', '.finch', '.crc'],
  ...['.local/share/containers/podman/machine', '.config/containers/podman/machine', '.multipass', '.1password'],
  ...[
    '.tmux',
    '.screen',
    '.local/share/tmux',
    '.emacs.d/server',
    '.config/emacs/server',
    '.vscode-server/cli',
    '.byobu',
  ],
  ...[
    '.cache/gpg-agent',
    '.cache/ssh-agent',
    '.local/state/ssh-agent',
    '.cache/dconf',
    '.dbus',
    '.pulse',
    '.config/pulse',
  ],
];

/** A tree of names: what is secret ends in an empty one. `*` stands for any name. */
type NameTree = Map<string, NameTree>;

let secretNames: NameTree | undefined;

/**
 * The real paths of the directories where commands may write, but for the workspace and the temporary directory. Never the
 * root of the system.
 */
export function writablePlaces({ home, writable }: SandboxPolicy): string[] {
  // On macOS a user's temporary files are not in /tmp, and their caches lie beside them (DARWIN_USER_CACHE_DIR).
  const temporary = process.platform === 'darwin' ? ['/tmp', tmpdir(), posix.join(tmpdir(), '../C')] : [];
  const caches = home === undefined ? [] : existingBelow(home, toTree([...CACHES, ...OTHER_CACHES]));
  return existing([...temporary, ...caches, ...writable]).filter((path) => path !== '/');
}

/** The real paths of what commands may not read, outside the workspace. */
export function secretPlaces({ home, state, hidden, shown = [] }: SandboxPolicy): string[] {
  secretNames ??= toTree([...SECRET_GROUPS.flatMap(({ paths }) => paths), ...SOCKET_DIRECTORIES]);
  const own = home === undefined ? [] : [...existingBelow(home, secretNames), ...dotEnvs(home)];
  const visible = new Set(shown.map(realPath));
  const builtIn = [...SYSTEM_SECRETS.filter(isReadable), ...own];
  return [...existing(builtIn).filter((path) => !visible.has(path)), ...existing([...state, ...hidden])];
}

function toTree(paths: readonly string[]): NameTree {
  const tree: NameTree = new Map();
  for (const path of paths) {
    let at = tree;
    for (const name of path.split('/')) {
      const below = at.get(name) ?? new Map();
      at.set(name, below);
      at = below;
    }
    at.set('', new Map());
  }
  return tree;
}

/** What of a tree there is below a directory. It is listed once: to ask for each name takes far longer. */
function existingBelow(directory: string, tree: NameTree): string[] {
  let names: string[];
  try {
    names = fs.readdirSync(directory);
  } catch {
    return [];
  }
  const everywhere = tree.get('*');
  return names.flatMap((name) => {
    const path = `${directory}/${name}`;
    const below = [tree.get(name), everywhere].filter((branch) => branch !== undefined);
    if (below.some((branch) => branch.has(''))) return [path];
    return below.flatMap((branch) => existingBelow(path, branch));
  });
}

function isReadable(path: string): boolean {
  if (!fs.existsSync(path)) return false; // To throw and catch takes longer.
  try {
    fs.accessSync(path, fs.constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

function dotEnvs(home: string): string[] {
  try {
    return fs
      .readdirSync(home)
      .filter((name) => /^\.env/i.test(name))
      .map((name) => posix.join(home, name));
  } catch {
    return [];
  }
}

function existing(paths: readonly string[]): string[] {
  return [...new Set(paths.map(realPath))].filter((path) => path !== undefined);
}
