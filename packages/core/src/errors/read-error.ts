import { ToolError } from './errors.ts';
import { fromSystemError } from './system-error.ts';

/** Turns an error that the system reports on reading an open file into one that an agent can act on. */
export function fromReadError(error: unknown, path: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined || code === 'EBADF') return error;
  const known = fromSystemError(error, path);
  if (known.code !== 'internal') return known;
  return new ToolError('not_a_file', `could not read ${path}: the system answers ${code}`, {
    suggestion: 'leave it out; if it is an ordinary file, tell the user',
    cause: error,
  });
}
