import type { ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { isDamaged, type SyntaxSymbol } from '@jinn/syntax';
import { findSymbols, flattenSymbols } from '../../index.ts';
import { ContentLines } from '../show/content-lines.ts';
import type { Source } from '../show/read-source.ts';
import { askServer, isAnswer } from './ask-server.ts';

const SEMICOLON = 59;

/**
 * Returns a symbol with a reliable extent: if the syntax tree has errors, that of the language server. Throws
 * `invalid_args` if there is none.
 */
export async function findExtent(ctx: ToolContext, source: Source, symbol: SyntaxSymbol): Promise<SyntaxSymbol> {
  const { content, outline, path } = source;
  if (!isDamaged(outline, symbol, content)) return symbol;
  const lines = new ContentLines(content);
  const asked = await askServer(ctx, {
    about: source,
    run: async (view) => flattenSymbols(await findSymbols(view)),
  });
  const character = lines.columnOf(symbol.nameStart);
  const found = (isAnswer(asked) ? asked.value : []).find(
    ({ isWhole, nameRange: { start } }) => isWhole && start.line === symbol.line && start.character === character,
  );
  if (!found) throw unknownExtent(symbol, path);
  const { start, end } = found.range;
  const last = lines.byteOf(end.line, end.character);
  const behind = content[last] === SEMICOLON ? last + 1 : last;
  return {
    ...symbol,
    start: Math.min(symbol.start, lines.byteOf(start.line, start.character)),
    end: behind,
    tailEnd: behind,
    startLine: Math.min(symbol.startLine, start.line),
    endLine: end.line,
  };
}

function unknownExtent({ path: name, startLine, endLine }: SyntaxSymbol, path: string): ToolError {
  const lines = startLine === endLine ? `line ${startLine}` : `lines ${startLine}-${endLine}`;
  return new ToolError(
    'invalid_args',
    `the syntax tree of ${path} has errors at ${name} (${lines}), so that it is not known where it ends; nothing was changed`,
    { suggestion: 'change it as text, with edit_file' },
  );
}
