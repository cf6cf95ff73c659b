import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { fromWriteError, ToolError } from '@jinn/core/errors';

/**
 * Keeps the content for standard input in a file, which its reader removes. A pipe of Node is a socket: not every
 * command accepts one as /dev/stdin, and bash would assume a remote shell and read the user's profile. Throws
 * `write_failed` and leaves no file if there is no room for it.
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
