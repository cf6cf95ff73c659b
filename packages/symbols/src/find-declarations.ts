import type { ToolContext } from '@jinn/core';
import { createOutlines, isOutline, type Outline, type SyntaxSymbol } from '@jinn/syntax';
import { readContent } from './read-source.ts';
import type { TreeScope } from './scope.ts';
import { createSourceIndex, type IndexedFile } from './source-index.ts';
import { unlessRefused } from './unless-refused.ts';

/** A symbol somewhere in the workspace. */
export interface Declaration {
  readonly file: string;
  readonly outline: Outline;
  readonly symbol: SyntaxSymbol;
}

export interface DeclarationSearch<T> {
  /** What every file must hold that is worth a look. */
  readonly trigrams: readonly number[];
  /** Returns what is to be known of the symbols of an outline that are wanted. */
  choose(outline: Outline, file: string): readonly T[];
  /** True for a file of a language that is wanted. The default is any. */
  isWanted?(file: IndexedFile): boolean;
}

export interface FoundDeclarations<T> {
  readonly declarations: readonly T[];
  readonly warnings: readonly string[];
}

/** Finds symbols in the files of a scope, in the order of files and lines. Only files that may hold the words are parsed. */
export async function findDeclarations<T>(
  ctx: ToolContext,
  scope: TreeScope,
  { trigrams, choose, isWanted }: DeclarationSearch<T>,
): Promise<FoundDeclarations<T>> {
  const declarations: T[] = [];
  const failed: string[] = [];
  const search = async (file: IndexedFile, content: Buffer | undefined): Promise<void> => {
    const outline = await outlineOf(ctx, file, content);
    if (outline === undefined) failed.push(file.path);
    else for (const found of choose(outline, file.path)) declarations.push(found);
    await ctx.checkpoint();
  };
  const { warnings } = await ctx.session
    .use(createSourceIndex)
    .scan(ctx, scope, (file, content) =>
      file.filter.mayHold(trigrams) && isWanted?.(file) !== false ? search(file, content) : undefined,
    );
  const left = failed.length > 0 ? [`left out, for they cannot be parsed: ${failed.slice(0, 10).join(', ')}`] : [];
  return { declarations, warnings: [...warnings, ...left] };
}

/** Undefined for a file that is gone, or that the parser gave up on. */
async function outlineOf(
  ctx: ToolContext,
  { path, version }: IndexedFile,
  content: Buffer | undefined,
): Promise<Outline | undefined> {
  const outlines = ctx.session.use(createOutlines);
  const outline =
    outlines.known(path, version) ??
    (await unlessRefused(() => outlines.read(content ? { path, version, content } : readContent(ctx, `./${path}`))));
  return outline && isOutline(outline) ? outline : undefined;
}
