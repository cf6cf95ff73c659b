import fs from 'node:fs';
import type { Box } from './confine.ts';

const SANDBOX_EXEC = '/usr/bin/sandbox-exec';

export function findSeatbelt(): string | undefined {
  return fs.existsSync(SANDBOX_EXEC) ? SANDBOX_EXEC : undefined;
}

/** The command line of sandbox-exec, with a profile in which the last rule that fits decides. */
export function seatbeltArguments(box: Box): string[] {
  return ['-p', profile(box)];
}

function profile({ writable, readOnly, hidden, network }: Box): string {
  const rules = [
    '(version 1)',
    '(allow default)',
    '(deny file-write*)',
    `(allow file-write* ${paths(writable)} (regex #"^/dev/(null|zero|tty.*|ptmx|dtracehelper|fd/.*)$"))`,
    '(deny file-write* (regex #"/\\.git/(hooks(/.*)?|config|config\\.worktree)$"))',
    '(deny file-read* file-write* (regex #"/\\.(ssh|aws|gnupg)(/|$)"))',
    '(deny file-read* file-write* (regex #"/\\.env[^/]*(/|$)"))',
    '(allow file-read* (regex #"/\\.env\\.(example|sample|template|dist|defaults)$"))',
    '(deny signal (target others))',
    '(allow signal (target same-sandbox))',
    '(deny mach-lookup (global-name "com.apple.securityd.xpc") (global-name "com.apple.SecurityServer"))',
  ];
  if (readOnly.length > 0) rules.push(`(deny file-write* ${paths(readOnly)})`);
  if (hidden.length > 0) rules.push(`(deny file-read* file-write* ${paths(hidden)})`);
  if (!network) rules.push('(deny network*)');
  return rules.join('\n');
}

function paths(list: readonly string[]): string {
  return list.map((path) => `(subpath ${JSON.stringify(path)})`).join(' ');
}
