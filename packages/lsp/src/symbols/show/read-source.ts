import type { ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { createOutlines, isOutline, MAX_SOURCE_BYTES, type NoOutline, type Outline, TOO_LARGE } from '@jinn/syntax';
import { versionOf } from '@jinn/workspace';

/** A source file and its declarations. */
export interface Source {
  /** The path below the workspace root, links resolved. */
  readonly path: string;
  readonly content: Buffer;
  readonly version: string;
  readonly outline: Outline;
}

/**
 * Reads a file and its outline. Throws ToolError for a file that cannot be opened, or that has no syntax tree. With
 * `isShown`, the agent sees the content, so that a later change by others makes the file stale for it.
 */
export async function readSource(ctx: ToolContext, asked: string, { isShown = false } = {}): Promise<Source> {
  const file = readContent(ctx, asked, { isShown });
  return { ...file, outline: await outlineOf(ctx, file) };
}

/** A version of a file. */
export interface Content {
  readonly path: string;
  readonly content: Buffer;
  readonly version: string;
}

/** Reads a file. Throws ToolError. */
export function readContent({ workspace, session }: ToolContext, asked: string, { isShown = false } = {}): Content {
  return workspace.withFile(asked, (file) => {
    if (file.size > MAX_SOURCE_BYTES) {
      throw new ToolError('file_too_large', `${asked} has no symbols: ${TOO_LARGE}`, {
        suggestion: 'read it in parts, as text',
      });
    }
    const content = file.slice(0, file.size);
    if (isShown) session.reads.record(file);
    return { path: file.path, content, version: versionOf(content) };
  });
}

/** Returns the outline of a version of a file. Throws `invalid_args` if it has no syntax tree. */
export async function outlineOf({ session }: ToolContext, file: Content): Promise<Outline> {
  const outline = await session.use(createOutlines).read(file);
  if (isOutline(outline)) return outline;
  throw noTree(file.path, outline);
}

function noTree(path: string, { message }: NoOutline): ToolError {
  return new ToolError('invalid_args', `${path} has no symbols: ${message}`, {
    suggestion: 'read, search and change it as text',
  });
}
