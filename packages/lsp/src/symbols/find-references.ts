import { defineTool, type ToolContext, type ToolOutput } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { chooseSymbol, createOutlines, isOutline, namePathOf, type SyntaxSymbol, symbolAt } from '@jinn/syntax';
import { type FoundLocation, findAllReferences, findLocations, type LanguageAnswer } from '../index.ts';
import { type FoundUses, findUses, mentionedIn } from './find/find-uses.ts';
import {
  askServer,
  describeServer,
  describeTextual,
  isAnswered,
  type NoAnswer,
  type SourceDescription,
} from './server/ask-server.ts';
import { ContentLines, wordOf } from './show/content-lines.ts';
import { countFiles, overflowOf, type Page, toPage } from './show/paging.ts';
import { readSource, type Source } from './show/read-source.ts';

const MOST_LINE = 300;

export const findReferences = defineTool({
  name: 'find_references',
  effect: 'read',
  description: 'Find where a symbol is used in the project, or what implements it.',
  input: (z) =>
    z.strictObject({
      name_path: z.string().check(z.minLength(1), z.describe('As Outer/inner')),
      path: z.string().check(z.minLength(1), z.describe('File that declares it')),
      implementations: z.optional(
        z.boolean().check(z.describe('Find implementations instead, which needs a language server')),
      ),
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

  async run({ name_path, path, implementations, ...paging }, ctx): Promise<ToolOutput> {
    const source = await readSource(ctx, path);
    const symbol = chooseSymbol(source.outline, name_path, path);
    const page = toPage(paging);
    const asked = { source, symbol, uses: await findUses(ctx, symbol.name, source.outline), page };
    const found = await (implementations ? implementationsOf : referencesTo)(ctx, asked);
    const { total, perFile, from } = found;
    const references = await withSymbols(ctx, asked.uses, found.references);
    const hint = 'page through all with detail_level: "full" and offset';
    const overflow = overflowOf(page, { total, hint, perFile });
    return {
      data: { references, total, ...(overflow && { overflow }) },
      totalCount: total,
      ...(overflow && { truncated: true }),
      ...from,
    };
  },
});

interface AskedSymbol {
  readonly source: Source;
  readonly symbol: SyntaxSymbol;
  readonly uses: FoundUses;
  readonly page: Page;
}

type DescribedReferences = FoundReferences & { readonly from: SourceDescription };

/** Finds the uses of a symbol, its declaration among them: by a language server or else by the name. */
export async function referencesTo(ctx: ToolContext, asked: AskedSymbol): Promise<DescribedReferences> {
  const { symbol, uses, page } = asked;
  const answer = await askReferences(ctx, asked);
  if (isAnswered(answer)) return { ...answer.value, from: describeServer(answer) };
  return { ...toReferences(uses, page), from: describeTextual(symbol.name, answer.why, uses.warnings) };
}

async function implementationsOf(ctx: ToolContext, { source, symbol, uses, page }: AskedSymbol) {
  const answer = await askServer(ctx, {
    about: source,
    mentioned: mentionedIn(uses, symbol.name, source.path),
    run: async (view) =>
      (await findLocations(view, 'implementation', placeOf(source, symbol))).map((location) => toReference(location)),
    reported: (found) => found.map(({ file }) => file),
  });
  if (!isAnswered(answer)) throw answer.error;
  const { value } = answer;
  const references = value.slice(page.offset, page.offset + page.limit);
  const perFile = countFiles(value.map(({ file }) => file));
  return { references, total: value.length, perFile, from: describeServer(answer) };
}

function placeOf({ content }: Source, { line, nameStart }: SyntaxSymbol) {
  return { line, character: new ContentLines(content).columnOf(nameStart) };
}

interface ShownReference {
  readonly file: string;
  readonly line: number;
  readonly column?: number;
  readonly context?: string;
  readonly in?: string;
  readonly source?: 'library';
}

interface FoundReferences {
  readonly references: readonly ShownReference[];
  readonly total: number;
  readonly perFile: ReadonlyMap<string, number>;
}

async function withSymbols(
  { session }: ToolContext,
  { files }: FoundUses,
  references: readonly ShownReference[],
): Promise<readonly ShownReference[]> {
  const outlines = session.use(createOutlines);
  const byPath = new Map(files.map((file) => [file.path, file]));
  const named: ShownReference[] = [];
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

/**
 * Rejects an answer without the declaration of the syntax tree, with a range that is no identifier, or from before the
 * project was loaded.
 */
async function askReferences(
  ctx: ToolContext,
  { source, symbol, uses, page }: AskedSymbol,
): Promise<LanguageAnswer<FoundReferences> | NoAnswer> {
  const place = placeOf(source, symbol);
  const answer = await askServer(ctx, {
    about: source,
    mentioned: mentionedIn(uses, symbol.name, source.path),
    run: async (view) => {
      const found = await findAllReferences(view, place, page);
      if (!found.hasPlace)
        throw suspiciousError(`does not name ${source.path}:${symbol.line}, where ${symbol.name} is declared`);
      return { references: found.locations.map(toReference), total: found.total, perFile: found.perFile };
    },
    reported: ({ perFile }) => perFile.keys(),
  });
  if ('why' in answer || answer.incomplete.length === 0) return answer;
  const [why = ''] = answer.incomplete;
  return { why, error: new ToolError('timeout', why) };
}

function toReference(location: FoundLocation): ShownReference {
  if ('outside' in location) return { file: location.outside, line: location.line, source: 'library' };
  const { path, range, text } = location;
  const { line, character } = range.start;
  if (wordOf(text, range) === undefined) {
    throw suspiciousError(`names a use at ${path}:${line}:${character}, where no identifier is`);
  }
  return { file: path, line, column: character, context: text.trim().slice(0, MOST_LINE) };
}

function suspiciousError(what: string): ToolError {
  return new ToolError('lsp_error', `the language server ${what}`);
}
