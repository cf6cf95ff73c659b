import { defineTool, type ToolOutput } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import type { SyntaxSymbol } from '@jinn/syntax';
import { commaAfter } from './edit/code-text.ts';
import { type CodeSplice, editSymbol, rejectShared } from './edit/edit-symbol.ts';

export const removeSymbol = defineTool({
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
      edit: ({ content, outline }, found) => {
        rejectShared(found);
        if (outline.language === 'c') rejectLastConstant(content, found);
        const gone = removal(content, found);
        const { language } = outline;
        if (language === 'bash') return withColon(content, found, gone);
        return language === 'python' ? withPass(content, found, gone) : gone;
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

const MOST_AROUND = 2_000;
const COMMENTS_OF_C = /\/\*[\s\S]*?\*\/|\/\/[^\n]*/g;

/** The parser accepts an enum of C without a constant, a compiler does not. */
function rejectLastConstant(content: Buffer, { kind, name, start, end }: SyntaxSymbol): void {
  if (kind !== 'enum_member') return;
  const around = [
    [Math.max(0, start - MOST_AROUND), start],
    [end, end + MOST_AROUND],
  ].map(([from, to]) => content.toString('latin1', from, to).replaceAll(COMMENTS_OF_C, ''));
  if (!/\{\s*$/.test(around[0] ?? '') || !/^[\s,]*\}/.test(around[1] ?? '')) return;
  throw new ToolError('invalid_args', `${name} is the only constant of its enum, which C does not allow to be empty`, {
    suggestion: 'remove the enum',
  });
}

function removal(content: Buffer, symbol: SyntaxSymbol): CodeSplice {
  const text = content.toString('latin1');
  const lineStart = text.lastIndexOf('\n', symbol.start - 1) + 1;
  const comma = commaAfter(content, symbol.end);
  const symbolEnd = Math.max(comma < 0 ? symbol.end : comma + 1, symbol.tailEnd);
  const tail = /^[ \t]*(?:\r?\n|$)/.exec(text.slice(symbolEnd, symbolEnd + 200));
  const isAlone = /^[ \t]*$/.test(text.slice(lineStart, symbol.start)) && tail !== null;
  if (!isAlone) {
    const isOnly = /[{([][ \t]+$/.test(text.slice(lineStart, symbol.start));
    const closing = isOnly ? /^[ \t]+(?=[})\]])/.exec(text.slice(symbolEnd, symbolEnd + 200)) : null;
    if (closing) {
      const start = text.slice(0, symbol.start).trimEnd().length;
      return { start, end: symbolEnd + closing[0].length, text: '' };
    }
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

const CODE = /^([ \t]*)[^\s#]/;

function withPass(content: Buffer, { start, end }: SyntaxSymbol, gone: CodeSplice): CodeSplice {
  const text = content.toString('latin1');
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const head = text.slice(lineStart, start);
  const indentAfter = text
    .slice(end)
    .split('\n')
    .slice(1)
    .flatMap((line) => CODE.exec(line)?.[1]?.length ?? [])[0];
  if (head.trim() !== '') {
    const isAlone = /:[ \t]*$/.test(head) && /^[ \t;]*(?:#.*)?\r?(?:\n|$)/.test(text.slice(end).split('\n')[0] ?? '');
    return isAlone ? { start, end, text: 'pass' } : gone;
  }
  const before = text.slice(0, lineStart).trimEnd().split('\n');
  const opener = before.findLast((line) => CODE.test(line)) ?? '';
  const isFirst = indentOf(opener) < head.length && /:\s*(?:#.*)?$/.test(opener);
  const isLast = (indentAfter ?? 0) < head.length;
  return isFirst && isLast ? { start, end, text: 'pass' } : gone;
}

/** The last word before the first command of a block of Bash, and the first after its last command. */
const BLOCK_OPENS = /(?:^|[\s;])(?:then|do|else|\{|\()$/;
const BLOCK_CLOSES = /^[\s;]*(?:(?:fi|done|else|elif)(?![\w-])|[})])/;
const SEMICOLON = 59;
const COMMENT_LINES = /^[ \t]*#.*(?:\n|$)/gm;

function withColon(content: Buffer, { start, end }: SyntaxSymbol, gone: CodeSplice): CodeSplice {
  const before = content.toString('latin1', 0, start).replaceAll(COMMENT_LINES, '').trimEnd();
  const after = content
    .toString('latin1', end)
    .replace(/^[ \t;]*#.*/, '')
    .replaceAll(COMMENT_LINES, '');
  if (!BLOCK_OPENS.test(before) || !BLOCK_CLOSES.test(after)) return gone;
  return { start, end, text: content[end - 1] === SEMICOLON ? ':;' : ':' };
}

function indentOf(line: string): number {
  return CODE.exec(line)?.[1]?.length ?? 0;
}
