import { ToolError } from '@jinn/core/errors';
import { isObject } from '@jinn/core/text';
import type { Position, ServerCapabilities } from 'vscode-languageserver-protocol';
import { countCharacters, type Place, type PlaceRange } from '../client/positions.ts';
import { scalarText } from '../client/server-requests.ts';
import type { Diagnosis } from './diagnostics.ts';
import { type EditSource, type FileEdit, planEdit } from './edits.ts';
import type { ServerView } from './language-question.ts';
import {
  comparePlaces,
  type FoundLocation,
  parseLocations,
  parseRange,
  type RawLocation,
  Resolver,
} from './locations.ts';
import { indexOfWord, parseNamed, parseSymbols, type ServerSymbol } from './parse-symbols.ts';
import { rejectBadName } from './rename.ts';

const MAX_BYTES = 4_096;
/** A picture that is its own content. */
const DATA_IMAGE = /!\[[^\]]*\]\(data:[^)\s]*\)/g;
const MAX_LISTED = 1_000;

const WAYS = {
  definition: 'definitionProvider',
  declaration: 'declarationProvider',
  typeDefinition: 'typeDefinitionProvider',
  implementation: 'implementationProvider',
} as const satisfies Record<string, keyof ServerCapabilities>;

export type Way = keyof typeof WAYS;

export interface LocationPage {
  readonly locations: readonly FoundLocation[];
  readonly total: number;
  /** By path. Those outside of the workspace by their names. */
  readonly perFile: ReadonlyMap<string, number>;
  /** True if one of them is at the place that was asked about. */
  readonly hasPlace: boolean;
}

/** Finds what the symbol at a place points to: at most 1,000 locations. Throws `lsp_error` if the server cannot. */
export async function findLocations(view: ServerView, way: Way, place: Place): Promise<readonly FoundLocation[]> {
  require(view, WAYS[way], `textDocument/${way}`);
  const result = await view.client.request(`textDocument/${way}`, positionParams(view, place), view.deadline);
  const resolver = resolverOf(view);
  return distinct(parseLocations(result))
    .slice(0, MAX_LISTED)
    .map((location) => resolver.resolve(location));
}

/** Finds all references of a symbol, its declaration among them. `offset` and `limit` choose which are resolved. */
export async function findAllReferences(
  view: ServerView,
  place: Place,
  { offset = 0, limit = 100 }: { readonly offset?: number; readonly limit?: number } = {},
): Promise<LocationPage> {
  require(view, 'referencesProvider', 'textDocument/references');
  const params = { ...positionParams(view, place), context: { includeDeclaration: true } };
  const result = await view.client.request('textDocument/references', params, view.deadline);
  const sorted = distinct(parseLocations(result)).sort((a, b) =>
    a.uri === b.uri ? comparePlaces(a.range.start, b.range.start) : a.uri < b.uri ? -1 : 1,
  );
  const resolver = resolverOf(view);
  const perFile = new Map<string, number>();
  let hasPlace = false;
  for (const { uri, range } of sorted) {
    const name = resolver.nameOf(uri);
    perFile.set(name, (perFile.get(name) ?? 0) + 1);
    hasPlace ||=
      name === view.document.path &&
      comparePlaces(range.start, params.position) <= 0 &&
      comparePlaces(params.position, range.end) <= 0;
  }
  const locations = sorted.slice(offset, offset + limit).map((location) => resolver.resolve(location));
  return { locations, total: sorted.length, perFile, hasPlace };
}

/** Undefined if the server says nothing. */
export async function findHover(view: ServerView, place: Place): Promise<string | undefined> {
  require(view, 'hoverProvider', 'textDocument/hover');
  const result = await view.client.request('textDocument/hover', positionParams(view, place), view.deadline);
  return parseHover(result);
}

/** Returns the symbols of the document, nested as the server nests them. */
export async function findDocumentSymbols(view: ServerView): Promise<ServerSymbol[]> {
  require(view, 'documentSymbolProvider', 'textDocument/documentSymbol');
  const { client, document, deadline } = view;
  const params = { textDocument: { uri: document.uri } };
  const result = await client.request('textDocument/documentSymbol', params, deadline);
  return parseSymbols(result, document.lines, resolverOf(view));
}

export function findDiagnostics({ diagnoser, document, deadline }: ServerView): Promise<Diagnosis> {
  return diagnoser.diagnose(document, deadline);
}

export interface NamedLocation {
  readonly name: string;
  readonly kind: string;
  readonly container?: string;
  readonly location: FoundLocation;
  /** The places where a caller calls. For a callee, those where it is called. */
  readonly calls?: readonly FoundLocation[];
}

/** Finds symbols of the project whose names match a query, as the server understands it. At most 1,000. */
export async function findWorkspaceSymbols(view: ServerView, query: string): Promise<NamedLocation[]> {
  require(view, 'workspaceSymbolProvider', 'workspace/symbol');
  return toNamed(view, await view.client.request('workspace/symbol', { query }, view.deadline));
}

/** Finds the callers of the function at a place, or the functions that it calls. */
export async function findCalls(
  view: ServerView,
  direction: 'incoming' | 'outgoing',
  place: Place,
): Promise<NamedLocation[]> {
  require(view, 'callHierarchyProvider', 'textDocument/prepareCallHierarchy');
  const { client, deadline } = view;
  const items = await client.request('textDocument/prepareCallHierarchy', positionParams(view, place), deadline);
  const found: NamedLocation[] = [];
  const resolver = resolverOf(view);
  for (const item of Array.isArray(items) ? items.slice(0, 10) : []) {
    const calls = await client.request(`callHierarchy/${direction}Calls`, { item }, deadline);
    const side = direction === 'incoming' ? 'from' : 'to';
    for (const call of Array.isArray(calls) ? calls.slice(0, MAX_LISTED) : []) {
      if (!isObject(call)) continue;
      const { uri } = (direction === 'incoming' ? call[side] : item) ?? {};
      const ranges = Array.isArray(call['fromRanges']) ? call['fromRanges'].slice(0, MAX_LISTED) : [];
      const places = parseLocations(ranges.map((range) => ({ uri, range }))).map((place) => resolver.resolve(place));
      found.push(...toNamed(view, [call[side]]).map((named) => ({ ...named, calls: places })));
    }
  }
  return found;
}

async function findRenamed(view: ServerView, place: Place): Promise<string | undefined> {
  const provider = view.client.optionsOf('renameProvider', 'textDocument/rename');
  if (provider['prepareProvider'] !== true) return undefined;
  const result = await view.client.request('textDocument/prepareRename', positionParams(view, place), view.deadline);
  if (result === null) {
    throw new ToolError('lsp_error', 'there is nothing to rename at this place', {
      suggestion: 'point at the name where the symbol is defined',
    });
  }
  const range = parseRange(isObject(result) && 'range' in result ? result['range'] : result);
  const { lines } = view.document;
  const [from, to] = [range?.start, range?.end].map((at) => at && lines.offsetOf(at, view.client.encoding));
  return from === undefined || to === undefined ? undefined : lines.text.slice(from, to);
}

/**
 * Plans a rename. It asks at the definition: asked at an import, some servers rename only that. If the server would
 * change another word than `expected`, it throws `lsp_error`.
 */
export async function planRename(
  asked: ServerView,
  askedPlace: Place,
  { expected, newName }: { readonly expected: string; readonly newName: string },
): Promise<FileEdit[]> {
  require(asked, 'renameProvider', 'textDocument/rename');
  rejectBadName(newName, asked.document.languageId);
  const { view, place } = await atDefinition(asked, askedPlace, expected);
  const word = await findRenamed(view, place);
  if (word !== undefined && word !== expected) {
    const message = `the server would rename ${JSON.stringify(word)}, not ${JSON.stringify(expected)}`;
    throw new ToolError('lsp_error', message, { suggestion: 'point at the name where the symbol is defined' });
  }
  const params = { ...positionParams(view, place), newName };
  return planEdit(await view.client.request('textDocument/rename', params, view.deadline), editSource(view));
}

async function atDefinition(
  view: ServerView,
  place: Place,
  name: string,
): Promise<{ readonly view: ServerView; readonly place: Place }> {
  const here = { view, place };
  if (!view.client.can('definitionProvider', 'textDocument/definition')) return here;
  const [definition, ...others] = await findLocations(view, 'definition', place);
  if (!definition || others.length > 0 || !('path' in definition)) return here;
  const { start } = definition.range;
  const tail = [...definition.text].slice(start.character - 1).join('');
  if (indexOfWord(tail, name) !== 0) return here;
  return { view: { ...view, document: view.documents.show(definition.path) }, place: start };
}

/** Throws `timeout` if edits were planned before the project was loaded: they would be incomplete. */
export function rejectUnready({ client: { readiness } }: ServerView): void {
  if (readiness.isReady) return;
  throw new ToolError('timeout', `the project is not loaded yet (${readiness.reason}) (nothing was changed)`, {
    suggestion: 'try again in a session, where the server continues to load',
  });
}

/** Plans to format the document. Nothing is written. */
export async function planFormat(
  view: ServerView,
  options: { readonly tabSize: number; readonly insertSpaces: boolean },
): Promise<FileEdit[]> {
  require(view, 'documentFormattingProvider', 'textDocument/formatting');
  const { client, document, deadline } = view;
  const params = { textDocument: { uri: document.uri }, options };
  const edits = (await client.request('textDocument/formatting', params, deadline)) ?? [];
  return planEdit({ changes: { [document.uri]: edits } }, editSource(view));
}

export interface CodeAction {
  readonly title: string;
  readonly kind?: string;
  readonly disabled?: string;
  /** The form in which the server wants the action back to take it. */
  readonly raw: Readonly<Record<string, unknown>>;
}

/** How long to wait for diagnostics before asking for actions, which depend on them. */
const DIAGNOSE_MS = 2_000;

async function wrongWithin(
  { diagnoser, document, deadline }: ServerView,
  { start, end }: PlaceRange,
): Promise<object[]> {
  const { diagnostics } = await diagnoser
    .diagnose(document, deadline.within(Math.min(DIAGNOSE_MS, deadline.left / 2)))
    .catch(() => ({ diagnostics: [] }));
  const touching = diagnostics.filter(
    ({ range }) => comparePlaces(range.start, end) <= 0 && comparePlaces(start, range.end) <= 0,
  );
  return touching.flatMap((diagnostic) => diagnoser.asSent(diagnostic) ?? []);
}

/** Returns the actions that a server offers for a range of the document. */
export async function findCodeActions(view: ServerView, range: PlaceRange): Promise<CodeAction[]> {
  require(view, 'codeActionProvider', 'textDocument/codeAction');
  const { client, document, deadline } = view;
  const params = {
    textDocument: { uri: document.uri },
    range: { start: positionOf(view, range.start), end: positionOf(view, range.end) },
    context: { diagnostics: await wrongWithin(view, range), triggerKind: 1 },
  };
  const result = await client.request('textDocument/codeAction', params, deadline);
  return (Array.isArray(result) ? result.slice(0, MAX_LISTED) : []).flatMap((raw) => {
    if (!isObject(raw) || typeof raw['title'] !== 'string') return [];
    const { title, kind, disabled } = raw;
    const reason = isObject(disabled) ? scalarText(disabled['reason']) || 'it is disabled' : undefined;
    return [
      { title, raw, ...(typeof kind === 'string' && { kind }), ...(reason !== undefined && { disabled: reason }) },
    ];
  });
}

/** Plans to take an action: its edits, and those that the server sends for its command. Nothing is written. */
export async function planCodeAction(view: ServerView, { raw, disabled }: CodeAction): Promise<FileEdit[]> {
  if (disabled !== undefined) throw new ToolError('lsp_error', `the action cannot be taken: ${disabled}`);
  const { client, deadline } = view;
  const provider = client.optionsOf('codeActionProvider', 'textDocument/codeAction');
  const isCommand = typeof raw['command'] === 'string';
  const mustAsk = !isCommand && raw['edit'] === undefined && provider['resolveProvider'] === true;
  const resolved = mustAsk ? await client.request('codeAction/resolve', raw, deadline) : raw;
  const action = isObject(resolved) ? resolved : raw;
  const plan = planEdit(action['edit'], editSource(view));
  const command = isCommand ? action : action['command'];
  if (!isObject(command) || typeof command['command'] !== 'string') return plan;
  const args = Array.isArray(command['arguments']) ? command['arguments'] : [];
  const sent = await client.execute(command['command'], args, deadline);
  const plans = [plan, ...sent.map((edit) => planEdit(edit, editSource(view)))].filter((edits) => edits.length > 0);
  if (plans.length <= 1) return plans[0] ?? [];
  throw new ToolError('lsp_error', 'the action makes several edits one after the other, which cannot be planned');
}

/** Returns all symbols of a tree, each before its children. */
export function flattenSymbols(symbols: readonly ServerSymbol[]): ServerSymbol[] {
  return symbols.flatMap((symbol) => [symbol, ...flattenSymbols(symbol.children)]);
}

function require({ client }: ServerView, capability: keyof ServerCapabilities, method: string): void {
  if (client.can(capability, method)) return;
  throw new ToolError('lsp_error', `${client.server.id} does not support ${method}`, {
    suggestion: 'use another action, or choose another server in config.json',
  });
}

function positionParams(view: ServerView, place: Place): { textDocument: { uri: string }; position: Position } {
  return { textDocument: { uri: view.document.uri }, position: positionOf(view, place) };
}

function positionOf({ client, document }: ServerView, place: Place): Position {
  const position = document.lines.positionOf(place, client.encoding);
  if (position) return position;
  const text = document.lines.line(place.line - 1);
  const fact =
    text === undefined
      ? `${document.path} has ${document.lines.count} lines`
      : `line ${place.line} has ${countCharacters(text)} characters`;
  throw new ToolError('invalid_args', `line ${place.line}, character ${place.character} is not in the file: ${fact}`, {
    suggestion: 'count both from 1',
  });
}

function resolverOf({ files, documents, client }: ServerView): Resolver {
  return new Resolver(files, documents, client);
}

function editSource({ files, documents, client }: ServerView): EditSource {
  return {
    root: files.root,
    counting: client,
    shown: (path) => {
      const document = documents.get(path);
      if (document) return { text: document.lines.text, isExact: document.isExact, version: document.version };
      return files.read(path);
    },
  };
}

function toNamed(view: ServerView, list: unknown): NamedLocation[] {
  const resolver = resolverOf(view);
  return (Array.isArray(list) ? list.slice(0, MAX_LISTED) : []).flatMap((entry) => {
    const named = parseNamed(entry);
    if (!named) return [];
    const { uri, range, ...rest } = named;
    return [{ ...rest, location: resolver.resolve({ uri, range }) }];
  });
}

function distinct(locations: readonly RawLocation[]): RawLocation[] {
  const known = new Set<string>();
  return locations.filter(({ uri, range: { start, end } }) => {
    const key = `${start.line}:${start.character}:${end.line}:${end.character}:${uri}`;
    return !known.has(key) && known.add(key);
  });
}

/** Reads a hover: markup, a marked string, or a list of these, as text of at most 4 KiB. Undefined if it is empty. */
export function parseHover(result: unknown): string | undefined {
  const contents = isObject(result) ? result['contents'] : undefined;
  const parts = (Array.isArray(contents) ? contents.slice(0, 100) : [contents]).map(toText);
  const text = parts
    .filter((part) => part !== '')
    .join('\n\n')
    .replace(DATA_IMAGE, '')
    .trim();
  return text === '' ? undefined : cut(text);
}

function toText(part: unknown): string {
  if (typeof part === 'string') return part.trim();
  const value = isObject(part) ? part['value'] : undefined;
  return typeof value === 'string' ? value.trim() : '';
}

function cut(text: string): string {
  if (Buffer.byteLength(text) <= MAX_BYTES) return text;
  const head = Buffer.from(text)
    .subarray(0, MAX_BYTES)
    .toString('utf8')
    .replace(/\ufffd+$/, '');
  return `${head}…`;
}
