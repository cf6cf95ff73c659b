import { defineTool, type ToolOutput } from '@jinn/core';
import type { SyntaxSymbol } from '@jinn/syntax';
import { editSymbol, type Splice } from './edit-symbol.ts';
import { ContentLines } from './lines.ts';
import { reindent, withLineEnds } from './reindent.ts';
import { indentBefore } from './show-symbol.ts';

/** What may follow a declaration on its last line and belongs to it: a separator, and a comment. */
const TAIL = /^[ \t]*[;,]?[ \t]*(?:(?:\/\/|#|--|\/\*(?!.*\*\/.*\S)).*)?$/;

export const insertCode = defineTool({
  name: 'insert_code',
  effect: 'write',
  description: 'Insert code before or after a declaration, at its indentation.',
  input: (z) =>
    z.strictObject({
      name_path: z.string().check(z.minLength(1), z.describe('As Outer/inner')),
      path: z.string().check(z.minLength(1), z.describe('File')),
      code: z.string().check(z.minLength(1), z.describe('Code to insert')),
      position: z._default(z.enum(['before', 'after']).check(z.describe('On which side')), 'after'),
      if_version: z.optional(z.string().check(z.describe('Only if the file still has this version'))),
    }),
  output: { type: 'object', properties: { status: { type: 'string' }, inserted_at_line: { type: 'integer' } } },
  examples: [{ name_path: 'Store/add', path: 'src/store.ts', code: 'clear(): void {\n  this.items = [];\n}' }],

  async run({ code, position, ...args }, ctx): Promise<ToolOutput> {
    const { splice, content, meta, told } = await editSymbol(ctx, args, {
      operation: 'insert_code',
      edit: ({ content: before }, symbol) =>
        position === 'before' ? insertBefore(before, symbol, code) : insertAfter(before, symbol, code),
    });
    const blanks = /^\s*/.exec(splice.text)?.[0] ?? '';
    const line = new ContentLines(content).lineOf(splice.start) + blanks.split('\n').length - 1;
    return { data: { status: 'ok', inserted_at_line: line, position, ...told }, meta };
  },
});

/** Above the doc comment and the decorators. */
function insertBefore(content: Buffer, symbol: SyntaxSymbol, code: string): Splice {
  const { start } = symbol;
  const indent = indentBefore(content, start);
  const text = `${reindent(code, indent)}${gapBetween(code, symbol)}${indent}`;
  return { start, end: start, text: withLineEnds(text, content) };
}

function insertAfter(content: Buffer, symbol: SyntaxSymbol, code: string): Splice {
  const indent = indentBefore(content, symbol.start);
  const at = endWithTail(content, symbol.end);
  const gap = gapBetween(code, symbol);
  const rest = content.subarray(at, nextLine(content, nextLine(content, at)));
  // A blank line behind it too, unless there is one, or the block ends.
  const needsGap = gap.length > 1 && /^\r?\n[ \t]*[^\s)\]}]/.test(rest.toString('latin1'));
  const isMidLine = /^[ \t]*[^\s]/.test(rest.toString('latin1'));
  const text = `${gap}${indent}${reindent(code, indent)}${isMidLine ? `\n${indent}` : needsGap ? '\n' : ''}`;
  return { start: at, end: at, text: withLineEnds(text, content) };
}

/** One blank line is kept between declarations, but none between those of one line. */
function gapBetween(code: string, { startLine, endLine }: SyntaxSymbol): string {
  return startLine === endLine && !code.trim().includes('\n') ? '\n' : '\n\n';
}

/** The end of a declaration with the separator and the comment behind it. */
function endWithTail(content: Buffer, end: number): number {
  const lineEnd = nextLine(content, end);
  const tail = content.toString('latin1', end, lineEnd).replace(/\r?\n$/, '');
  if (TAIL.test(tail)) return end + tail.trimEnd().length;
  return /^[;,]/.test(tail) ? end + 1 : end;
}

function nextLine(content: Buffer, from: number): number {
  const newline = content.indexOf(10, from);
  return newline < 0 ? content.length : newline + 1;
}
