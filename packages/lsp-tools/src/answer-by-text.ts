import { ToolError } from '@jinn/errors';
import { versionOf } from '@jinn/guard';
import { type FoundLocation, isWithoutServer, type OpenServers } from '@jinn/lsp';
import { createOutlines, isOutline, type Outline } from '@jinn/syntax';
import type { ToolContext, ToolOutput } from '@jinn/tool';
import { findMentions } from './find-mentions.ts';
import type { FileQuery } from './query.ts';
import { type ActionAnswer, formatLocations, formatReferences, toPart } from './show-locations.ts';

const MAX_SHOWN = 100;
const MAX_FILES = 500;

interface TextQuery {
  readonly ctx: ToolContext;
  readonly opened: OpenServers;
  readonly limitMs: number;
  /** What the question is about, if that is known. */
  readonly word: string | undefined;
}

interface Source {
  readonly path: string;
  readonly content: Buffer;
  readonly version: string;
}

/**
 * Answers from syntax trees where no language server for the file is installed: by the name, so that others of that name are
 * among what is found. Throws `error` again where it is another error, for what only a server can tell, and where nothing is
 * found: that would mean nothing.
 */
export async function answerByText(error: unknown, query: FileQuery, asked: TextQuery): Promise<ToolOutput> {
  const { word, ctx } = asked;
  if (!isWithoutServer(error) || !(error instanceof ToolError)) throw error;
  if (query.action === 'symbols') return tellBy(error, await listSymbols(ctx, query.path));
  if ((query.action !== 'definition' && query.action !== 'references') || !word) throw error;
  const sources = await findSources(query.path, word, asked);
  const find = query.action === 'definition' ? declarationsIn : identifiersIn;
  const found: FoundLocation[] = [];
  for (const source of sources) found.push(...(await find(ctx, source, word)));
  const told =
    query.action === 'definition' ? formatLocations(found.slice(0, MAX_SHOWN)) : tellPage(found, query.offset);
  return tellBy(error, found.length > 0 ? told : undefined);
}

function tellBy(error: ToolError, told: ActionAnswer | undefined): ToolOutput {
  if (!told) throw error;
  const { files: _, text, ...shown } = told;
  const how = `[by text: ${error.message}; others of the name may be among it; ${error.suggestion}]`;
  return { ...shown, text: `${text}\n${how}`, meta: { by: 'text', complete: false, ...shown.meta } };
}

function tellPage(found: readonly FoundLocation[], offset = 0): ActionAnswer | undefined {
  const perFile = new Map<string, number>();
  for (const location of found)
    if ('path' in location) perFile.set(location.path, (perFile.get(location.path) ?? 0) + 1);
  const locations = found.slice(offset, offset + MAX_SHOWN);
  return formatReferences({ locations, total: found.length, perFile, hasPlace: true }, offset);
}

/** Returns the file itself, and those that mention the word. */
async function findSources(file: string, word: string, where: TextQuery): Promise<Source[]> {
  const mentioned = await findMentions(file, word, where);
  const paths = [file, ...(mentioned?.files ?? []).slice(0, MAX_FILES).toSorted()];
  return paths.flatMap((path) => readSource(where.ctx, path) ?? []);
}

/** Returns undefined for a file that has gone or may not be read. */
function readSource({ workspace }: ToolContext, path: string): Source | undefined {
  try {
    const content = workspace.withFile(path, (file) => Buffer.from(file.slice(0, file.size)));
    return { path, content, version: versionOf(content) };
  } catch {
    return undefined;
  }
}

async function outlineOf(ctx: ToolContext, source: Source): Promise<Outline | undefined> {
  await ctx.checkpoint();
  const outline = await ctx.session.use(createOutlines).read(source);
  return isOutline(outline) ? outline : undefined;
}

async function declarationsIn(ctx: ToolContext, source: Source, word: string): Promise<FoundLocation[]> {
  const symbols = (await outlineOf(ctx, source))?.symbols ?? [];
  return symbols.filter(({ name }) => name === word).map(({ nameStart }) => locate(source, nameStart));
}

async function identifiersIn(ctx: ToolContext, source: Source, word: string): Promise<FoundLocation[]> {
  await ctx.checkpoint();
  const found = await ctx.session.use(createOutlines).identifiers(source, word);
  return 'reason' in found ? [] : found.map(({ start }) => locate(source, start));
}

/** Returns undefined for a file without symbols, and for one that does not parse: what it seems to declare may be no symbol. */
async function listSymbols(ctx: ToolContext, path: string): Promise<ActionAnswer | undefined> {
  const source = readSource(ctx, path);
  const outline = source && (await outlineOf(ctx, source));
  const symbols = outline?.faults.length === 0 ? outline.symbols : [];
  const lines = symbols.slice(0, MAX_FILES).map(({ name, kind, depth, nameStart }) => {
    const { line, character } = placeOf((source as Source).content, nameStart);
    return `${'  '.repeat(depth)}${kind} ${name} (${line}:${character})`;
  });
  return lines.length === 0 ? undefined : toPart(lines, symbols.length);
}

function locate({ path, content }: Source, byte: number): FoundLocation {
  const start = placeOf(content, byte);
  const lineStart = content.lastIndexOf(10, byte - 1) + 1;
  const newline = content.indexOf(10, byte);
  const text = content.toString('utf8', lineStart, newline < 0 ? content.length : newline);
  return { path, range: { start, end: start }, text };
}

function placeOf(content: Buffer, byte: number): { line: number; character: number } {
  const lines = content
    .toString('utf8', 0, byte)
    .replace(/^\ufeff/, '')
    .split('\n');
  return { line: lines.length, character: [...(lines.at(-1) as string)].length + 1 };
}
