import { isObject } from '@jinn/core/text/is-object';
import { scalarText } from '../client/server-requests.ts';
import {
  type Fields,
  fieldsOf,
  fileOf,
  fromPosition,
  listOf,
  toCallItem,
  toFoundSymbol,
  toHover,
  toLocation,
  toRange,
  toSymbols,
  toTextEdit,
  toUri,
  toWorkspaceEdit,
} from './convert.ts';

const MAX_FOUND = 1_000;

/** The request to tsserver for one of the protocol, and the way to read its answer. */
export interface Translation {
  readonly command: string;
  readonly args: object;
  /** Makes the result from the answer of tsserver. Throws an Error with the reason if that is a refusal. */
  result(body: unknown): unknown;
}

/** The capabilities, in the words of the protocol. */
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
  'textDocument/references': atPlace('references', (body) => toLocations(fieldsOf(body)['refs'])),
  'textDocument/hover': atPlace('quickinfo', (body) => (isObject(body) ? toHover(body) : null)),
  'textDocument/documentSymbol': ({ textDocument }) => ({
    command: 'navtree',
    args: { file: fileOf(textDocument) },
    result: (body) => toSymbols(fieldsOf(body)['childItems']),
  }),
  'workspace/symbol': ({ query }) => ({
    command: 'navto',
    args: { searchValue: scalarText(query), maxResultCount: MAX_FOUND },
    result: (body) => listOf(body).map(toFoundSymbol),
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
      return toRenaming(listOf(fieldsOf(body)['locs']), scalarText(params['newName']));
    },
  }),
  'textDocument/formatting': ({ textDocument, options }, whole) => {
    const { tabSize, insertSpaces } = fieldsOf(options);
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
 * Translates a request to one for tsserver; undefined if tsserver need not be asked. `whole` returns the end of a
 * document. Throws for a method that tsserver does not have.
 */
export function translate(method: string, params: unknown, whole: (file: string) => object): Translation | undefined {
  const translator = Object.hasOwn(TRANSLATORS, method) ? TRANSLATORS[method] : undefined;
  if (!translator) throw new Error(`tsserver knows nothing of ${method}`);
  return translator(fieldsOf(params), whole);
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
    args: { file: fileOf(item), ...fromPosition(fieldsOf(fieldsOf(item)['selectionRange'])['start']) },
    result: (body) =>
      listOf(body).map((call) => ({
        [side]: toCallItem(fieldsOf(call[side])),
        fromRanges: listOf(call['fromSpans']).map(toRange),
      })),
  });
}

function checkRename(body: unknown): Fields {
  const info = fieldsOf(fieldsOf(body)['info']);
  if (info['canRename'] === true) return info;
  throw new Error(scalarText(info['localizedErrorMessage']) || 'this cannot be renamed');
}

function toRenaming(files: readonly Fields[], newName: string): object {
  const changes = files.map(({ file, locs }) => {
    const edits = listOf(locs).map((place) => ({
      range: toRange(place),
      newText: `${scalarText(place['prefixText'])}${newName}${scalarText(place['suffixText'])}`,
    }));
    return [toUri(file), edits];
  });
  return { changes: Object.fromEntries(changes) };
}

function toFixes({ textDocument, range, context }: Fields): Translation | undefined {
  const errorCodes = listOf(fieldsOf(context)['diagnostics']).flatMap(({ code }) => Number(scalarText(code)) || []);
  if (errorCodes.length === 0) return undefined;
  const [start, end] = [fromPosition(fieldsOf(range)['start']), fromPosition(fieldsOf(range)['end'])];
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

/** Passes a request of tsserver on as it is, under its name in typescript-language-server. */
function toRawRequest({ command, arguments: given }: Fields): Translation {
  const [asked, args] = Array.isArray(given) ? given : [];
  if (command !== 'typescript.tsserverRequest') throw new Error(`there is no command ${scalarText(command)}`);
  return { command: scalarText(asked), args: fieldsOf(args), result: (body) => ({ body }) };
}
