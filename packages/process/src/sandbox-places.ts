import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { posix } from 'node:path';
import type { SandboxPolicy } from '@jinn/core';
import { realPath } from './real-path.ts';

/** Below the home: what toolchains keep for the next time. Commands may write there; a place that is not there stays away. */
const CACHES = [
  '.cache',
  '.npm',
  '.pnpm-store',
  '.local/share/pnpm',
  '.yarn',
  '.bun/install/cache',
  '.deno',
  '.cargo/registry',
  '.cargo/git',
  'go/pkg',
  '.gradle',
  '.m2/repository',
  '.ivy2',
  '.sbt',
  '.nuget/packages',
  '.composer/cache',
  '.gem',
  '.bundle/cache',
  '.hex',
  '.pub-cache',
  '.stack',
  '.cabal/packages',
  '.terraform.d/plugin-cache',
  'Library/Caches',
];

/** Below the home: keys and tokens. */
const SECRETS = [
  '.ssh',
  '.aws',
  '.gnupg',
  '.azure',
  '.kube',
  '.config/gcloud',
  '.config/gh',
  '.config/hub',
  '.config/glab-cli',
  '.config/op',
  '.config/doctl',
  '.config/git/credentials',
  '.config/rclone',
  '.config/sops',
  '.git-credentials',
  '.netrc',
  '.npmrc',
  '.yarnrc.yml',
  '.pypirc',
  '.config/pip/pip.conf',
  '.cargo/credentials',
  '.cargo/credentials.toml',
  '.gem/credentials',
  '.bundle/config',
  '.composer/auth.json',
  '.m2/settings.xml',
  '.gradle/gradle.properties',
  '.nuget/NuGet/NuGet.Config',
  '.docker/config.json',
  '.config/containers/auth.json',
  '.terraform.d/credentials.tfrc.json',
  '.vault-token',
  '.pgpass',
  '.my.cnf',
  '.password-store',
  '.local/share/keyrings',
  '.config/google-chrome',
  '.config/chromium',
  '.mozilla',
  'Library/Keychains',
  'Library/Application Support/Google/Chrome',
  '.claude/.credentials.json',
  '.claude.json',
  '.codex/auth.json',
  '.gemini/oauth_creds.json',
  '.config/github-copilot',
  '.bash_history',
  '.zsh_history',
  '.python_history',
  '.node_repl_history',
  '.psql_history',
];

/** Sockets of services that would do outside what is forbidden inside, and secrets of the system, should jinn run as root. */
const SYSTEM = [
  '/run/docker.sock',
  '/run/podman',
  '/run/containerd',
  '/run/crio',
  '/run/dbus',
  '/run/systemd/private',
  '/run/secrets',
  '/run/user',
  '/var/run/docker.sock',
  '/etc/shadow',
  '/etc/gshadow',
  '/etc/sudoers',
  ...['rsa', 'ecdsa', 'ed25519'].map((kind) => `/etc/ssh/ssh_host_${kind}_key`),
];

/** The real paths of the directories where commands may write, but for the workspace. Never the root of the system. */
export function writablePlaces({ home, writable }: SandboxPolicy, environment: { TMPDIR?: string }): string[] {
  // On macOS a user's caches lie beside their temporary files (DARWIN_USER_CACHE_DIR).
  const beside = process.platform === 'darwin' ? [posix.join(tmpdir(), '../C')] : [];
  const temporary = ['/tmp', environment.TMPDIR, tmpdir(), ...beside].filter(
    (path) => path !== undefined && path !== '',
  );
  const caches = home === undefined ? [] : CACHES.map((path) => posix.join(home, path));
  return existing([...(temporary as string[]), ...caches, ...writable]).filter((path) => path !== '/');
}

/** The real paths of what commands may not read, outside the workspace. */
export function secretPlaces({ home, state, hidden }: SandboxPolicy): string[] {
  const own = home === undefined ? [] : [...SECRETS.map((path) => posix.join(home, path)), ...dotEnvs(home)];
  return existing([...SYSTEM.filter(isReadable), ...own, ...state, ...hidden]);
}

/** A mount costs each command a fifth of a millisecond, and what the user cannot read needs none. */
function isReadable(path: string): boolean {
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
