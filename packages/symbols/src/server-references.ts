import { type ToolContext, ToolError } from '@jinn/core';
import { type Answer, type FoundLocation, findReferences, type LocationPage } from '@jinn/lsp';
import type { SyntaxSymbol } from '@jinn/syntax';
import { askServer, type NoAnswer } from './ask-server.ts';
import type { FoundReferences } from './find-references.ts';
import type { FoundUses } from './find-uses.ts';
import { ContentLines } from './lines.ts';
import type { Page } from './paging.ts';
import type { Source } from './read-source.ts';
import { wordOf } from './words.ts';

const MOST_LINE = 300;

export interface AskedReferences {
  readonly source: Source;
  readonly symbol: SyntaxSymbol;
  /** Where the syntax trees have the name. */
  readonly uses: FoundUses;
  readonly page: Page;
}

/**
 * Asks the language server where a symbol is used. An answer is not taken if it lacks the declaration that the syntax tree
 * has, if it names a range that is not an identifier, or if the server has not loaded the project.
 */
export async function askReferences(
  ctx: ToolContext,
  { source, symbol, uses, page }: AskedReferences,
): Promise<Answer<FoundReferences> | NoAnswer> {
  const lines = new ContentLines(source.content);
  const place = { line: symbol.line, character: lines.columnOf(symbol.nameStart) };
  const answer = await askServer(ctx, {
    about: source,
    alsoOpen: uses.files.map(({ path }) => path).filter((path) => path !== source.path),
    isProjectWide: true,
    run: async (view) => {
      const found = await findReferences(view, place, page);
      if (!found.hasPlace)
        throw suspicious(`does not name ${source.path}:${symbol.line}, where ${symbol.name} is declared`);
      return toReferences(found);
    },
  });
  if ('why' in answer || answer.incomplete.length === 0) return answer;
  const [why = ''] = answer.incomplete;
  return { why, error: new ToolError('timeout', why) };
}

function toReferences({ locations, total, perFile }: LocationPage): FoundReferences {
  return { references: locations.map(toReference), total, perFile };
}

function toReference(location: FoundLocation): FoundReferences['references'][number] {
  if ('outside' in location) return { file: location.outside, line: location.line, source: 'library' };
  const { path, range, text } = location;
  const { line, character } = range.start;
  if (wordOf(text, range) === undefined) {
    throw suspicious(`names a use at ${path}:${line}:${character}, where no identifier stands`);
  }
  return { file: path, line, column: character, context: text.trim().slice(0, MOST_LINE) };
}

function suspicious(what: string): ToolError {
  return new ToolError('lsp_error', `the language server ${what}`);
}
