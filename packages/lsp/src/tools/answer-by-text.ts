import type { ToolContext, ToolOutput } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { createOutlines, isOutline, type Outline, titleOf } from '@jinn/syntax';
import { findMentions } from '../documents/mentions.ts';
import { type FoundLocation, isWithoutServer, type NamingFile, needsServer, type OpenServers } from '../index.ts';
import { ContentLines } from '../symbols/show/content-lines.ts';
import { type Content, readContent, unlessRefused } from '../symbols/show/read-source.ts';
import type { FileQuery } from './query.ts';
import { type ActionAnswer, formatLocations, formatReferences, toPart } from './show-answers.ts';

const MAX_SHOWN = 100;
const MAX_FILES = 500;

interface TextQuery {
  readonly ctx: ToolContext;
  readonly opened: OpenServers;
  readonly limitMs: number;
  readonly word: string | undefined;
}

type PlaceOfName = Extract<FoundLocation, { readonly path: string }>;

/**
 * Answers from syntax trees if there is no language server, by the name, so that other symbols with it are found too.
 * Throws `error` if only a server can answer, or if nothing is found, which would prove nothing.
 */
export async function answerByText(error: unknown, query: FileQuery, asked: TextQuery): Promise<ToolOutput> {
  const { word, ctx } = asked;
  if (!isWithoutServer(error) || !(error instanceof ToolError)) throw error;
  if (query.action === 'symbols') return toOutput(error, await listSymbols(ctx, query.path));
  if (query.action === 'rename' && word) throw await listPlaces(error, query, asked);
  if ((query.action !== 'definition' && query.action !== 'references') || !word) throw error;
  const sources = await findSources(query.path, word, asked);
  const find = query.action === 'definition' ? declarationsIn : identifiersIn;
  const found: FoundLocation[] = [];
  for (const source of sources) found.push(...(await find(ctx, source, word)));
  const answer =
    query.action === 'definition' ? formatLocations(found.slice(0, MAX_SHOWN)) : toPage(found, query.offset);
  return toOutput(error, found.length > 0 ? answer : undefined);
}

/** Makes the refusal of a rename, which lists the places of the name. */
export async function listPlaces(error: ToolError, query: FileQuery, asked: TextQuery): Promise<ToolError> {
  const { word: name = '', ctx } = asked;
  const files: NamingFile[] = [];
  for (const source of await findSources(query.path, name, asked)) {
    const lines = (await identifiersIn(ctx, source, name)).map(({ range }) => range.start.line);
    if (lines.length > 0) files.push({ path: source.path, lines });
  }
  if (files.length === 0) return error;
  return needsServer({ name, newName: query.new_name ?? '', files, noAnswer: { why: error.message, error } }, ctx);
}

function toOutput(error: ToolError, answer: ActionAnswer | undefined): ToolOutput {
  if (!answer) throw error;
  const { files: _files, hasPlace: _, text, ...shown } = answer;
  const how = `[by text: ${error.message}; the results may include other symbols of the name; ${error.suggestion}]`;
  return { ...shown, text: `${text}\n${how}`, meta: { by: 'text', complete: false, ...shown.meta } };
}

function toPage(found: readonly FoundLocation[], offset = 0): ActionAnswer | undefined {
  const perFile = new Map<string, number>();
  for (const location of found)
    if ('path' in location) perFile.set(location.path, (perFile.get(location.path) ?? 0) + 1);
  const locations = found.slice(offset, offset + MAX_SHOWN);
  return formatReferences({ locations, total: found.length, perFile, hasPlace: true }, offset);
}

async function findSources(file: string, word: string, where: TextQuery): Promise<Content[]> {
  const mentioned = await findMentions(file, word, where);
  const paths = [file, ...(mentioned?.files ?? []).slice(0, MAX_FILES).toSorted()];
  const sources: Content[] = [];
  for (const path of paths) {
    const source = await unlessRefused(() => readContent(where.ctx, `./${path}`));
    if (source) sources.push(source);
  }
  return sources;
}

async function outlineOf(ctx: ToolContext, source: Content): Promise<Outline | undefined> {
  await ctx.checkpoint();
  const outline = await ctx.session.use(createOutlines).read(source);
  return isOutline(outline) ? outline : undefined;
}

async function declarationsIn(ctx: ToolContext, source: Content, word: string): Promise<FoundLocation[]> {
  const symbols = (await outlineOf(ctx, source))?.symbols ?? [];
  const named = symbols.filter(({ name }) => name === word);
  return locate(
    source,
    named.map(({ nameStart }) => nameStart),
  );
}

async function identifiersIn(ctx: ToolContext, source: Content, word: string): Promise<PlaceOfName[]> {
  await ctx.checkpoint();
  const found = await ctx.session.use(createOutlines).identifiers(source, word);
  const starts = 'reason' in found ? [] : found.map(({ start }) => start);
  return locate(source, starts);
}

async function listSymbols(ctx: ToolContext, path: string): Promise<ActionAnswer | undefined> {
  const source = await unlessRefused(() => readContent(ctx, `./${path}`));
  const outline = source && (await outlineOf(ctx, source));
  if (!source || outline?.faults.length !== 0) return undefined;
  const { symbols } = outline;
  const places = new ContentLines(source.content);
  const lines = symbols.slice(0, MAX_FILES).map(({ name, kind, depth, nameStart, line }) => {
    return `${'  '.repeat(depth)}${titleOf(kind, name)} (${line}:${places.columnOf(nameStart)})`;
  });
  return lines.length === 0 ? undefined : toPart(lines, symbols.length);
}

function locate({ path, content }: Content, bytes: readonly number[]): PlaceOfName[] {
  const lines = new ContentLines(content);
  return bytes.map((byte) => {
    const line = lines.lineOf(byte);
    const start = { line, character: lines.columnOf(byte) };
    const text = content.toString('utf8', lines.startOf(line), lines.startOf(line + 1));
    return { path, range: { start, end: start }, text };
  });
}
