import type { ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import type { SyntaxSymbol } from '@jinn/syntax';
import { type Answer, type FoundLocation, findReferences, type LocationPage } from '../../index.ts';
import { type FoundUses, mentionedIn } from '../find/find-uses.ts';
import { wordOf } from '../find/words.ts';
import type { FoundReferences } from '../find-references.ts';
import { ContentLines } from '../show/content-lines.ts';
import type { Page } from '../show/paging.ts';
import type { Source } from '../show/read-source.ts';
import { askServer, type NoAnswer } from './ask-server.ts';

const MOST_LINE = 300;

export interface AskedReferences {
  readonly source: Source;
  readonly symbol: SyntaxSymbol;
  /** The places of the name in the syntax trees. */
  readonly uses: FoundUses;
  readonly page: Page;
}

/**
 * Asks the language server for the uses of a symbol. An answer is not accepted if it lacks the declaration that the
 * syntax tree has, if it has a range that is not an identifier, or if the server has not loaded the project.
 */
export async function askReferences(
  ctx: ToolContext,
  { source, symbol, uses, page }: AskedReferences,
): Promise<Answer<FoundReferences> | NoAnswer> {
  const lines = new ContentLines(source.content);
  const place = { line: symbol.line, character: lines.columnOf(symbol.nameStart) };
  const answer = await askServer(ctx, {
    about: source,
    mentioned: mentionedIn(uses, symbol.name, source.path),
    run: async (view) => {
      const found = await findReferences(view, place, page);
      if (!found.hasPlace)
        throw suspiciousError(`does not name ${source.path}:${symbol.line}, where ${symbol.name} is declared`);
      return toReferences(found);
    },
    reported: ({ perFile }) => perFile.keys(),
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
    throw suspiciousError(`names a use at ${path}:${line}:${character}, where no identifier stands`);
  }
  return { file: path, line, column: character, context: text.trim().slice(0, MOST_LINE) };
}

function suspiciousError(what: string): ToolError {
  return new ToolError('lsp_error', `the language server ${what}`);
}
