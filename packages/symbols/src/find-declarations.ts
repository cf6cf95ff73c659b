import { type ToolContext, ToolError } from '@jinn/core';
import { createOutlines, isOutline, type Outline, type SyntaxSymbol } from '@jinn/syntax';
import { readContent } from './read-source.ts';
import type { TreeScope } from './scope.ts';
import { createSourceIndex, type IndexedFile } from './source-index.ts';

/** A symbol somewhere in the workspace. */
export interface Declaration {
  readonly file: string;
  readonly outline: Outline;
  readonly symbol: SyntaxSymbol;
}

export interface DeclarationSearch {
  /** What every file must hold that is worth a look. */
  readonly trigrams: readonly number[];
  /** The symbols of an outline that are wanted. */
  choose(outline: Outline): readonly SyntaxSymbol[];
  /** True for a file of a language that is wanted. The default is any. */
  isWanted?(file: IndexedFile): boolean;
}

export interface FoundDeclarations {
  readonly declarations: readonly Declaration[];
  readonly warnings: readonly string[];
}

/** Finds symbols in the files of a scope, in the order of files and lines. Only files that may hold the words are parsed. */
export async function findDeclarations(
  ctx: ToolContext,
  scope: TreeScope,
  { trigrams, choose, isWanted }: DeclarationSearch,
): Promise<FoundDeclarations> {
  const { files, warnings } = await ctx.session.use(createSourceIndex).scan(ctx, scope);
  const declarations: Declaration[] = [];
  const failed: string[] = [];
  for (const file of files) {
    if (!file.filter.mayHold(trigrams) || isWanted?.(file) === false) continue;
    const outline = await outlineOf(ctx, file);
    if (outline === undefined) failed.push(file.path);
    else for (const symbol of choose(outline)) declarations.push({ file: file.path, outline, symbol });
    await ctx.checkpoint();
  }
  const left = failed.length > 0 ? [`left out, for they cannot be parsed: ${failed.slice(0, 10).join(', ')}`] : [];
  return { declarations, warnings: [...warnings, ...left] };
}

/** Undefined for a file that is gone, or that the parser gave up on. */
async function outlineOf(ctx: ToolContext, { path, version }: IndexedFile): Promise<Outline | undefined> {
  const outlines = ctx.session.use(createOutlines);
  const known = outlines.known(path, version);
  if (known) return isOutline(known) ? known : undefined;
  try {
    const outline = await outlines.read(readContent(ctx, `./${path}`));
    return isOutline(outline) ? outline : undefined;
  } catch (error) {
    if (error instanceof ToolError) return undefined;
    throw error;
  }
}
