import fs from 'node:fs';
import { tmpdir } from 'node:os';

/**
 * Keeps the text for standard input in a file, which whoever opens it removes. Never a pipe of Node's, which is a socket:
 * not every command takes one for /dev/stdin, and bash would take itself for a remote shell and read the user's profile.
 */
export function keepStdin(text: string): string {
  const { randomBytes } = process.getBuiltinModule('node:crypto'); // Loaded here, since most commands have no input.
  const path = `${tmpdir()}/jinn-stdin-${randomBytes(12).toString('hex')}`;
  fs.writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
  return path;
}
