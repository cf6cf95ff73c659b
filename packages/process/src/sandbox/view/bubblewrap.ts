import fs from 'node:fs';
import { realPath } from '../../index.ts';
import type { CommandView } from '../confinement.ts';
import type { Mount } from '../git/index.ts';
import { toBytePath } from '../git/index.ts';
import { SETTINGS_INSIDE } from '../workspace/workspace-guard.ts';
import { keyctlNumber, seccompFilters } from './seccomp-filter.ts';
import { isWithin } from './within.ts';

const PLACES = ['/usr/bin/bwrap', '/bin/bwrap', '/usr/local/bin/bwrap', '/run/current-system/sw/bin/bwrap'];

/** Entries of /run that programs need and that are not sockets: addresses of name servers, and programs of NixOS. */
const NEEDED_IN_RUN = ['current-system', 'booted-system', 'wrappers', 'opengl-driver', 'opengl-driver-32', 'host'].map(
  (name) => `/run/${name}`,
);

/** openat, close, mount, setns and statfs by architecture (syscalls(2)). */
const LINUX_CALLS: Partial<Record<NodeJS.Architecture, readonly number[]>> = {
  x64: [257, 3, 165, 308, 137],
  arm64: [56, 57, 40, 268, 43],
  riscv64: [56, 57, 40, 268, 43],
  loong64: [56, 57, 40, 268, 43],
};
const O_PATH = 0o10000000;
const IN_TMP = '/run/jinn-writable';

/** The supervisor replaces this by a descriptor, which bubblewrap closes when its mounts are done. */
const READY = '{ready}';

/** Finds bubblewrap in fixed places, never on the PATH, which is the user's; undefined if it is in none of them. */
export function findBubblewrap(): string | undefined {
  return PLACES.find((path) => fs.existsSync(path));
}

/** Returns the numbers and the filter of system calls for the script of the view; undefined if none fit. */
export function viewNumbers(network: boolean): string | undefined {
  const known = numbers.get(network) ?? makeNumbers(network);
  numbers.set(network, known);
  return known;
}

const numbers = new Map<boolean, string | undefined>();

function makeNumbers(network: boolean): string | undefined {
  const calls = LINUX_CALLS[process.arch];
  const filters = seccompFilters(network);
  if (!calls || !filters) return undefined;
  return [...calls, O_PATH | fs.constants.O_NOFOLLOW, keyctlNumber(), filters.around, filters.command].join(' ');
}

/**
 * Makes the arguments of bubblewrap (bwrap(1)). It mounts only places whose parents no command can write to; the view
 * mounts the rest. `--die-with-parent` would cut off output that is still being written.
 */
export function bubblewrapArguments(view: CommandView): string[] {
  const { cwd, writable, temporary, settings, network, sockets, folders } = view;
  const bound = writable.filter((path) => path !== '/' && !isMountedByView(path, view));
  return [
    ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts'],
    ...(network ? [] : ['--unshare-net']),
    ...['--cap-drop', 'ALL', writable.includes('/') ? '--bind' : '--ro-bind', '/', '/'],
    ...['--dev', '/dev', '--proc', '/proc', '--tmpfs', '/run'],
    ...neededInRun().flatMap((path) => ['--ro-bind', path, path]),
    ...(temporary === undefined ? ['--tmpfs', '/tmp'] : ['--bind', temporary, '/tmp']),
    ...(settings === undefined ? [] : ['--bind', settings, SETTINGS_INSIDE]),
    ...view.replaced.flatMap(({ from, to }) => ['--bind', from, to]),
    ...bound.flatMap((path) => ['--bind', path, path]),
    ...placesInTmp(view).flatMap((path, i) => ['--bind', path, `${IN_TMP}/${i}`]),
    ...sockets.flatMap((path) => ['--bind', path, path]),
    ...folders.flatMap(({ path, inside }) => ['--ro-bind', path, inside]),
    ...['--file', READY, '/run/jinn/here', '--chdir', cwd, '--'],
  ];
}

export function viewMounts(view: CommandView): Mount[] {
  const inTmp = placesInTmp(view);
  const writable = view.writable.filter((path) => isMountedByView(path, view) && !inTmp.includes(path));
  return [
    ...writable.map((path) => ({ kind: 'w' as const, path: toBytePath(path), id: undefined })),
    ...inTmp.map((path, i) => ({
      kind: 's' as const,
      path: toBytePath(path),
      id: undefined,
      target: `${IN_TMP}/${i}`,
    })),
    ...view.mounts,
  ];
}

/** Returns the writable places below the machine's /tmp, over which commands have another. The view puts them there. */
function placesInTmp(view: CommandView): string[] {
  return view.writable.filter((path) => path !== '/tmp' && isWithin(path, '/tmp') && isMountedByView(path, view));
}

/**
 * The view mounts most caches: bubblewrap reads the list of all mounts for each of its own, which takes 0.15 ms. The
 * view starts from bubblewrap's mounts, and so from the workspace, and does not see the replaced places.
 */
function isMountedByView(path: string, { cwd, replaced }: CommandView): boolean {
  return path !== '/' && !isWithin(cwd, path) && !replaced.some(({ to }) => isWithin(path, to) || isWithin(to, path));
}

function neededInRun(): string[] {
  const names = realPath('/etc/resolv.conf');
  const found = NEEDED_IN_RUN.filter((path) => fs.existsSync(path));
  return names?.startsWith('/run/') ? [...found, names] : found;
}
