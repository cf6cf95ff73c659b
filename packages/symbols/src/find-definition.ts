import { type ToolContext, ToolError } from '@jinn/core';
import { symbolAtLine } from '@jinn/syntax';
import { type Declaration, findDeclarations } from './find-declarations.ts';
import { areRelated } from './languages.ts';
import { ContentLines } from './lines.ts';
import type { Source } from './read-source.ts';
import { directoryScope } from './scope.ts';
import { trigramsOf } from './trigram-filter.ts';

const WORD = /[\p{ID_Start}_$#][\p{ID_Continue}$]*/gu;
/** Identifiers of a line that are looked up if none is given. */
const MOST_WORDS = 12;

export interface Place {
  readonly path: string;
  readonly line: number;
  readonly identifier?: string | undefined;
}

/** Where something is declared. */
export interface Definition {
  readonly file: string;
  readonly line: number;
  readonly end_line: number;
  /** Absent for what is no symbol, such as a local variable. */
  readonly name_path?: string;
  /** Absent for what lies outside of the workspace, of which only a name and a line are shown. */
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
 * The identifiers of a line that may be meant, the likeliest first. Throws `invalid_args` for a line or an identifier that
 * is not there.
 */
export function namesAt(source: Source, { path, line, identifier }: Place): readonly string[] {
  return identifier === undefined ? wordsIn(source, path, line) : [checkWord(source, path, { line, identifier })];
}

/**
 * Finds what the first of some identifiers that is declared somewhere may mean, by its name: the nearest declaration of the
 * same file first, then those of other files. Throws `not_found` where nothing of these names is declared.
 */
export async function findDefinitions(
  ctx: ToolContext,
  source: Source,
  { names, line }: { readonly names: readonly string[]; readonly line: number },
): Promise<FoundDefinitions> {
  for (const name of names) {
    const found = await findNamed(ctx, source, name);
    if (found.declarations.length > 0)
      return { name, ...found, declarations: nearestFirst(found.declarations, source, line) };
  }
  throw notDeclared(names);
}

function notDeclared(names: readonly string[]): ToolError {
  const what =
    names.length === 1
      ? `nothing called ${names[0]} is declared in the project`
      : 'nothing is declared in the project that this line names';
  return new ToolError('not_found', what, {
    suggestion: 'local variables and libraries are not known without a language server; search_files finds text',
  });
}

function findNamed(ctx: ToolContext, { outline }: Source, name: string) {
  return findDeclarations(ctx, directoryScope('.'), {
    trigrams: trigramsOf(name),
    choose: ({ symbols }) => symbols.filter((symbol) => symbol.name === name),
    isWanted: ({ language }) => areRelated(language, outline.language),
  });
}

/** What the line declares comes first. */
function wordsIn({ content, outline }: Source, path: string, line: number): string[] {
  const text = lineOf(content, path, line);
  const declared = symbolAtLine(outline, line);
  const own = declared?.line === line ? [declared.name] : [];
  return [...new Set([...own, ...(text.match(WORD) ?? [])])].slice(0, MOST_WORDS);
}

function checkWord(
  { content }: Source,
  path: string,
  { line, identifier }: { line: number; identifier: string },
): string {
  const text = lineOf(content, path, line);
  if (text.match(WORD)?.includes(identifier) || text.includes(identifier)) return identifier;
  throw new ToolError('invalid_args', `line ${line} of ${path} has no ${identifier}: ${text.trim()}`, {
    suggestion: 'count lines from 1, or find it with search_files',
  });
}

function lineOf(content: Buffer, path: string, line: number): string {
  const lines = new ContentLines(content);
  if (line <= lines.count) return lines.text(line);
  throw new ToolError('invalid_args', `${path} has ${lines.count} lines, so that there is no line ${line}`, {
    suggestion: 'count lines from 1',
  });
}

/** In the same file, what is in the same symbol as the line comes first, the innermost of these before all. */
function nearestFirst(declarations: readonly Declaration[], { path }: Source, line: number): readonly Declaration[] {
  const distanceOf = ({ file, outline, symbol }: Declaration): number => {
    if (file !== path) return Number.POSITIVE_INFINITY;
    const parent = outline.symbols[symbol.parent];
    const isAround = !parent || (parent.startLine <= line && line <= parent.endLine);
    return isAround ? 1_000 - symbol.depth : 2_000;
  };
  return declarations.toSorted((a, b) => compare(distanceOf(a), distanceOf(b)));
}

function compare(a: number, b: number): number {
  return a === b ? 0 : a - b;
}
