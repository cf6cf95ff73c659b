import { defineTool, type ToolOutput } from '@jinn/core';
import type { SyntaxSymbol } from '@jinn/syntax';
import { commaAfter } from './commas.ts';
import { editSymbol, refuseShared, type Splice } from './edit-symbol.ts';
import { takesPath } from './path-aliases.ts';

const definition = defineTool({
  name: 'remove_symbol',
  effect: 'write',
  description: 'Remove a declaration with its doc comment and decorators. Its uses stay.',
  input: (z) =>
    z.strictObject({
      name_path: z.string().check(z.minLength(1), z.describe('As Outer/inner')),
      path: z.string().check(z.minLength(1), z.describe('File')),
      if_version: z.optional(z.string().check(z.describe('Only if the file still has this version'))),
    }),
  output: { type: 'object', properties: { status: { type: 'string' }, removed_lines: { type: 'string' } } },
  examples: [{ name_path: 'Store/clear', path: 'src/store.ts' }],

  async run(args, ctx): Promise<ToolOutput> {
    const { symbol, meta, told } = await editSymbol(ctx, args, {
      operation: 'remove_symbol',
      edit: ({ content }, found) => {
        refuseShared(found);
        return removal(content, found);
      },
    });
    const { startLine, endLine } = symbol;
    const data = {
      status: 'ok',
      removed_lines: `${startLine}-${endLine}`,
      line_count: endLine - startLine + 1,
      ...told,
    };
    return { data, meta };
  },
});

export const removeSymbol = takesPath(definition);

/** Whole lines where nothing else stands on them, and one of the blank lines around. */
function removal(content: Buffer, symbol: SyntaxSymbol): Splice {
  const text = content.toString('latin1');
  const lineStart = text.lastIndexOf('\n', symbol.start - 1) + 1;
  const comma = commaAfter(content, symbol.end);
  const symbolEnd = comma < 0 ? symbol.end : comma + 1;
  const tail = /^[ \t]*(?:\r?\n|$)/.exec(text.slice(symbolEnd, symbolEnd + 200));
  const isAlone = /^[ \t]*$/.test(text.slice(lineStart, symbol.start)) && tail !== null;
  if (!isAlone) {
    // In Python, a blank that stays in front of what follows would indent it.
    const isSeparated = /[,;]/.test(text[symbolEnd - 1] as string);
    const blanks = isSeparated ? /^[ \t]*/.exec(text.slice(symbolEnd, symbolEnd + 200)) : null;
    return { start: symbol.start, end: symbolEnd + (blanks?.[0].length ?? 0), text: '' };
  }
  const end = symbolEnd + tail[0].length;
  const before = text.slice(Math.max(0, lineStart - 200), lineStart);
  const isFirst = lineStart === 0 || /[{([:]\r?\n$/.test(before);
  const isAfterBlank = /(?:^|\n)[ \t]*\r?\n$/.test(before) && !isFirst;
  const blank = /^[ \t]*\r?\n/.exec(text.slice(end, end + 200));
  if (blank && (isAfterBlank || isFirst)) return { start: lineStart, end: end + blank[0].length, text: '' };
  const closes = /^[ \t]*(?:[)\]}]|$)/.test(text.slice(end, end + 200));
  if (isAfterBlank && closes)
    return { start: lineStart - (/[ \t]*\r?\n$/.exec(before)?.[0].length ?? 0), end, text: '' };
  return { start: lineStart, end, text: '' };
}
