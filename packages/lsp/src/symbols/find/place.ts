import type { ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { ContentLines } from '../show/content-lines.ts';
import { readSource, type Source } from '../show/read-source.ts';

const WORD = /[\p{ID_Start}_$#][\p{ID_Continue}$]*/gu;
/** Identifiers of a line that are looked up if none is given. */
const MOST_WORDS = 12;

/** A line of a file, and the identifier there, as a call names them. */
export interface Place {
  readonly path: string;
  readonly line: number;
  readonly identifier?: string | undefined;
}

/** A place in a file that was read. */
export interface SourcePlace {
  readonly source: Source;
  readonly place: Place;
  /** The identifiers of the line that may be meant, the likeliest first. */
  readonly names: readonly string[];
}

/** Reads the file of a place. Throws `invalid_args` for a missing line or identifier. */
export async function readPlace(ctx: ToolContext, place: Place): Promise<SourcePlace> {
  const source = await readSource(ctx, place.path);
  const names = place.identifier === undefined ? wordsIn(source, place) : [checkWord(source, place, place.identifier)];
  return { source, place, names };
}

function wordsIn({ content, outline }: Source, { path, line }: Place): string[] {
  const text = linesWith(content, { path, line }).text(line);
  const declared = outline.symbols.filter((symbol) => symbol.line === line);
  const own = declared.toSorted((a, b) => a.nameStart - b.nameStart).map(({ name }) => name);
  return [...new Set([...own, ...(text.match(WORD) ?? [])])].slice(0, MOST_WORDS);
}

function checkWord({ content }: Source, { path, line }: Place, identifier: string): string {
  const lines = linesWith(content, { path, line });
  if (content.subarray(lines.startOf(line), lines.startOf(line + 1)).includes(identifier)) return identifier;
  throw new ToolError('invalid_args', `line ${line} of ${path} has no ${identifier}: ${lines.text(line).trim()}`, {
    suggestion: 'count lines from 1, or search the text of the file for it',
  });
}

/** Returns the lines of a content. Throws `invalid_args` if it does not have the line of the place. */
function linesWith(content: Buffer, { path, line }: Place): ContentLines {
  const lines = new ContentLines(content);
  if (line <= lines.count) return lines;
  throw new ToolError('invalid_args', `${path} has ${lines.count} lines, so that there is no line ${line}`, {
    suggestion: 'count lines from 1',
  });
}
