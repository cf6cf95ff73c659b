import { isMap, isScalar, type Pair, parseDocument, stringify, type YAMLMap } from 'yaml';
import { type Editor, type Member, splice } from './config-editor.ts';

const UNIT = '  ';

/** YAML. Only the lines of what is set are written; the library would write the whole file anew. */
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
    const [, from] = rangeOf(known.key);
    const [, to] = known.value ? rangeOf(known.value) : [0, from];
    return splice(text, from, to, `: ${JSON.stringify(value)}`);
  },
  remove: (text, path, name) => {
    const map = mapAt(text, path);
    const pair = map && find(map, name);
    if (pair === undefined) return text;
    const [start] = rangeOf(pair.key);
    const [, end] = pair.value ? rangeOf(pair.value) : rangeOf(pair.key);
    const from = text.lastIndexOf('\n', start - 1) + 1;
    const newline = text.indexOf('\n', Math.max(from, end - 1));
    return splice(text, from, newline < 0 ? text.length : newline + 1, '');
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

/** Where a node begins, where its value ends, and where what belongs to it ends. */
function rangeOf(node: unknown): [number, number, number] {
  return (node as { range?: [number, number, number] | null }).range ?? [0, 0, 0];
}

/** Sets a member where the map of `path` is missing or empty: behind its key, or at the end of the file. */
function setMissing(text: string, path: readonly string[], { name, value }: Member, eol: string): string {
  const [key = name] = path;
  const root = mapAt(text, []);
  const pair = root && find(root, key);
  const lines = indent(toLines({ [name]: value }), UNIT);
  if (pair === undefined) {
    const gap = text === '' || text.endsWith('\n') ? '' : eol;
    return `${text}${gap}${[`${key}:`, ...lines].join(eol)}${eol}`;
  }
  const [, end] = rangeOf(pair.key);
  const newline = text.indexOf('\n', end);
  const at = newline < 0 ? text.length : newline + 1;
  return splice(text, at, at, `${newline < 0 ? eol : ''}${lines.join(eol)}${eol}`);
}

function add(text: string, map: YAMLMap, { name, value }: Member, eol: string): string {
  const [start, end] = rangeOf(map);
  const last = map.items.at(-1);
  if (map.flow || last === undefined) {
    const gap = last === undefined ? '' : ', ';
    const close = text.lastIndexOf('}', end - 1);
    return splice(text, close, close, `${gap}${JSON.stringify(name)}: ${JSON.stringify(value)}`);
  }
  const column = start - text.lastIndexOf('\n', start - 1) - 1;
  const lines = indent(toLines({ [name]: value }), ' '.repeat(column));
  const valueEnd = last.value ? rangeOf(last.value)[1] : rangeOf(last.key)[1];
  const newline = text.indexOf('\n', Math.max(start, valueEnd - 1));
  const at = newline < 0 ? text.length : newline + 1;
  return splice(text, at, at, `${newline < 0 ? eol : ''}${lines.join(eol)}${eol}`);
}

function toLines(value: object): string[] {
  return stringify(value, { lineWidth: 0 }).trimEnd().split('\n');
}

function indent(lines: readonly string[], by: string): string[] {
  return lines.map((line) => by + line);
}
