import fs from 'node:fs';
import { ToolError } from './errors.ts';
import { makePrivateDirectory } from './private-directory.ts';

/**
 * The directory for the locks of files: the given one, made if it is missing. If that cannot be written (a read-only or
 * full disk, no home), it is one of this user's own among the temporary files. Throws `write_failed` if neither can be
 * written. Every process of a user that has the same state directory and TMPDIR gets the same one.
 */
export function findLockDirectory(preferred: string | undefined): string {
  if (preferred !== undefined && isWritable(preferred)) return preferred;
  const { tmpdir, userInfo } = process.getBuiltinModule('node:os');
  const uid = process.getuid?.() ?? userInfo().username;
  const fallback = `${tmpdir()}/jinn-locks-${uid}`;
  if (isWritable(fallback) && isOwn(fallback)) return fallback;
  throw new ToolError(
    'write_failed',
    'jinn can write neither to its state directory nor to a temporary one for locks',
    {
      suggestion: 'set JINN_CONFIG_DIR or TMPDIR to a directory that jinn can write to',
    },
  );
}

function isWritable(directory: string): boolean {
  if (isOpenToUs(directory)) return true;
  try {
    makePrivateDirectory(directory);
  } catch {
    return false;
  }
  return isOpenToUs(directory);
}

function isOpenToUs(directory: string): boolean {
  try {
    fs.accessSync(directory, fs.constants.W_OK | fs.constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Security: where everybody may write, another user could have made the directory, and then hold or remove our locks. */
function isOwn(directory: string): boolean {
  const stat = fs.lstatSync(directory);
  return stat.isDirectory() && (stat.mode & 0o077) === 0 && stat.uid === (process.getuid?.() ?? stat.uid);
}
