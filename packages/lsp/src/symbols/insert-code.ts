import { defineTool, type ToolOutput } from '@jinn/core';
import type { SyntaxSymbol } from '@jinn/syntax';
import { commaAfter, reindent, withComma, withLineEnds } from './edit/code-text.ts';
import { type CodeSplice, editSymbol } from './edit/edit-symbol.ts';
import { ContentLines } from './show/content-lines.ts';
import type { Source } from './show/read-source.ts';
import { indentBefore } from './show/show-symbol.ts';

/** The text after a declaration on its last line that belongs to it: a separator. */
const TAIL = /^[ \t]*[;,]?[ \t]*$/;
const MOST_BLANKS = 200;
const NONE: ReadonlySet<number> = new Set();

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
      code,
      edit: (source, symbol, fixed = NONE) => {
        const isListed = isInList(source, symbol);
        return position === 'before'
          ? insertBefore(source.content, symbol, { code, fixed, isListed })
          : insertAfter(source.content, symbol, { code, fixed, isListed });
      },
    });
    const blanks = /^,?\s*/.exec(splice.text)?.[0] ?? '';
    const line = new ContentLines(content).lineOf(splice.start) + blanks.split('\n').length - 1;
    return { data: { status: 'ok', inserted_at_line: line, position, ...told }, meta };
  },
});

interface InsertedCode {
  readonly code: string;
  /** Lines of the splice, from 0, that start within a string. */
  readonly fixed: ReadonlySet<number>;
  /** True if commas stand between the declaration and those next to it. */
  readonly isListed: boolean;
}

function insertBefore(content: Buffer, symbol: SyntaxSymbol, { code, fixed, isListed }: InsertedCode): CodeSplice {
  const { start } = symbol;
  const indent = indentBefore(content, start);
  const placed = reindent(code, indent, fixed);
  const text = `${isListed ? withComma(placed) : placed}${gapBetween(code, symbol)}${indent}`;
  return { start, end: start, text: withLineEnds(text, content) };
}

function insertAfter(content: Buffer, symbol: SyntaxSymbol, { code, fixed, isListed }: InsertedCode): CodeSplice {
  const indent = indentBefore(content, symbol.start);
  const gap = gapBetween(code, symbol);
  const placed = reindent(code, indent, new Set([...fixed].map((line) => line - gap.length)));
  const comma = isListed ? commaAfter(content, symbol.end) : -1;
  if (isListed && comma < 0) return insertLast(content, symbol, `${gap}${indent}${placed}`);
  const at = Math.max(endWithTail(content, comma < 0 ? symbol.end : comma + 1), symbol.tailEnd);
  const rest = content.subarray(at, nextLine(content, nextLine(content, at)));
  // A blank line after it too, unless there is one, or the block ends.
  const needsGap = gap.length > 1 && /^\r?\n[ \t]*[^\s)\]}]/.test(rest.toString('latin1'));
  const isMidLine = /^[ \t]*[^\s]/.test(rest.toString('latin1'));
  const added =
    isListed && !/^\s*[)\]}]/.test(content.toString('latin1', at, at + MOST_BLANKS)) ? withComma(placed) : placed;
  const text = `${gap}${indent}${added}${isMidLine ? `\n${indent}` : needsGap ? '\n' : ''}`;
  return { start: at, end: at, text: withLineEnds(text, content) };
}

function insertLast(content: Buffer, symbol: SyntaxSymbol, text: string): CodeSplice {
  const { end, tailEnd } = symbol;
  const tail = content.toString('utf8', end, tailEnd);
  return { start: end, end: tailEnd, text: withLineEnds(`,${tail}${text}`, content) };
}

function isInList({ content, outline }: Source, symbol: SyntaxSymbol): boolean {
  if (symbol.shared) return false;
  if (commaAfter(content, symbol.end) >= 0) return true;
  const beside = outline.symbols.filter(({ parent, end }) => parent === symbol.parent && end <= symbol.start);
  const last = beside.at(-1);
  return last !== undefined && commaAfter(content, last.end) >= 0;
}

function gapBetween(code: string, { startLine, endLine }: SyntaxSymbol): string {
  return startLine === endLine && !code.trim().includes('\n') ? '\n' : '\n\n';
}

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
