import { posix } from 'node:path';
import type { ToolContext } from '@jinn/core';
import { nearestName, ToolError } from '@jinn/core/errors';
import { EXCLUDED_DIRECTORIES, walk } from '@jinn/workspace/walk';

/** In a larger workspace, nothing is suggested. */
const MAX_ENTRIES = 20_000;
const MAX_NAMED = 5;

/** Returns the error of a call. If a file is missing, the error says where files of that name are. */
export async function suggestPath<E>(error: E, path: string, ctx: ToolContext): Promise<E | ToolError> {
  if (!(error instanceof ToolError) || error.code !== 'file_not_found') return error;
  const places = await findByName(ctx, posix.basename(path));
  if (places.length === 0) return error;
  const likely = places.length === 1 ? places[0] : nearestName(path, places);
  const more = places.length > MAX_NAMED ? `, and ${places.length - MAX_NAMED} more` : '';
  const suggestion =
    likely === undefined ? `there are ${places.slice(0, MAX_NAMED).join(', ')}${more}` : `did you mean ${likely}?`;
  return new ToolError(error.code, error.message, { suggestion, cause: error.cause });
}

/** Returns the paths of the files with a name; none if the workspace is too large to search. */
async function findByName({ workspace, checkpoint }: ToolContext, name: string): Promise<string[]> {
  const places: string[] = [];
  const wanted = name.normalize();
  const tooMany = new Error('too many entries');
  let entries = 0;
  try {
    const options = { gitignore: true, excludeDirectories: EXCLUDED_DIRECTORIES, checkpoint };
    await walk(workspace, '.', options, (entry) => {
      if (++entries > MAX_ENTRIES) throw tooMany;
      if (entry.name.normalize() === wanted && entry.kind === 'file') places.push(entry.path);
      return undefined;
    });
  } catch (error) {
    if (error !== tooMany) throw error;
    return [];
  }
  return places;
}
