import { fileURLToPath, pathToFileURL } from 'node:url';
import { isObject } from '@jinn/core/text';
import { fromTsserverPlace, scalarText } from '../client/server-requests.ts';

/** A message of tsserver, or a part of one: each field must be checked before it is used. */
export type Fields = Readonly<Record<string, unknown>>;

const KINDS: Readonly<Record<string, number>> = {
  script: 1,
  module: 2,
  class: 5,
  'local class': 5,
  type: 5,
  method: 6,
  index: 6,
  call: 6,
  construct: 6,
  property: 7,
  getter: 7,
  setter: 7,
  accessor: 7,
  constructor: 9,
  enum: 10,
  interface: 11,
  function: 12,
  'local function': 12,
  const: 14,
  'enum member': 22,
  'type parameter': 26,
};

const VARIABLE = 13;
const MAX_DEPTH = 100;
const MAX_FOUND = 1_000;

/** A request to tsserver, and how to read its answer. */
export interface Translation {
  readonly command: string;
  readonly args: object;
  /** Throws an Error with the reason of a refusal. */
  result(body: unknown): unknown;
}

export const CAPABILITIES = {
  definitionProvider: true,
  typeDefinitionProvider: true,
  implementationProvider: true,
  referencesProvider: true,
  hoverProvider: true,
  documentSymbolProvider: true,
  workspaceSymbolProvider: true,
  callHierarchyProvider: true,
  renameProvider: { prepareProvider: true },
  documentFormattingProvider: true,
  codeActionProvider: { codeActionKinds: ['quickfix'] },
  textDocumentSync: { openClose: true, change: 1 },
};

type Translator = (params: Fields, whole: (file: string) => object) => Translation | undefined;

const TRANSLATORS: Readonly<Record<string, Translator>> = {
  'textDocument/definition': atPlace('definition', toLocations),
  'textDocument/typeDefinition': atPlace('typeDefinition', toLocations),
  'textDocument/implementation': atPlace('implementation', toLocations),
  'textDocument/references': atPlace('references', (body) => toLocations(toFields(body)['refs'])),
  'textDocument/hover': atPlace('quickinfo', (body) => (isObject(body) ? toHover(body) : null)),
  'textDocument/documentSymbol': ({ textDocument }) => ({
    command: 'navtree',
    args: { file: fileOf(textDocument) },
    result: (body) => toSymbols(toFields(body)['childItems']),
  }),
  'workspace/symbol': ({ query }) => ({
    command: 'navto',
    args: { searchValue: scalarText(query), maxResultCount: MAX_FOUND },
    result: (body) => listOf(body).map(toWorkspaceSymbol),
  }),
  'textDocument/prepareCallHierarchy': atPlace('prepareCallHierarchy', (body) =>
    listOf(Array.isArray(body) ? body : [body])
      .filter(({ file }) => file !== undefined)
      .map(toCallItem),
  ),
  'callHierarchy/incomingCalls': ofCallItem('provideCallHierarchyIncomingCalls', 'from'),
  'callHierarchy/outgoingCalls': ofCallItem('provideCallHierarchyOutgoingCalls', 'to'),
  'textDocument/prepareRename': atPlace('rename', (body) => {
    const { triggerSpan, displayName } = checkRename(body);
    return { range: toRange(triggerSpan), placeholder: scalarText(displayName) };
  }),
  'textDocument/rename': (params) => ({
    command: 'rename',
    args: placeArgs(params),
    result: (body) => {
      checkRename(body);
      return toRenaming(listOf(toFields(body)['locs']), scalarText(params['newName']));
    },
  }),
  'textDocument/formatting': ({ textDocument, options }, whole) => {
    const { tabSize, insertSpaces } = toFields(options);
    const style = { tabSize, indentSize: tabSize, convertTabsToSpaces: insertSpaces };
    const file = fileOf(textDocument);
    return {
      command: 'format',
      args: { file, line: 1, offset: 1, ...whole(file), options: style },
      result: (body) => listOf(body).map(toTextEdit),
    };
  },
  'textDocument/codeAction': toFixes,
  'workspace/executeCommand': toRawRequest,
};

/**
 * Translates a request. Undefined if tsserver need not be asked. `whole` returns the end of a document. Throws for an
 * unknown method.
 */
export function translate(method: string, params: unknown, whole: (file: string) => object): Translation | undefined {
  const translator = Object.hasOwn(TRANSLATORS, method) ? TRANSLATORS[method] : undefined;
  if (!translator) throw new Error(`tsserver knows nothing of ${method}`);
  return translator(toFields(params), whole);
}

function atPlace(command: string, result: (body: unknown) => unknown): Translator {
  return (params) => ({ command, args: placeArgs(params), result });
}

function placeArgs({ textDocument, position }: Fields): object {
  return { file: fileOf(textDocument), ...fromPosition(position) };
}

function toLocations(spans: unknown): object[] {
  return listOf(spans).map(toLocation);
}

function ofCallItem(command: string, side: 'from' | 'to'): Translator {
  return ({ item }) => ({
    command,
    args: { file: fileOf(item), ...fromPosition(toFields(toFields(item)['selectionRange'])['start']) },
    result: (body) =>
      listOf(body).map((call) => ({
        [side]: toCallItem(toFields(call[side])),
        fromRanges: listOf(call['fromSpans']).map(toRange),
      })),
  });
}

function checkRename(body: unknown): Fields {
  const info = toFields(toFields(body)['info']);
  if (info['canRename'] === true) return info;
  throw new Error(scalarText(info['localizedErrorMessage']) || 'this cannot be renamed');
}

function toRenaming(files: readonly Fields[], newName: string): object {
  const changes = files.map(({ file, locs }) => {
    const edits = listOf(locs).map((place) => ({
      range: toRange(place),
      newText: `${scalarText(place['prefixText'])}${newName}${scalarText(place['suffixText'])}`,
    }));
    return [uriOf(file), edits];
  });
  return { changes: Object.fromEntries(changes) };
}

function toFixes({ textDocument, range, context }: Fields): Translation | undefined {
  const errorCodes = listOf(toFields(context)['diagnostics']).flatMap(({ code }) => Number(scalarText(code)) || []);
  if (errorCodes.length === 0) return undefined;
  const [start, end] = [fromPosition(toFields(range)['start']), fromPosition(toFields(range)['end'])];
  const span = { startLine: start.line, startOffset: start.offset, endLine: end.line, endOffset: end.offset };
  return {
    command: 'getCodeFixes',
    args: { file: fileOf(textDocument), ...span, errorCodes: [...new Set(errorCodes)] },
    result: (body) =>
      listOf(body)
        .filter(({ commands }) => commands === undefined) // These would install packages.
        .map(({ description, changes }) => ({
          title: scalarText(description),
          kind: 'quickfix',
          edit: toWorkspaceEdit(listOf(changes)),
        })),
  };
}

function toRawRequest({ command, arguments: given }: Fields): Translation {
  const [asked, args] = Array.isArray(given) ? given : [];
  if (command !== 'typescript.tsserverRequest') throw new Error(`there is no command ${scalarText(command)}`);
  return { command: scalarText(asked), args: toFields(args), result: (body) => ({ body }) };
}

export function toFields(value: unknown): Fields {
  return isObject(value) ? value : {};
}

export function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(toFields) : [];
}

export function fileOf(document: unknown): string {
  return fileURLToPath(scalarText(toFields(document)['uri']));
}

function fromPosition(position: unknown): { line: number; offset: number } {
  const { line, character } = toFields(position);
  return { line: Number(line) + 1, offset: Number(character) + 1 };
}

function toRange(span: unknown): object {
  const { start, end } = toFields(span);
  return { start: fromTsserverPlace(start), end: fromTsserverPlace(end) };
}

function uriOf(file: unknown): string {
  return pathToFileURL(scalarText(file)).href;
}

function toLocation(span: Fields): object {
  return { uri: uriOf(span['file']), range: toRange(span) };
}

function toWorkspaceEdit(changes: readonly Fields[]): object {
  const edits = changes.map(({ fileName, textChanges }) => [uriOf(fileName), listOf(textChanges).map(toTextEdit)]);
  return { changes: Object.fromEntries(edits) };
}

function toTextEdit(edit: Fields): object {
  return { range: toRange(edit), newText: scalarText(edit['newText']) };
}

function kindOf(kind: unknown): number {
  return KINDS[scalarText(kind)] ?? VARIABLE;
}

function toSymbols(items: unknown, depth = 0): object[] {
  if (depth > MAX_DEPTH) return [];
  return listOf(items).flatMap((item) => {
    const children = toSymbols(item['childItems'], depth + 1);
    const [span] = listOf(item['spans']);
    const name = scalarText(item['text']);
    if (!isObject(item['nameSpan']) || !span || name === '' || item['kind'] === 'alias') return children;
    const range = toRange(span);
    return [{ name, kind: kindOf(item['kind']), range, selectionRange: toRange(item['nameSpan']), children }];
  });
}

function toWorkspaceSymbol(item: Fields): object {
  const { name, kind, containerName } = item;
  const container = scalarText(containerName);
  return {
    name: scalarText(name),
    kind: kindOf(kind),
    location: toLocation(item),
    ...(container !== '' && { containerName: container }),
  };
}

function toCallItem({ name, kind, file, span, selectionSpan }: Fields): object {
  const ranges = { range: toRange(span), selectionRange: toRange(selectionSpan) };
  return { name: scalarText(name), kind: kindOf(kind), uri: uriOf(file), ...ranges };
}

function toHover({ displayString, documentation }: Fields): object {
  const said =
    typeof documentation === 'string'
      ? documentation
      : listOf(documentation)
          .map(({ text }) => scalarText(text))
          .join('');
  const value = ['```typescript', scalarText(displayString), '```', ...(said === '' ? [] : [said])].join('\n');
  return { contents: { kind: 'markdown', value } };
}
