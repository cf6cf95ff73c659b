import { defineTool, type ToolContext, type ToolOutput } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { findSymbols, namePathOf, type Outline, type SymbolKind, type SyntaxSymbol, toNamePath } from '@jinn/syntax';
import { type FoundDeclarations, findDeclarations } from './find/find-declarations.ts';
import { toTreeScope } from './find/scope.ts';
import { trigramsOf } from './find/source-index.ts';
import { countFiles, overflowOf, toPage } from './show/paging.ts';
import { isFilePath, readSource, type Source } from './show/read-source.ts';
import { gapsIn, type ShownSymbol, showSymbol } from './show/show-symbol.ts';

const MOST_BODIES = 5;
const MOST_SYMBOLS = 500;
const MOST_HINTED = 3;
/** The most files of which it is said that they may declare more. */
const MOST_GAPS = 10;

const KINDS: Readonly<Record<string, readonly SymbolKind[]>> = {
  function: ['function', 'method', 'constructor'],
  class: ['class'],
  struct: ['struct', 'union'],
  interface: ['interface', 'trait'],
  type: ['type'],
  enum: ['enum'],
  module: ['module', 'namespace'],
  constant: ['constant', 'variable'],
};

export const findSymbol = defineTool({
  name: 'find_symbol',
  effect: 'read',
  description:
    'Find where something is declared, by a part of its name or by its name path, in the whole project or below path.',
  input: (z) => {
    const kind = z.enum(Object.keys(KINDS) as [string, ...string[]]);
    return z.strictObject({
      pattern: z.optional(z.string().check(z.minLength(1), z.describe('Part of the name or name path, in any case'))),
      name_path: z.optional(z.string().check(z.minLength(1), z.describe('Exact name or name path, as Outer/inner'))),
      path: z._default(z.string().check(z.minLength(1), z.describe('File, directory or glob')), '.'),
      kind: z.optional(z.union([kind, z.array(kind)]).check(z.describe('Only symbols of this kind, or of these'))),
      include_body: z.optional(z.boolean().check(z.describe('With source text (of 5)'))),
      include_docs: z.optional(z.boolean().check(z.describe('With doc lines'))),
      depth: z._default(z.int().check(z.minimum(0), z.describe('Levels of members')), 0),
      detail_level: z.optional(z.string().check(z.describe('Set to "full" to page through all, with bodies'))),
      offset: z.optional(z.int().check(z.minimum(0), z.describe('Results to skip'))),
      limit: z.optional(z.int().check(z.minimum(0), z.describe('The most results'))),
    });
  },
  output: {
    type: 'object',
    properties: {
      symbols: { type: 'array' },
      total: { type: 'integer' },
      hint: { type: 'string' },
      overflow: { type: 'object' },
    },
    required: ['symbols', 'total'],
  },
  examples: [
    { pattern: 'parse' },
    { name_path: 'Store/add', include_body: true },
    { pattern: 'Config', kind: 'class', path: 'src' },
  ],

  async run(args, ctx): Promise<ToolOutput> {
    const page = toPage(args);
    const { declarations, warnings } = await search(ctx, args);
    const shown = declarations.slice(page.offset, page.offset + page.limit);
    const withBody = args.include_body ?? page.isFocused;
    const symbols = await showAll(ctx, shown, { depth: args.depth, withBody, withDocs: args.include_docs });
    const total = declarations.length;
    const files = declarations.map(({ file }) => file);
    const hint = 'narrow it with path or kind, or page through all with detail_level: "full" and offset';
    const overflow = overflowOf(page, { total, hint, perFile: countFiles(files) });
    const missed = total === 0 ? await hintAt(ctx, args) : undefined;
    return {
      data: { symbols, total, ...(missed !== undefined && { hint: missed }), ...(overflow && { overflow }) },
      totalCount: total,
      ...(overflow && { truncated: true }),
      warnings,
    };
  },
});

interface Args {
  readonly pattern?: string | undefined;
  readonly name_path?: string | undefined;
  readonly path: string;
  readonly kind?: string | readonly string[] | undefined;
}

interface SymbolHit {
  readonly file: string;
  readonly path: string;
  readonly overload: number;
  /** 0 if it has the name that was asked for, 1 if only letter case differs, otherwise 2. */
  readonly rank: number;
}

async function search(ctx: ToolContext, args: Args): Promise<FoundDeclarations<SymbolHit>> {
  const { pattern, name_path: namePath } = args;
  const wanted = namePath ?? pattern;
  if (wanted === undefined || (namePath !== undefined && pattern !== undefined)) {
    throw new ToolError('invalid_args', 'find_symbol takes either pattern or name_path', {
      suggestion: 'pass pattern for a part of a name, or name_path for the exact one',
    });
  }
  const kinds = args.kind === undefined ? undefined : [args.kind].flat().flatMap((kind) => KINDS[kind] ?? []);
  const match = namePath === undefined ? containing(wanted) : (outline: Outline) => findSymbols(outline, wanted);
  const rankOf = ranking(wanted);
  const gaps: string[] = [];
  const choose = (outline: Outline, file: string): SymbolHit[] => {
    gaps.push(...gapsIn(file, outline));
    return match(outline)
      .filter(({ kind }) => !kinds || kinds.includes(kind))
      .map(({ name, path, overload }) => ({ file, path, overload, rank: rankOf(name) }));
  };
  const found = isFilePath(ctx, args.path)
    ? await searchFile(ctx, args.path, choose)
    : await findDeclarations(ctx, toTreeScope(ctx, args.path), { trigrams: trigramsOf(wanted), choose });
  const declarations = [0, 1, 2].flatMap((best) => found.declarations.filter(({ rank }) => rank === best));
  return { declarations, warnings: [...found.warnings, ...gaps.sort().slice(0, MOST_GAPS)] };
}

async function hintAt(ctx: ToolContext, { name_path, pattern, path }: Args): Promise<string | undefined> {
  const asked = name_path ?? pattern ?? '';
  const slashed = toNamePath(asked);
  const last = slashed.slice(slashed.lastIndexOf('/') + 1);
  for (const part of new Set([slashed, last])) {
    if (part === '') continue;
    const { declarations } = await search(ctx, { pattern: part, path });
    const names = new Set(declarations.map((found) => `${found.path} (${found.file})`));
    if (names.size > 0) return `did you mean ${[...names].slice(0, MOST_HINTED).join(', ')}?`;
  }
  return undefined;
}

async function searchFile(ctx: ToolContext, path: string, choose: (outline: Outline, file: string) => SymbolHit[]) {
  const { path: file, outline } = await readSource(ctx, path);
  return { declarations: choose(outline, file), warnings: [] };
}

function containing(pattern: string): (outline: Outline) => readonly SyntaxSymbol[] {
  const part = pattern.toLowerCase();
  const hasIndex = part.includes('[');
  return (outline) =>
    outline.symbols.filter((symbol) => {
      const path = (hasIndex ? namePathOf(outline, symbol) : symbol.path).toLowerCase();
      const at = path.lastIndexOf(part);
      return at >= 0 && at + part.length > path.lastIndexOf('/');
    });
}

function ranking(wanted: string): (name: string) => number {
  const exact = wanted.slice(wanted.lastIndexOf('/') + 1);
  const lower = exact.toLowerCase();
  return (name) => {
    if (name === exact) return 0;
    return name.toLowerCase() === lower ? 1 : 2;
  };
}

async function showAll(
  ctx: ToolContext,
  declarations: readonly SymbolHit[],
  { withBody, ...showing }: { depth: number; withBody: boolean; withDocs: boolean | undefined },
) {
  const room = { left: MOST_SYMBOLS };
  const sources = new Map<string, Promise<Source>>();
  const shown: (ShownSymbol & { file: string })[] = [];
  for (const [i, { file, path, overload }] of declarations.entries()) {
    const reading = sources.get(file) ?? readSource(ctx, `./${file}`, { isShown: withBody });
    sources.set(file, reading);
    const source = await reading;
    // The file may have changed since it was searched.
    const now = source.outline.symbols.find((one) => one.path === path && one.overload === overload);
    if (!now) continue;
    shown.push({ file, ...showSymbol(source, now, { ...showing, withBody: withBody && i < MOST_BODIES, room }) });
  }
  return shown;
}
