import { defineTool, type ToolContext, type ToolOutput } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { chooseSymbol, type SyntaxSymbol } from '@jinn/syntax';
import { commaAfter } from './edit/code-text.ts';
import { type CodeSplice, editSymbol, rejectShared } from './edit/edit-symbol.ts';
import { findUses } from './find/find-uses.ts';
import { DATA } from './find/scope.ts';
import { referencesTo } from './find-references.ts';
import { readSource } from './show/read-source.ts';

export const removeSymbol = defineTool({
  name: 'remove_symbol',
  effect: 'write',
  description: 'Remove a declaration with its doc comment and decorators. Its uses stay, and are named.',
  input: (z) =>
    z.strictObject({
      name_path: z.string().check(z.minLength(1), z.describe('As Outer/inner')),
      path: z.string().check(z.minLength(1), z.describe('File')),
      only_if_unused: z.optional(z.boolean().check(z.describe('Change nothing if it is used'))),
      if_version: z.optional(z.string().check(z.describe('Only if the file still has this version'))),
    }),
  output: {
    type: 'object',
    properties: {
      status: { type: 'string' },
      removed_lines: { type: 'string' },
      remaining_uses: { type: 'integer' },
      used_at: { type: 'array' },
    },
  },
  examples: [{ name_path: 'Store/clear', path: 'src/store.ts' }],

  async run({ only_if_unused: onlyIfUnused, ...args }, ctx): Promise<ToolOutput> {
    const uses = await usesLeft(ctx, args);
    if (onlyIfUnused) rejectUsed(args.name_path, uses);
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
      ...(uses && { remaining_uses: uses.count }),
      ...(uses && uses.count > 0 && { used_at: uses.places }),
      ...told,
    };
    return { data, meta: { ...uses?.from.meta, ...meta }, warnings: uses && uses.count > 0 ? uses.from.warnings : [] };
  },
});

const MOST_USES = 500;
const MOST_NAMED = 20;

/** The uses of a symbol outside of it. Undefined for keys and headings, whose uses are not known. */
async function usesLeft(ctx: ToolContext, { path, name_path }: { path: string; name_path: string }) {
  const source = await readSource(ctx, path);
  if (DATA.has(source.outline.language)) return undefined;
  const symbol = chooseSymbol(source.outline, name_path, path);
  const page = { offset: 0, limit: MOST_USES, isFocused: true };
  const uses = await findUses(ctx, symbol.name, source.outline);
  const { references, total, from } = await referencesTo(ctx, { source, symbol, uses, page });
  const { startLine, endLine } = symbol;
  const others = references.filter(({ file, line }) => file !== source.path || line < startLine || line > endLine);
  const places = others.slice(0, MOST_NAMED).map(({ file, line }) => `${file}:${line}`);
  return { count: total - references.length + others.length, places, from };
}

function rejectUsed(name: string, uses: Awaited<ReturnType<typeof usesLeft>>): void {
  if (uses?.count === 0) return;
  const places = uses?.places.join(', ');
  const what = uses ? `has ${uses.count} uses (${places})` : 'is not of code, so that its uses are not known';
  throw new ToolError('invalid_args', `${name} ${what} (nothing was changed)`, {
    suggestion: [...(uses?.from.warnings ?? []), 'leave only_if_unused out to remove it all the same'].join('. '),
  });
}

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
