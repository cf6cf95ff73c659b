import { posix } from 'node:path';
import type { ToolContext } from '@jinn/core';
import { nearestName, ToolError } from '@jinn/core/errors';
import { EXCLUDED_DIRECTORIES, walk } from '@jinn/workspace/walk';

const MAX_ENTRIES = 20_000;
const MAX_NAMED = 5;

/** Adds to the error of a missing file where files of that name are, or which path was probably meant. */
export async function suggestPath<E>(error: E, path: string, ctx: ToolContext): Promise<E | ToolError> {
  if (!(error instanceof ToolError) || error.code !== 'file_not_found') return error;
  const places = await findByName(ctx, posix.basename(path));
  const likely = places.length === 1 ? places[0] : nearestName(path, places);
  const more = places.length > MAX_NAMED ? `, and ${places.length - MAX_NAMED} more` : '';
  const list =
    places.length === 0 ? suggestedByGuard(ctx, path) : `there are ${places.slice(0, MAX_NAMED).join(', ')}${more}`;
  const suggestion = likely === undefined ? list : `did you mean ${likely}?`;
  return suggestion === undefined
    ? error
    : new ToolError(error.code, error.message, { suggestion, cause: error.cause });
}

function suggestedByGuard({ workspace }: ToolContext, path: string): string | undefined {
  try {
    workspace.status(path);
  } catch (error) {
    if (error instanceof ToolError && error.suggestion?.startsWith('did you mean')) return error.suggestion;
  }
  return undefined;
}

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
