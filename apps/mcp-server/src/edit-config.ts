import {
  applyEdits,
  findNodeAtLocation,
  modify,
  type ParseError,
  parse,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import { isMap, parseDocument } from 'yaml';
import type { HostKind } from './hosts.ts';

const NAME = 'jinn';
const COMMENTS = { allowTrailingComma: true, disallowComments: false };

/** Returns the text of a configuration with the entry set. All else stays as it was, comments too. Throws an Error if the text does not parse. */
export function setEntry(text: string, { format, key }: Pick<HostKind, 'format' | 'key'>, entry: object): string {
  switch (format) {
    case 'json':
      return setJson(text, key, entry);
    case 'yaml':
      return setYaml(text, key, entry);
    case 'toml':
      return setToml(text, key, entry);
  }
}

function setJson(text: string, key: string, entry: object): string {
  const source = text.trim() === '' ? '{}\n' : text;
  const errors: ParseError[] = [];
  const root: unknown = parse(source, errors, COMMENTS);
  const [fault] = errors;
  if (fault) throw new Error(`it is not JSON: ${printParseErrorCode(fault.error)} at character ${fault.offset}`);
  if (!isObject(root)) throw new Error('it is not a JSON object');
  if (root[key] !== undefined && !isObject(root[key])) throw new Error(`its ${key} is not an object`);
  const tree = parseTree(source, [], COMMENTS);
  const found = tree && findNodeAtLocation(tree, [key, NAME]);
  if (
    found &&
    JSON.stringify(parse(source.slice(found.offset, found.offset + found.length))) === JSON.stringify(entry)
  ) {
    return text;
  }
  const indent = /^([ \t]+)\S/m.exec(source)?.[1] ?? '  ';
  const formattingOptions = { insertSpaces: !indent.startsWith('\t'), tabSize: indent.length, eol: '\n' };
  return applyEdits(source, modify(source, [key, NAME], entry, { formattingOptions }));
}

function setYaml(text: string, key: string, entry: object): string {
  const document = parseDocument(text);
  const [fault] = document.errors;
  if (fault) throw new Error(`it is not YAML: ${fault.message}`);
  if (document.contents !== null && !isMap(document.contents)) throw new Error('it is not a YAML mapping');
  const present = document.toJS() as Record<string, Record<string, unknown> | null> | null;
  if (present?.[key] !== undefined && present[key] !== null && !isObject(present[key])) {
    throw new Error(`its ${key} is not a mapping`);
  }
  if (JSON.stringify(present?.[key]?.[NAME]) === JSON.stringify(entry)) return text;
  if (present?.[key] === null) document.delete(key);
  document.setIn([key, NAME], document.createNode(entry));
  return document.toString();
}

/** Sets the table of the entry by editing the text, since no TOML library keeps comments. Other tables are not read. */
function setToml(text: string, key: string, entry: object): string {
  const header = `[${key}.${NAME}]`;
  const members = Object.entries(entry).map(([name, value]) => `${name} = ${toToml(value)}\n`);
  const table = `${header}\n${members.join('')}`;
  const lines = text.split(/(?<=\n)/);
  const start = findTable(text, key);
  if (start === -1) {
    const gap = text === '' ? '' : text.endsWith('\n') ? '\n' : '\n\n';
    return `${text}${gap}${table}`;
  }
  const next = lines.findIndex((line, i) => i > start && /^\s*\[/.test(line));
  let end = next === -1 ? lines.length : next;
  // Blank lines and comments before the next table belong to that one.
  while (end > start + 1 && /^(#|$)/.test(lines[end - 1]?.trim() ?? '')) end--;
  return [...lines.slice(0, start), table, ...lines.slice(end)].join('');
}

/** Returns the index of the line where the table begins, or -1. */
function findTable(text: string, key: string): number {
  const quoted = `(?:${NAME}|"${NAME}"|'${NAME}')`;
  if (
    new RegExp(`^\\s*${key}\\s*=|^\\s*\\[\\s*${key}\\s*\\]\\s*\\n(?:(?!\\s*\\[).*\\n)*?\\s*${quoted}\\s*=`, 'm').test(
      text,
    )
  ) {
    throw new Error(`it sets ${key} inline; write [${key}.${NAME}] yourself`);
  }
  const header = new RegExp(`^[ \\t]*\\[\\s*${key}\\s*\\.\\s*${quoted}\\s*\\]`);
  return text.split('\n').findIndex((line) => header.test(line));
}

/** Writes strings and arrays of strings as JSON, which is also TOML. */
function toToml(value: unknown): string {
  return Array.isArray(value) ? `[${value.map((item) => JSON.stringify(item)).join(', ')}]` : JSON.stringify(value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
