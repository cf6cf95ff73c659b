import type { ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { ContentLines } from '../show/content-lines.ts';
import { readSource, type Source } from '../show/read-source.ts';
import { type Declaration, findDeclarations } from './find-declarations.ts';
import { areRelated, directoryScope } from './scope.ts';
import { trigramsOf } from './source-index.ts';

const WORD = /[\p{ID_Start}_$#][\p{ID_Continue}$]*/gu;
const MOST_WORDS = 12;

export interface LinePlace {
  readonly path: string;
  readonly line: number;
  readonly identifier?: string | undefined;
}

export interface SourcePlace {
  readonly source: Source;
  readonly place: LinePlace;
  /** The identifiers of the line that may be meant, the likeliest first. */
  readonly names: readonly string[];
}

export interface Definition {
  readonly file: string;
  readonly line: number;
  readonly end_line: number;
  /** Absent for a declaration that is not a symbol, such as a local variable. */
  readonly name_path?: string;
  readonly context?: string;
  readonly source?: 'library';
}

export interface FoundDefinitions {
  readonly name: string;
  readonly declarations: readonly Declaration[];
  readonly warnings: readonly string[];
}

/**
 * Finds the first of some names that is declared: first the nearest declaration of the same file, then other files.
 * Throws `not_found`.
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
  const what =
    names.length === 1
      ? `nothing called ${names[0]} is declared in the project`
      : 'nothing is declared in the project that this line names';
  throw new ToolError('not_found', what, {
    suggestion:
      'local variables and libraries are not known without a language server: search the text of the files for it',
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

/** Reads the file of a place. Throws `invalid_args` for a missing line or identifier. */
export async function readPlace(ctx: ToolContext, place: LinePlace): Promise<SourcePlace> {
  const source = await readSource(ctx, place.path);
  const names = place.identifier === undefined ? wordsIn(source, place) : [checkWord(source, place, place.identifier)];
  return { source, place, names };
}

function wordsIn({ content, outline }: Source, { path, line }: LinePlace): string[] {
  const text = linesWith(content, { path, line }).text(line);
  const declared = outline.symbols.filter((symbol) => symbol.line === line);
  const own = declared.toSorted((a, b) => a.nameStart - b.nameStart).map(({ name }) => name);
  return [...new Set([...own, ...(text.match(WORD) ?? [])])].slice(0, MOST_WORDS);
}

function checkWord({ content }: Source, { path, line }: LinePlace, identifier: string): string {
  const lines = linesWith(content, { path, line });
  if (content.subarray(lines.startOf(line), lines.startOf(line + 1)).includes(identifier)) return identifier;
  throw new ToolError('invalid_args', `line ${line} of ${path} has no ${identifier}: ${lines.text(line).trim()}`, {
    suggestion: 'count lines from 1, or search the text of the file for it',
  });
}

function linesWith(content: Buffer, { path, line }: LinePlace): ContentLines {
  const lines = new ContentLines(content);
  if (line <= lines.count) return lines;
  throw new ToolError('invalid_args', `${path} has ${lines.count} lines, so that there is no line ${line}`, {
    suggestion: 'count lines from 1',
  });
}
