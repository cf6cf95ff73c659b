import fs from 'node:fs';
import { ToolError } from './errors.ts';
import { fromWriteError } from './write-error.ts';

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
const MAX_BYTES = 64 * 1024 * 1024;
const PLAIN_NAME = /^\w[\w-]*\.\w+$/;

/** Small files in jinn's own directory (design section 4), by their plain names. */
export interface StateFiles {
  /** Absolute; undefined when there is no home. It goes into no message. */
  readonly directory: string | undefined;
  /** What a file holds; undefined when there is none. Throws ToolError when it cannot be read or is no regular file. */
  read(name: string): Buffer | undefined;
  /** Replaces a file whole, closed to others (0600). Throws `write_failed` or `permission_denied`. */
  write(name: string, content: string | Uint8Array): void;
}

/** The directory is made, closed to others, when something is first written. */
export function createStateFiles(directory: string | undefined): StateFiles {
  return {
    directory,
    read: (name) => (directory === undefined ? undefined : read(`${directory}/${plain(name)}`, name)),
    write: (name, content) => {
      try {
        if (directory === undefined) throw new Error('neither JINN_CONFIG_DIR nor HOME is set');
        fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
        write(`${directory}/${plain(name)}`, content);
      } catch (error) {
        throw directory === undefined ? noHome(name, error) : fromWriteError(error, name);
      }
    },
  };
}

/** Never waits: a FIFO in its place is opened without blocking, and refused. A link is the user's own. */
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
    if (!stat.isFile()) throw new ToolError('not_a_file', `${name} is no regular file`);
    if (stat.size > MAX_BYTES) throw new ToolError('file_too_large', `${name} is larger than 64 MiB`);
    const content = Buffer.allocUnsafe(stat.size);
    return content.subarray(0, fs.readSync(fd, content));
  } finally {
    fs.closeSync(fd);
  }
}

/** Not synced: what a power loss leaves of a file like this is found damaged, and made again. */
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

/** Security: part of the name may come from a request. */
function plain(name: string): string {
  if (PLAIN_NAME.test(name)) return name;
  throw new ToolError('invalid_args', `not the name of a state file: ${name.slice(0, 100)}`);
}

function noHome(name: string, cause: unknown): ToolError {
  return new ToolError('write_failed', `there is nowhere to keep ${name}`, {
    suggestion: 'set JINN_CONFIG_DIR or HOME for jinn',
    cause,
  });
}
