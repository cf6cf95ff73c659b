import type { ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { buffersOf } from './buffers.ts';
import { parseReference } from './reference.ts';

/**
 * Throws `invalid_args` if a path is a buffer reference, for a tool that takes no buffers, and `not_found` if the
 * reference is unknown. A file whose name is like a reference can be given as `./@file_…`.
 */
export function rejectReference(ctx: ToolContext, path: string): void {
  if (!parseReference(path)) return;
  const file = buffersOf(ctx).pathOf(ctx, path);
  const reference = path.trim().slice(0, 60);
  throw new ToolError('invalid_args', `${reference} is a buffer reference, not a path`, {
    suggestion:
      file === undefined
        ? 'read it with read_file, search it with search_pattern, or query it with run_command'
        : `pass the path of its file: ${JSON.stringify(file)}`,
  });
}
