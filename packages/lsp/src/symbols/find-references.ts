import { defineTool, type ToolContext, type ToolOutput } from '@jinn/core';
import { chooseSymbol, createOutlines, isOutline, namePathOf, symbolAt } from '@jinn/syntax';
import { type FoundUses, findUses } from './find/find-uses.ts';
import { isAnswer } from './server/ask-server.ts';
import { askReferences } from './server/server-references.ts';
import { ContentLines } from './show/content-lines.ts';
import { describeServer, describeTextual } from './show/describe-source.ts';
import { countFiles, overflowOf, type Page, toPage } from './show/paging.ts';
import { readSource } from './show/read-source.ts';

export const findReferences = defineTool({
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
    const { references: places, total, perFile } = isAnswer(asked) ? asked.value : toReferences(uses, page);
    const references = await withSymbols(ctx, uses, places);
    const hint = 'page through all with detail_level: "full" and offset';
    const overflow = overflowOf(page, { total, hint, perFile });
    return {
      data: { references, total, ...(overflow && { overflow }) },
      totalCount: total,
      ...(overflow && { truncated: true }),
      ...(isAnswer(asked) ? describeServer(asked) : describeTextual(symbol.name, asked.why, uses.warnings)),
    };
  },
});

/** Some of the uses of a symbol, in the order of files and lines. */
export interface FoundReferences {
  readonly references: readonly {
    readonly file: string;
    readonly line: number;
    readonly column?: number;
    readonly context?: string;
    /** The name path of the symbol around it. */
    readonly in?: string;
    /** Set for a use outside of the workspace, of which only a name and a line are shown. */
    readonly source?: 'library';
  }[];
  readonly total: number;
  readonly perFile: ReadonlyMap<string, number>;
}

async function withSymbols(
  { session }: ToolContext,
  { files }: FoundUses,
  references: FoundReferences['references'],
): Promise<FoundReferences['references']> {
  const outlines = session.use(createOutlines);
  const byPath = new Map(files.map((file) => [file.path, file]));
  const named: FoundReferences['references'][number][] = [];
  for (const reference of references) {
    const file = byPath.get(reference.file);
    const outline = file && (await outlines.read(file));
    const byte = file && new ContentLines(file.content).byteOf(reference.line, reference.column ?? 1);
    const around = outline && isOutline(outline) && byte !== undefined ? symbolAt(outline, byte) : undefined;
    const isOwn = around !== undefined && around.nameStart === byte;
    named.push(
      around && !isOwn && outline && isOutline(outline) ? { ...reference, in: namePathOf(outline, around) } : reference,
    );
  }
  return named;
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
