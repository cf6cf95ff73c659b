import { ToolError } from './errors.ts';

/** Turns an error of the system into a refusal that an agent can act on. `asked` is the path as the caller wrote it. */
export function fromSystemError(error: unknown, asked: string): ToolError {
  if (error instanceof ToolError) return error;
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOENT':
      return fileNotFound(asked, error);
    case 'EACCES':
    case 'EPERM':
      return new ToolError('permission_denied', `permission denied: ${asked}`, {
        suggestion: 'this user may not open it: ask for access, or use another path',
        cause: error,
      });
    case 'ELOOP':
    case 'ENOTDIR':
      return new ToolError('conflict', `the path changed while it was being opened: ${asked}`, {
        suggestion: 'try again',
        cause: error,
      });
    case 'ENAMETOOLONG':
      return new ToolError('invalid_args', 'path: a name in it is too long for the file system', {
        suggestion: 'use shorter names: most file systems accept 255 bytes in each',
        cause: error,
      });
    case 'EMFILE':
    case 'ENFILE':
      return new ToolError('resource_limit', 'too many open files', {
        suggestion: 'try again when other calls have finished. The operator can raise the limit (ulimit -n)',
        cause: error,
      });
    case 'EIO':
      return new ToolError('not_a_file', `could not read ${asked}: the disk or the file reports an error`, {
        suggestion: 'skip it. If it is an ordinary file, tell the user',
        cause: error,
      });
    default:
      return new ToolError('internal', `could not open ${asked}`, { cause: error });
  }
}

/** Reports whether a file could not be opened because too many are open, which is not the file's fault. */
export function isOutOfDescriptors(error: unknown): boolean {
  const { code, cause } = (error ?? {}) as NodeJS.ErrnoException;
  return code === 'EMFILE' || code === 'ENFILE' || (error instanceof ToolError && isOutOfDescriptors(cause));
}

export function fileNotFound(asked: string, cause?: unknown, nearest?: string): ToolError {
  const suggestion = nearest === undefined ? 'use list_dir to see what is there' : `did you mean ${nearest}?`;
  return new ToolError('file_not_found', `file not found: ${asked}`, { suggestion, cause });
}

export function notADirectory(asked: string): ToolError {
  return new ToolError('not_a_directory', `not a directory: ${asked}`, {
    suggestion: 'it is a file: read it as one, or pass the directory that it is in',
  });
}

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'no space left on the disk',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file is larger than the system allows',
  EROFS: 'the file system is read-only',
  EIO: 'the disk reports an error',
};

/** Turns an error that the system reports on writing into one that an agent can act on. */
export function fromWriteError(error: unknown, asked: string): ToolError {
  const known = fromSystemError(error, asked);
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined || (known.code !== 'internal' && !(code in REASONS))) return known;
  const reason = REASONS[code] ?? `the system answers ${code}`;
  return new ToolError('write_failed', `could not write ${asked}: ${reason}`, {
    suggestion: 'tell the user: this needs a change outside the workspace',
    cause: error,
  });
}

/** Turns an error that the system reports on reading an open file into one that an agent can act on. */
export function fromReadError(error: unknown, path: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined || code === 'EBADF') return error;
  const known = fromSystemError(error, path);
  if (known.code !== 'internal') return known;
  return new ToolError('not_a_file', `could not read ${path}: the system answers ${code}`, {
    suggestion: 'skip it. If it is an ordinary file, tell the user',
    cause: error,
  });
}

export function closedToWriting(asked: string, cause?: unknown): ToolError {
  return new ToolError('permission_denied', `the file is read-only: ${asked}`, {
    suggestion: 'make it writable (chmod u+w) if the user wants it changed',
    cause,
  });
}
