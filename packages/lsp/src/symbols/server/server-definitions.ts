import type { ToolContext } from '@jinn/core';
import { ToolError } from '@jinn/core/errors';
import { createOutlines, namePathOf } from '@jinn/syntax';
import {
  type FoundLocation,
  findHover,
  findLocations,
  type LanguageAnswer,
  type ServerView,
  withoutRoot,
  wordsAt,
} from '../../index.ts';
import type { Definition, SourcePlace } from '../find/find-definition.ts';
import { ContentLines, wordOf } from '../show/content-lines.ts';
import { readSource, type Source, unlessRefused } from '../show/read-source.ts';
import { askServer, type NoAnswer } from './ask-server.ts';

const MOST_LINE = 300;
/** The names of constructors in languages. A use of a type may point to its constructor. */
const CONSTRUCTORS: ReadonlySet<string> = new Set(['constructor', '__init__', '__new__', 'initialize', 'init', 'new']);
const LIBRARIES = /(?:^|\/)(?:node_modules|site-packages)\//;

export interface ServerDefinitions {
  readonly name: string;
  readonly definitions: readonly Definition[];
  /** Undefined if there is none, or it was not asked for. */
  readonly hover: string | undefined;
}

export interface AskedDefinitions extends SourcePlace {
  readonly withHover?: boolean;
}

/**
 * The first of the names counts that has a definition, which is accepted only if the syntax tree has a declaration or
 * an identifier of the name there.
 */
export function askDefinitions(
  ctx: ToolContext,
  { source, place, names, withHover = false }: AskedDefinitions,
): Promise<LanguageAnswer<ServerDefinitions> | NoAnswer> {
  return askServer(ctx, {
    about: source,
    run: async (view) => {
      for (const name of names) {
        const found = await lookUp(ctx, view, { source, place, name, withHover });
        if (found) return found;
      }
      throw new ToolError('not_found', `the language server knows no definition of ${names.join(', ')}`);
    },
  });
}

async function lookUp(
  ctx: ToolContext,
  view: ServerView,
  { source, place, name, withHover }: Omit<AskedDefinitions, 'names'> & { readonly name: string },
): Promise<ServerDefinitions | undefined> {
  const character = await columnOf(ctx, source, { line: place.line, name });
  if (character === undefined) return undefined;
  const at = { line: place.line, character };
  const locations = await findLocations(view, 'definition', at);
  const checked: CheckedDefinition[] = [];
  for (const location of locations) {
    const definition = await check(ctx, location, { source, name });
    if (definition) checked.push(definition);
  }
  const isAsked = place.identifier !== undefined;
  if (isAsked && checked.length === 0 && locations[0]) throw misplaced(name, locations[0]);
  const definitions = isAsked ? checked : checked.filter((one) => one.name === name);
  if (definitions.length === 0 && !isAsked) return undefined;
  const hover = withHover ? await hoverOf(view, at) : undefined;
  return definitions.length > 0 || hover !== undefined ? { name, definitions, hover } : undefined;
}

async function hoverOf(view: ServerView, at: { line: number; character: number }): Promise<string | undefined> {
  if (!view.client.can('hoverProvider', 'textDocument/hover')) return undefined;
  const text = await findHover(view, at);
  return text === undefined ? undefined : withoutRoot(text, view.files.root);
}

async function columnOf(
  { session }: ToolContext,
  { path, content }: Source,
  { line, name }: { line: number; name: string },
): Promise<number | undefined> {
  const lines = new ContentLines(content);
  const [start, end] = [lines.startOf(line), lines.startOf(line + 1)];
  const found = await session.use(createOutlines).identifiers({ path, content }, name);
  const identifiers = 'reason' in found ? [] : found.map((identifier) => identifier.start);
  const [word] = wordsAt(content.subarray(start, end), name);
  const byte = identifiers.find((at) => start <= at && at < end) ?? (word === undefined ? undefined : start + word);
  return byte === undefined ? undefined : lines.columnOf(byte);
}

type CheckedDefinition = Definition & { readonly name: string | undefined };

function misplaced(name: string, location: FoundLocation): ToolError {
  const where = 'outside' in location ? location.outside : `${location.path}:${location.range.start.line}`;
  return new ToolError('lsp_error', `the language server says that ${name} is declared at ${where}, where it is not`);
}

async function check(
  ctx: ToolContext,
  location: FoundLocation,
  { source, name }: { readonly source: Source; readonly name: string },
): Promise<CheckedDefinition | undefined> {
  if ('outside' in location) {
    return { name, file: location.outside, line: location.line, end_line: location.line, source: 'library' };
  }
  const { path, range, text } = location;
  const shown = {
    file: path,
    line: range.start.line,
    end_line: range.end.line,
    context: text.trim().slice(0, MOST_LINE),
    ...(LIBRARIES.test(path) && { source: 'library' as const }),
  };
  const declaring = await unlessRefused(() => readSource(ctx, `./${path}`));
  const byte = declaring && new ContentLines(declaring.content).byteOf(range.start.line, range.start.character);
  const symbol = declaring?.outline.symbols.find(({ nameStart }) => nameStart === byte);
  if (declaring && symbol && mayMean(symbol.name, name, source)) {
    return {
      ...shown,
      name: symbol.name,
      line: symbol.line,
      end_line: symbol.endLine,
      name_path: namePathOf(declaring.outline, symbol),
    };
  }
  if (wordOf(text, range) === name) return { ...shown, name }; // It is a local variable, a parameter, or the like.
  const isModule = range.start.line === 1 && range.start.character === 1;
  return isModule ? { ...shown, name: undefined } : undefined;
}

function mayMean(declared: string, name: string, { content }: Source): boolean {
  return declared === name || CONSTRUCTORS.has(declared) || !wordsAt(content, declared).next().done;
}
