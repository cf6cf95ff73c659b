import { defineTool, type ToolOutput } from '@jinn/core';
import { chooseSymbol } from '@jinn/syntax';
import { isAnswer } from './ask-server.ts';
import { type FoundUses, findUses } from './find-uses.ts';
import { ContentLines } from './lines.ts';
import { countFiles, overflowOf, type Page, toPage } from './paging.ts';
import { takesPath } from './path-aliases.ts';
import { readSource } from './read-source.ts';
import { askReferences } from './server-references.ts';
import { tellServer, tellTextual } from './tell-source.ts';

const definition = defineTool({
  name: 'find_references',
  effect: 'read',
  description: 'Find where a symbol is used in the project.',
  input: (z) =>
    z.strictObject({
      name_path: z.string().check(z.minLength(1), z.describe('As Outer/inner')),
      path: z.string().check(z.minLength(1), z.describe('File that declares it')),
      detail_level: z.optional(z.string().check(z.describe('Set to "full" to page through all'))),
      offset: z.optional(z.int().check(z.minimum(0), z.describe('Results to skip'))),
      limit: z.optional(z.int().check(z.minimum(0), z.describe('The most results'))),
    }),
  output: {
    type: 'object',
    properties: { references: { type: 'array' }, total: { type: 'integer' }, overflow: { type: 'object' } },
    required: ['references', 'total'],
  },
  examples: [{ name_path: 'Store/add', path: 'src/store.ts' }],

  async run({ name_path, path, ...paging }, ctx): Promise<ToolOutput> {
    const source = await readSource(ctx, path);
    const symbol = chooseSymbol(source.outline, name_path, path);
    const page = toPage(paging);
    const uses = await findUses(ctx, symbol.name, source.outline);
    const asked = await askReferences(ctx, { source, symbol, uses, page });
    const { references, total, perFile } = isAnswer(asked) ? asked.value : toReferences(uses, page);
    const hint = 'page through all with detail_level: "full" and offset';
    const overflow = overflowOf(page, { total, hint, perFile });
    return {
      data: { references, total, ...(overflow && { overflow }) },
      totalCount: total,
      ...(overflow && { truncated: true }),
      ...(isAnswer(asked) ? tellServer(asked) : tellTextual(symbol.name, asked.why, uses.warnings)),
    };
  },
});

export const findReferences = takesPath(definition);

/** Some of the uses of a symbol, in the order of files and lines. */
export interface FoundReferences {
  readonly references: readonly {
    readonly file: string;
    readonly line: number;
    readonly column?: number;
    readonly context?: string;
    /** For a use outside of the workspace, of which only a name and a line are shown. */
    readonly source?: 'library';
  }[];
  readonly total: number;
  readonly perFile: ReadonlyMap<string, number>;
}

function toReferences({ files }: FoundUses, { offset, limit }: Page): FoundReferences {
  const all = files.flatMap((file) => file.ranges.map((range) => ({ file, range })));
  const lines = new Map<object, ContentLines>();
  const references = all.slice(offset, offset + limit).map(({ file, range }) => {
    const known = lines.get(file) ?? new ContentLines(file.content);
    lines.set(file, known);
    const line = known.lineOf(range.start);
    return { file: file.path, line, column: known.columnOf(range.start), context: known.text(line).trim() };
  });
  return { references, total: all.length, perFile: countFiles(all.map(({ file }) => file.path)) };
}
