import fs from 'node:fs';
import { ToolError } from './errors.ts';
import { makePrivateDirectory } from './private-directory.ts';
import { fromWriteError } from './write-error.ts';

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
const MAX_BYTES = 64 * 1024 * 1024;
const PLAIN_NAME = /^\w[\w-]*\.\w+$/;

/** Small files in the state directory, by their plain names. */
export interface StateFiles {
  /** The absolute path; undefined if there is no home. No message contains it. */
  readonly directory: string | undefined;
  /** The content of a file; undefined if it is missing. Throws ToolError if it cannot be read or is not a regular file. */
  read(name: string): Buffer | undefined;
  /** Replaces a file as a whole, closed to others (0600). Throws `write_failed` or `permission_denied`. */
  write(name: string, content: string | Uint8Array): void;
}

/** The directory is made, closed to others, at the first write. */
export function createStateFiles(directory: string | undefined): StateFiles {
  return {
    directory,
    read: (name) => (directory === undefined ? undefined : read(`${directory}/${plain(name)}`, name)),
    write: (name, content) => {
      try {
        if (directory === undefined) throw new Error('neither JINN_CONFIG_DIR nor HOME is set');
        makePrivateDirectory(directory);
        write(`${directory}/${plain(name)}`, content);
      } catch (error) {
        throw directory === undefined ? noHome(name, error) : fromWriteError(error, name);
      }
    },
  };
}

/** Never waits: a FIFO is opened without blocking, and refused. Links are followed, since the user made them. */
function read(path: string, name: string): Buffer | undefined {
  let fd: number;
  try {
    fd = fs.openSync(path, O_RDONLY | O_NONBLOCK);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new ToolError('permission_denied', `${name} cannot be read`, { cause });
  }
  try {
    const stat = fs.fstatSync(fd);
    if (!stat.isFile()) throw new ToolError('not_a_file', `${name} is not a regular file`);
    if (stat.size > MAX_BYTES) throw new ToolError('file_too_large', `${name} is larger than 64 MiB`);
    const content = Buffer.allocUnsafe(stat.size);
    return content.subarray(0, fs.readSync(fd, content));
  } finally {
    fs.closeSync(fd);
  }
}

/** Not synced: these files are checked when they are read, and rebuilt if a power loss damaged them. */
function write(path: string, content: string | Uint8Array): void {
  const temp = `${path}.${process.pid}-${Math.random().toString(36).slice(2)}`;
  const fd = fs.openSync(temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    try {
      fs.writeFileSync(fd, content);
    } finally {
      fs.closeSync(fd);
    }
    fs.renameSync(temp, path);
  } catch (error) {
    fs.rmSync(temp, { force: true });
    throw error;
  }
}

/** Security: refuses a name with a path in it, since part of the name may come from a request. */
function plain(name: string): string {
  if (PLAIN_NAME.test(name)) return name;
  throw new ToolError('invalid_args', `not the name of a state file: ${name.slice(0, 100)}`);
}

function noHome(name: string, cause: unknown): ToolError {
  return new ToolError('write_failed', `there is no directory for ${name}`, {
    suggestion: 'set JINN_CONFIG_DIR or HOME for jinn',
    cause,
  });
}
