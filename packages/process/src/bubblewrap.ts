import fs from 'node:fs';
import type { Box } from './confine.ts';

const PLACES = ['/usr/bin/bwrap', '/bin/bwrap', '/usr/local/bin/bwrap', '/run/current-system/sw/bin/bwrap'];

/** Never looked up on the PATH, which is the user's. */
export function findBubblewrap(): string | undefined {
  return PLACES.find((path) => fs.existsSync(path));
}

/**
 * The command line of bubblewrap (bwrap(1)): later mounts lie over earlier ones, so what is hidden and what is
 * read-only comes last. Without `--die-with-parent`, which would cut off what is still being written when the command
 * ends: the supervisor ends what is left.
 */
export function bubblewrapArguments({ cwd, writable, readOnly, hidden, network }: Box): string[] {
  return [
    ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts'],
    ...(network ? [] : ['--unshare-net']),
    ...['--cap-drop', 'ALL', writable.includes('/') ? '--bind' : '--ro-bind', '/', '/'],
    ...['--dev', '/dev', '--proc', '/proc'],
    ...writable.filter((path) => path !== '/').flatMap((path) => ['--bind', path, path]),
    ...readOnly.flatMap((path) => ['--ro-bind', path, path]),
    ...hidden.flatMap(hide),
    ...['--chdir', cwd, '--'],
  ];
}

/** An empty directory, in which what is written is lost, or a file that cannot be opened. */
function hide(path: string): string[] {
  const isDirectory = fs.statSync(path, { throwIfNoEntry: false })?.isDirectory();
  return isDirectory ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path];
}
