import { defineTool, type ToolOutput } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import type { SyntaxSymbol } from '@jinn/syntax';
import { commaAfter, reindent, splitComment, withLineEnds } from './edit/code-text.ts';
import { type CodeSplice, editSymbol, rejectShared } from './edit/edit-symbol.ts';
import { indentBefore } from './show/show-symbol.ts';

const MOST_LOST = 5;

export const replaceSymbol = defineTool({
  name: 'replace_symbol',
  effect: 'write',
  description: 'Replace a whole declaration: doc comment, decorators, signature and body.',
  input: (z) =>
    z.strictObject({
      name_path: z.string().check(z.minLength(1), z.describe('Outer/inner, or Outer/inner[1] for the second of two')),
      path: z.string().check(z.minLength(1), z.describe('File')),
      new_body: z.string().check(z.minLength(1), z.describe('The whole new declaration')),
      if_version: z.optional(z.string().check(z.describe('Only if the file still has this version'))),
    }),
  output: { type: 'object', properties: { status: { type: 'string' }, replaced_lines: { type: 'string' } } },
  examples: [
    {
      name_path: 'Store/add',
      path: 'src/store.ts',
      new_body: 'add(item: Item): void {\n  this.items.push(item);\n}',
    },
  ],

  async run({ new_body, ...args }, ctx): Promise<ToolOutput> {
    let lost: readonly string[] = [];
    const { symbol, meta, told } = await editSymbol(ctx, args, {
      operation: 'replace_symbol',
      code: new_body,
      edit: ({ content }, found, fixed) => {
        rejectShared(found);
        const splice = oneComma(content, found, reindent(new_body, indentBefore(content, found.start), fixed));
        const { start, end } = splice;
        // Line ends do not count.
        const isSame = content.toString('utf8', start, end).replace(/\r\n?/g, '\n') === splice.text;
        return isSame
          ? { start: found.end, end: found.end, text: '' }
          : { ...splice, text: withLineEnds(splice.text, content) };
      },
      check: (after, { symbol: old, splice: { start, text }, content }) => {
        if (text === '') return;
        const end = start + Buffer.byteLength(text);
        const now = after.outline.symbols.find((one) => one.path === old.path && one.start >= start && one.end <= end);
        if (!now) throw lostDefinition(old);
        lost = lostOf({ content, symbol: old }, { content: after.content, symbol: now });
      },
    });
    return {
      data: { status: 'ok', replaced_lines: `${symbol.startLine}-${symbol.endLine}`, ...told },
      meta,
      warnings: lost,
    };
  },
});

function oneComma(content: Buffer, { start, end, tailEnd }: SyntaxSymbol, text: string): CodeSplice {
  const comma = commaAfter(content, end);
  const { code, comment } = splitComment(text);
  if (comma < 0 || (comma >= tailEnd && tailEnd > end)) return { start, end: comment === '' ? end : tailEnd, text };
  const bare = code.replace(/,$/, '');
  const between = content.toString('utf8', end, comma);
  // A line comment would hide the comma on its line.
  return comment === '' || between.includes('\n')
    ? { start, end, text: bare + comment }
    : { start, end: Math.max(comma + 1, tailEnd), text: `${bare}${between},${comment}` };
}

interface Version {
  readonly content: Buffer;
  readonly symbol: SyntaxSymbol;
}

function lostOf(before: Version, after: Version): string[] {
  const { path } = before.symbol;
  const left = new Set(linesAbove(after));
  const above = linesAbove(before).filter((line) => !left.has(line));
  const losesDoc = before.symbol.doc !== undefined && after.symbol.doc === undefined;
  return [
    ...(losesDoc ? [`the doc comment of ${path} is gone, since new_body has none`] : []),
    ...(above.length > 0
      ? [
          `the lines above ${path} are gone, because new_body does not have them: ${above.slice(0, MOST_LOST).join(' ')}`,
        ]
      : []),
  ];
}

function linesAbove({ content, symbol: { start, signatureStart, doc } }: Version): string[] {
  const inLead = doc !== undefined && doc.start >= start && doc.end <= signatureStart;
  const parts: (readonly [number, number])[] = inLead
    ? [
        [start, doc.start],
        [doc.end, signatureStart],
      ]
    : [[start, signatureStart]];
  return parts
    .flatMap(([from, to]) => content.toString('utf8', from, to).split('\n'))
    .map((line) => line.trim())
    .filter(Boolean);
}

function lostDefinition({ path, name }: SyntaxSymbol): ToolError {
  const message = `new_body does not declare ${name}, so that ${path} would be lost (nothing was changed)`;
  return new ToolError('invalid_args', message, {
    suggestion: 'give the whole declaration with its first line. rename_symbol gives it another name',
  });
}
