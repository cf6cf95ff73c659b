import fs from 'node:fs';
import { HIDDEN_NAMES, TEMPLATE_NAMES } from '@jinn/workspace/secrets/names';
import type { CommandView } from '../confinement.ts';

const SANDBOX_EXEC = '/usr/bin/sandbox-exec';

export function findSeatbelt(): string | undefined {
  return fs.existsSync(SANDBOX_EXEC) ? SANDBOX_EXEC : undefined;
}

/** Returns the arguments of sandbox-exec, with a profile in which the last rule that fits decides. */
export function seatbeltArguments(view: CommandView): string[] {
  return ['-p', profile(view)];
}

/** Rules by path also apply to files that are made later. Not tested: no machine with macOS was at hand. */
function profile({ writable, mounts, sockets, network, folders }: CommandView): string {
  const hidden = mounts.filter(({ kind }) => kind === 'h').map(({ path }) => path);
  const readOnly = mounts.filter(({ kind }) => kind === 'r').map(({ path }) => path);
  const rules = [
    '(version 1)',
    '(allow default)',
    '(deny file-write*)',
    `(allow file-write* ${paths(writable)} (regex #"^/dev/(null|zero|tty.*|ptmx|dtracehelper|fd/.*)$"))`,
    '(deny file-write* (regex #"/\\.git/(modules/.*/|worktrees/[^/]*/)?(hooks(/.*)?|config|config\\.worktree)$"))',
    '(deny file-write* (regex #"/\\.git/(modules/.*/)?commondir$"))',
    `(deny file-read* file-write* (regex #"/${HIDDEN_NAMES}(/|$)"))`,
    `(allow file-read* (regex #"/${TEMPLATE_NAMES}$"))`,
    `(allow file-write* (require-all (regex #"/${TEMPLATE_NAMES}$") (require-any ${paths(writable)})))`,
    '(deny signal (target others))',
    '(allow signal (target same-sandbox))',
    '(deny process-info* (target others))',
    '(allow process-info* (target same-sandbox))',
    '(deny sysctl-read (sysctl-name-prefix "kern.proc.") (sysctl-name-prefix "kern.procargs"))',
    '(deny mach-lookup (global-name "com.apple.securityd.xpc") (global-name "com.apple.SecurityServer"))',
  ];
  if (readOnly.length > 0) rules.push(`(deny file-write* ${paths(readOnly)})`);
  if (hidden.length > 0) rules.push(`(deny file-read* file-write* ${paths(hidden)})`);
  const readable = mounts.flatMap(({ kind, path, target }) => (kind === 'h' && target ? [`${path}/${target}`] : []));
  if (readable.length > 0) rules.push(`(allow file-read* ${paths(readable)})`);
  for (const { path, target } of mounts.filter(({ kind }) => kind === 'o')) {
    rules.push(
      `(deny file-read* file-write* (require-all ${paths([path])} (require-not ${paths([`${path}/${target}`])})))`,
    );
  }
  if (folders.length > 0) rules.push(`(allow file-read* ${paths(folders.map(({ path }) => path))})`);
  rules.push('(deny network-outbound (remote unix-socket (subpath "/")))');
  const reachable = writable.concat(sockets);
  rules.push(
    `(allow network-outbound ${reachable.map((path) => `(remote unix-socket (subpath ${JSON.stringify(path)}))`).join(' ')})`,
  );
  if (network) rules.push('(allow network-outbound (literal "/private/var/run/mDNSResponder"))');
  else rules.push('(deny network*)');
  return rules.join('\n');
}

function paths(list: readonly string[]): string {
  return list.map((path) => `(subpath ${JSON.stringify(path)})`).join(' ');
}
