import type { ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import type { Source } from '../show/read-source.ts';
import { type Declaration, findDeclarations } from './find-declarations.ts';
import type { SourcePlace } from './place.ts';
import { areRelated } from './related-languages.ts';
import { directoryScope } from './scope.ts';
import { trigramsOf } from './trigram-filter.ts';

/** The place of a declaration. */
export interface Definition {
  readonly file: string;
  readonly line: number;
  readonly end_line: number;
  /** Absent for a declaration that is not a symbol, such as a local variable. */
  readonly name_path?: string;
  /** Absent for a declaration outside of the workspace, of which only a name and a line are shown. */
  readonly context?: string;
  readonly source?: 'library';
}

export interface FoundDefinitions {
  /** The identifier that was looked up. */
  readonly name: string;
  readonly declarations: readonly Declaration[];
  readonly warnings: readonly string[];
}

/**
 * Finds the declarations of the first of some identifiers that is declared anywhere, by its name: the nearest
 * declaration of the same file first, then those of other files. Throws `not_found` if none of these names is declared.
 */
export async function findDefinitions(
  ctx: ToolContext,
  { source, place, names }: SourcePlace,
): Promise<FoundDefinitions> {
  for (const name of names) {
    const found = await findNamed(ctx, source, name);
    if (found.declarations.length > 0)
      return { name, ...found, declarations: nearestFirst(found.declarations, source, place.line) };
  }
  throw notDeclared(names);
}

function notDeclared(names: readonly string[]): ToolError {
  const what =
    names.length === 1
      ? `nothing called ${names[0]} is declared in the project`
      : 'nothing is declared in the project that this line names';
  return new ToolError('not_found', what, {
    suggestion:
      'local variables and libraries are not known without a language server; search the text of the files for it',
  });
}

function findNamed(ctx: ToolContext, { outline }: Source, name: string) {
  return findDeclarations(ctx, directoryScope('.'), {
    trigrams: trigramsOf(name),
    choose: (outline, file): Declaration[] =>
      outline.symbols.filter((symbol) => symbol.name === name).map((symbol) => ({ file, outline, symbol })),
    isWanted: ({ language }) => areRelated(language, outline.language),
  });
}

function nearestFirst(declarations: readonly Declaration[], { path }: Source, line: number): readonly Declaration[] {
  const distanceOf = ({ file, outline, symbol }: Declaration): number => {
    if (file !== path) return 3_000;
    const parent = outline.symbols[symbol.parent];
    const isAround = !parent || (parent.startLine <= line && line <= parent.endLine);
    return isAround ? 1_000 - symbol.depth : 2_000;
  };
  return declarations.toSorted((a, b) => distanceOf(a) - distanceOf(b));
}
