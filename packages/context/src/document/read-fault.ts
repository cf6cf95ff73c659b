import { ToolError } from '@jinn/core/errors';

/** Returns the reason why a file was left out, as a text that follows the file's path. */
export function reasonOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof ToolError) return `${error.message.split(':')[0]}, left out`;
  switch (code) {
    case 'ENOENT':
      return 'vanished, left out';
    case 'EACCES':
    case 'EPERM':
      return 'permission denied, left out';
    case 'ELOOP':
      return 'became a symbolic link, left out';
    default:
      return 'could not be read, left out';
  }
}
