import { ToolError } from './errors.ts';
import { fromSystemError } from './system-error.ts';

/** The system's reasons not to write, in words. */
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

export function closedToWriting(asked: string, cause?: unknown): ToolError {
  return new ToolError('permission_denied', `the file is read-only: ${asked}`, {
    suggestion: 'make it writable (chmod u+w) if the user wants it changed',
    cause,
  });
}
