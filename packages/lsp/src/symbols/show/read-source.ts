import type { ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { createOutlines, isOutline, MAX_SOURCE_BYTES, type Outline, TOO_LARGE } from '@jinn/syntax';
import { versionOf } from '@jinn/workspace';
import { findCharset } from '@jinn/workspace/find-charset';

/** A source file and its declarations. */
export interface Source {
  /** Below the workspace root, links resolved. */
  readonly path: string;
  /** Its text in UTF-8. */
  readonly content: Buffer;
  readonly version: string;
  readonly outline: Outline;
}

/**
 * Throws ToolError for a file without a syntax tree. With `isShown`, a later change by others makes it stale for the
 * agent.
 */
export async function readSource(ctx: ToolContext, asked: string, { isShown = false } = {}): Promise<Source> {
  const read = readContent(ctx, asked, { isShown });
  const charset = await findCharset(ctx, read);
  const file = { ...read, content: charset?.decode(read.content) ?? read.content };
  return { ...file, outline: await outlineOf(ctx, file) };
}

export interface Content {
  readonly path: string;
  readonly content: Buffer;
  readonly version: string;
}

/** Reads a file. Throws ToolError. `isShown` is as for `readSource`. */
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

/** Throws `invalid_args` if there is no syntax tree. */
export async function outlineOf({ session }: ToolContext, file: Content): Promise<Outline> {
  const outline = await session.use(createOutlines).read(file);
  if (isOutline(outline)) return outline;
  throw new ToolError('invalid_args', `${file.path} has no symbols: ${outline.message}`, {
    suggestion: 'read, search and change it as text',
  });
}

/** False for a directory, a glob, and a path that is missing or refused. */
export function isFilePath({ workspace }: ToolContext, path: string): boolean {
  try {
    return workspace.status(path).kind !== 'directory';
  } catch {
    return false; // The search below the path reports what is wrong with it.
  }
}

/**
 * Undefined if `work` is refused, such as for a file that is gone. `onRefusal` gets the error. Other errors are thrown.
 */
export async function unlessRefused<T>(work: () => T | Promise<T>, onRefusal?: (error: ToolError) => void) {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    onRefusal?.(error);
    return undefined;
  }
}
