import { fileURLToPath, pathToFileURL } from 'node:url';
import { isObject } from '@jinn/core/text/is-object';
import { scalarText } from '../client/server-requests.ts';

/** A message of tsserver, or a part of one: each field must be checked before it is used. */
export type Fields = Readonly<Record<string, unknown>>;

/** The number in the protocol of each kind of symbol that tsserver names. */
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

export function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}

export function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

/** Returns the file of a document, as tsserver names it. */
export function fileOf(document: unknown): string {
  return fileURLToPath(scalarText(fieldsOf(document)['uri']));
}

/** Converts a position, which counts from 0, to the line and offset of tsserver, which count from 1. */
export function fromPosition(position: unknown): { line: number; offset: number } {
  const { line, character } = fieldsOf(position);
  return { line: Number(line) + 1, offset: Number(character) + 1 };
}

function toPosition(place: unknown): { line: number; character: number } {
  const { line, offset } = fieldsOf(place);
  return { line: Number(scalarText(line)) - 1, character: Number(scalarText(offset)) - 1 };
}

export function toRange(span: unknown): object {
  const { start, end } = fieldsOf(span);
  return { start: toPosition(start), end: toPosition(end) };
}

export function toUri(file: unknown): string {
  return pathToFileURL(scalarText(file)).href;
}

export function toLocation(span: Fields): object {
  return { uri: toUri(span['file']), range: toRange(span) };
}

/** Converts edits of tsserver, each with the file that it is for, to a workspace edit. */
export function toWorkspaceEdit(changes: readonly Fields[]): object {
  const edits = changes.map(({ fileName, textChanges }) => [toUri(fileName), listOf(textChanges).map(toTextEdit)]);
  return { changes: Object.fromEntries(edits) };
}

export function toTextEdit(edit: Fields): object {
  return { range: toRange(edit), newText: scalarText(edit['newText']) };
}

function kindOf(kind: unknown): number {
  return KINDS[scalarText(kind)] ?? VARIABLE;
}

/**
 * Converts the parts of a tree of symbols. Symbols without a name, such as callbacks, are replaced by those that they
 * hold.
 */
export function toSymbols(items: unknown, depth = 0): object[] {
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

/** Converts a symbol that a search of the projects has found. */
export function toFoundSymbol(item: Fields): object {
  const { name, kind, containerName } = item;
  const container = scalarText(containerName);
  return {
    name: scalarText(name),
    kind: kindOf(kind),
    location: toLocation(item),
    ...(container !== '' && { containerName: container }),
  };
}

/** Converts a function that calls others or is called. */
export function toCallItem({ name, kind, file, span, selectionSpan }: Fields): object {
  const ranges = { range: toRange(span), selectionRange: toRange(selectionSpan) };
  return { name: scalarText(name), kind: kindOf(kind), uri: toUri(file), ...ranges };
}

export function toHover({ displayString, documentation }: Fields): object {
  const said = typeof documentation === 'string' ? documentation : listOf(documentation).map(textOf).join('');
  const value = ['```typescript', scalarText(displayString), '```', ...(said === '' ? [] : [said])].join('\n');
  return { contents: { kind: 'markdown', value } };
}

function textOf({ text }: Fields): string {
  return scalarText(text);
}
