import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { fromWriteError, ToolError } from '@jinn/errors';

/**
 * Keeps what standard input is to hold in a file, which whoever opens it removes. Never a pipe of Node's, which is a socket:
 * not every command takes one for /dev/stdin, and bash would take itself for a remote shell and read the user's profile.
 * Throws `write_failed` and leaves no file if there is no room for it.
 */
export function keepStdin(text: string | Uint8Array): string {
  const { randomBytes } = process.getBuiltinModule('node:crypto'); // Loaded here, since most commands have no input.
  const path = `${tmpdir()}/jinn-stdin-${randomBytes(12).toString('hex')}`;
  try {
    fs.writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
  } catch (cause) {
    fs.rmSync(path, { force: true });
    const { message } = fromWriteError(cause, 'the text of stdin to the directory for temporary files');
    throw new ToolError('write_failed', message, {
      suggestion: 'write the text to a file of the workspace and redirect that, or ask the user to free some space',
      cause,
    });
  }
  return path;
}
