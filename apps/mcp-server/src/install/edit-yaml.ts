import { isMap, isScalar, type Pair, parseDocument, stringify, type YAMLMap } from 'yaml';
import { type Editor, type Member, splice } from './config-editor.ts';
import { addMember, type BracedBlock, isWrapped, removeMember } from './edit-braced.ts';
import { addLines, cutLines, lineStart, type Span } from './edit-lines.ts';

const UNIT = '  ';
const GAP = /^(?:\s|#[^\n]*(?:\n|$))*/;

/** Edits YAML. Only the lines of the set member are written; the library would write the whole file anew. */
export const yamlEditor: Editor = {
  parse: (text) => {
    const document = parseDocument(text);
    const [fault] = document.errors;
    if (fault) throw new Error(fault.message);
    return document.toJS();
  },
  set: (text, path, { name, value }, eol) => {
    const map = mapAt(text, path);
    if (map === undefined) return setMissing(text, path, { name, value }, eol);
    const known = find(map, name);
    if (known === undefined) return add(text, map, { name, value }, eol);
    return splice(text, rangeOf(known.key)[1], spanOf(text, known).to, `: ${JSON.stringify(value)}`);
  },
  remove: (text, path, name) => {
    const map = mapAt(text, path);
    const pair = map && find(map, name);
    if (map === undefined || pair === undefined) return text;
    const outer = path.at(-1);
    if (outer !== undefined && isMadeFor(text, map, path)) return yamlEditor.remove(text, path.slice(0, -1), outer);
    return map.flow
      ? removeMember(text, toBraced(text, map), map.items.indexOf(pair))
      : cutLines(text, spanOf(text, pair));
  },
};

function mapAt(text: string, path: readonly string[]): YAMLMap | undefined {
  const document = parseDocument(text);
  const node = path.length === 0 ? document.contents : document.getIn(path, true);
  return isMap(node) ? node : undefined;
}

function find(map: YAMLMap, name: string): Pair | undefined {
  return map.items.find(({ key }) => (isScalar(key) ? key.value : key) === name);
}

/** Returns where a node begins and where its value ends. */
function rangeOf(node: unknown): [number, number] {
  const [from, to] = (node as { range?: [number, number, number] | null }).range ?? [0, 0];
  return [from, to];
}

/** Returns the span from the first character of the key to the last one of the value. */
function spanOf(text: string, pair: Pair): Span {
  const [from] = rangeOf(pair.key);
  return { from, to: from + text.slice(from, endOf(pair)).trimEnd().length };
}

/** Returns the end of the value, with the line end after it if the value is a block of lines. */
function endOf({ key, value }: Pair): number {
  return Math.max(rangeOf(key)[1], value ? rangeOf(value)[1] : 0);
}

function toBraced(text: string, map: YAMLMap): BracedBlock {
  const [open, end] = rangeOf(map);
  return { open, close: end - 1, members: map.items.map((pair) => spanOf(text, pair)), gap: GAP };
}

/** Reports whether a map looks as if it had been made for the one member that it has. */
function isMadeFor(text: string, map: YAMLMap, path: readonly string[]): boolean {
  if (map.flow) return isWrapped(text, toBraced(text, map));
  const [only, another] = map.items;
  const outer = mapAt(text, path.slice(0, -1));
  const around = outer && find(outer, path.at(-1) as string);
  if (!only || another || !around || outer.flow || !isMap(only.value) || only.value.flow) return false;
  return /^:[ \t]*\r?\n[ \t]*$/.test(text.slice(rangeOf(around.key)[1], rangeOf(only.key)[0]));
}

/** Sets a member of a map that is missing or empty. */
function setMissing(text: string, [key = '']: readonly string[], { name, value }: Member, eol: string): string {
  const root = mapAt(text, []);
  if (root === undefined) return addLines(text, text.length, toLines({ [key]: { [name]: value } }, ''), eol);
  const indent = indentOf(text, root);
  const pair = find(root, key);
  if (pair) {
    // A member on one line tells isMadeFor that the key was there before.
    return addLines(text, rangeOf(pair.key)[1], [`${indent}${UNIT}${name}: ${JSON.stringify(value)}`], eol);
  }
  if (root.flow) return addFlow(text, root, `${JSON.stringify(key)}: { ${printFlow(name, value)} }`, eol);
  return addLines(text, text.length, toLines({ [key]: { [name]: value } }, indent), eol);
}

/** Adds a member behind the last one. */
function add(text: string, map: YAMLMap, { name, value }: Member, eol: string): string {
  const last = map.items.at(-1);
  if (map.flow || last === undefined) return addFlow(text, map, printFlow(name, value), eol);
  return addLines(text, endOf(last), toLines({ [name]: value }, indentOf(text, map)), eol);
}

function addFlow(text: string, map: YAMLMap, member: string, eol: string): string {
  return addMember(text, toBraced(text, map), { eol, unit: UNIT, print: () => member });
}

function printFlow(name: string, value: unknown): string {
  return `${JSON.stringify(name)}: ${JSON.stringify(value)}`;
}

function indentOf(text: string, map: YAMLMap): string {
  const [start] = rangeOf(map);
  return ' '.repeat(start - lineStart(text, start));
}

function toLines(value: object, indent: string): string[] {
  const lines = stringify(value, { lineWidth: 0 }).trimEnd().split('\n');
  return lines.map((line) => indent + line);
}
