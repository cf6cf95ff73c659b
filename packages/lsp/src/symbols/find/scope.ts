import { posix } from 'node:path';
import type { ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { languageOf } from '@jinn/syntax';
import { globRoots, isGlob, PathMatcher, readGlobs } from '@jinn/workspace/walk';
import { mayBeCode, mayHaveOutline } from './related-languages.ts';

/** The source files of a directory, or those that a glob matches. */
export interface TreeScope {
  readonly kind: 'directory' | 'glob';
  /** Where the walk starts, below the workspace root. */
  readonly start: string;
  readonly hidden: boolean;
  /** 1 for the files directly in `start`; undefined for any depth. */
  readonly maxDepth: number | undefined;
  matches(file: { readonly name: string; readonly path: string }): boolean;
}

/**
 * Returns the scope of a path that is not a file: the code in a directory, or all files that a glob matches. Throws
 * ToolError for a path that is refused or missing.
 */
export function toTreeScope(ctx: ToolContext, asked: string): TreeScope {
  const status = readStatus(ctx, asked);
  return status ? directoryScope(status.path) : globScope(ctx, asked);
}

/** Makes the scope of the code in a directory. */
export function directoryScope(start: string): TreeScope {
  return { kind: 'directory', start, hidden: false, maxDepth: undefined, matches: ({ name }) => mayBeCode(name) };
}

/** Makes the scope of the workspace's code, and of HTML pages, whose scripts and markup name what scripts declare. */
export function codeAndPages(): TreeScope {
  return { ...directoryScope('.'), matches: ({ name }) => mayBeCode(name) || languageOf(name) === 'html' };
}

function readStatus({ workspace }: ToolContext, asked: string) {
  try {
    return workspace.status(asked);
  } catch (error) {
    if (error instanceof ToolError && error.code === 'file_not_found' && isGlob(asked)) return undefined;
    throw error;
  }
}

function globScope({ workspace }: ToolContext, glob: string): TreeScope {
  const matcher = new PathMatcher(readGlobs(glob, globRoots(workspace)));
  return {
    kind: 'glob',
    start: matcher.base,
    hidden: matcher.hidden,
    maxDepth: undefined,
    matches: ({ name, path }) => mayHaveOutline(name) && matcher.matches(posix.dirname(path), name),
  };
}
