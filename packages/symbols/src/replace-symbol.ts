import { defineTool, ToolError, type ToolOutput } from '@jinn/core';
import type { Outline, SyntaxSymbol } from '@jinn/syntax';
import { editSymbol, refuseShared, type Splice } from './edit-symbol.ts';
import { reindent, withLineEnds } from './reindent.ts';
import { indentBefore } from './show-symbol.ts';

export const replaceSymbol = defineTool({
  name: 'replace_symbol',
  effect: 'write',
  description: 'Replace a whole declaration: doc comment, decorators, signature and body.',
  input: (z) =>
    z.strictObject({
      name_path: z.string().check(z.minLength(1), z.describe('As Outer/inner; Outer/inner[1] is the second of two')),
      path: z.string().check(z.minLength(1), z.describe('File')),
      new_body: z.string().check(z.minLength(1), z.describe('The whole new declaration')),
      if_version: z.optional(z.string().check(z.describe('Only if the file still has this version'))),
    }),
  output: { type: 'object', properties: { status: { type: 'string' }, replaced_lines: { type: 'string' } } },
  examples: [
    { name_path: 'Store/add', path: 'src/store.ts', new_body: 'add(item: Item): void {\n  this.items.push(item);\n}' },
  ],

  async run({ new_body, ...args }, ctx): Promise<ToolOutput> {
    let losesDoc = false;
    const { symbol, meta, told } = await editSymbol(ctx, args, {
      operation: 'replace_symbol',
      edit: ({ content }, found) => {
        refuseShared(found);
        const text = reindent(new_body, indentBefore(content, found.start));
        return isSame(content, found, text)
          ? keep(found)
          : { start: found.start, end: found.end, text: withLineEnds(text, content) };
      },
      check: (after, { symbol: before, splice }) => {
        if (splice.text === '') return;
        const now = declaredIn(after, before, splice);
        if (!now) throw lostDefinition(before);
        losesDoc = before.doc !== undefined && now.doc === undefined;
      },
    });
    return {
      data: { status: 'ok', replaced_lines: `${symbol.startLine}-${symbol.endLine}`, ...told },
      meta,
      warnings: losesDoc ? [`the doc comment of ${symbol.path} is gone, since new_body has none`] : [],
    };
  },
});

/** True if a text differs from that of a symbol in line ends at most. */
function isSame(content: Buffer, { start, end }: SyntaxSymbol, text: string): boolean {
  return content.toString('utf8', start, end).replace(/\r\n?/g, '\n') === text;
}

function keep({ end }: SyntaxSymbol): Splice {
  return { start: end, end, text: '' };
}

/** The symbol of the same path in what was put there. */
function declaredIn({ symbols }: Outline, { path }: SyntaxSymbol, { start, text }: Splice): SyntaxSymbol | undefined {
  const end = start + Buffer.byteLength(text);
  return symbols.find((symbol) => symbol.path === path && symbol.start >= start && symbol.end <= end);
}

function lostDefinition({ path, name }: SyntaxSymbol): ToolError {
  return new ToolError(
    'invalid_args',
    `new_body does not declare ${name}, so that ${path} would be lost; nothing was changed`,
    {
      suggestion: 'give the whole declaration with its first line; rename_symbol gives it another name',
    },
  );
}
