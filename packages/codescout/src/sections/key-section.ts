import { ToolError } from '@jinn/core/errors';
import type { Section } from './section.ts';

const TABLE = /^\s*\[{1,2}\s*([^\]]+?)\s*\]{1,2}\s*(?:#.*)?$/;
const KEY = /^(\s*)(?:-\s+)?("[^"]*"|'[^']*'|[\w.\- ]+?)\s*[:=](?=\s|$|["'[{\d])/;
const MAX_LISTED = 20;
/** The longest name of a key or table. The patterns take time quadratic in the length of a line. */
const MAX_NAME = 300;

/**
 * Finds the lines of a table or of a key, by its dotted path, in TOML or in YAML. It reads only lines and indentation,
 * so that it works in a faulty file too.
 */
export function findKey(lines: readonly string[], wanted: string, path: string): Section {
  const parts = splitKey(wanted);
  const isToml = /\.toml$/i.test(path) || lines.some((line) => tableOf(line) !== undefined);
  const found = isToml ? findToml(lines, parts) : findYaml(lines, parts, { from: 0, to: lines.length, indent: -1 });
  if (found) return withoutBlankEnd(lines, found);
  const known = isToml ? lines.flatMap((line) => tableOf(line) ?? []) : topKeys(lines);
  const shown =
    known.length === 0 ? 'read the file to see its keys' : `it has ${known.slice(0, MAX_LISTED).join(', ')}`;
  throw new ToolError('not_found', `${path} has no key ${wanted.slice(0, 100)}`, {
    suggestion: isJson(lines) ? 'it is JSON: use json_path, such as $.key.inner, in the place of toml_key' : shown,
  });
}

function isJson(lines: readonly string[]): boolean {
  try {
    return typeof JSON.parse(lines.join('\n').replace(/^\ufeff/, '')) === 'object';
  } catch {
    return false;
  }
}

function splitKey(key: string): string[] {
  const parts = key.match(/"[^"]*"|'[^']*'|[^.]+/g) ?? [];
  return parts.map((part) => part.trim().replace(/^["']|["']$/g, ''));
}

function tableOf(line: string): string | undefined {
  return line.length > MAX_NAME ? undefined : TABLE.exec(line)?.[1];
}

function nameOf(line: string): string[] | undefined {
  const key = KEY.exec(line.slice(0, MAX_NAME))?.[2];
  return key === undefined ? undefined : splitKey(key);
}

/** A table or a key of TOML. Lines count from 0; `end` is the line behind it. */
interface TomlItem {
  readonly isTable: boolean;
  readonly name: readonly string[];
  readonly line: number;
  readonly end: number;
}

function tomlItems(lines: readonly string[]): TomlItem[] {
  const items: TomlItem[] = [];
  for (let line = 0; line < lines.length; line = items.at(-1)?.line === line ? (items.at(-1)?.end ?? 0) : line + 1) {
    const text = lines[line] as string;
    const table = tableOf(text);
    const name = table === undefined ? nameOf(text) : splitKey(table);
    if (name === undefined) continue;
    const end = table === undefined ? endOfValue(lines, line, lines.length) : line + 1;
    items.push({ isTable: table !== undefined, name, line, end });
  }
  return items;
}

function findToml(lines: readonly string[], parts: readonly string[]): Section | undefined {
  const items = tomlItems(lines);
  let owner: readonly string[] = [];
  for (const [index, item] of items.entries()) {
    if (item.isTable) owner = item.name;
    const name = item.isTable ? item.name : [...owner, ...item.name];
    if (!isSame(name, parts)) continue;
    if (!item.isTable) return { start: item.line + 1, end: item.end };
    const isOutside = (other: TomlItem) => other.isTable && !isSame(other.name.slice(0, parts.length), parts);
    return { start: item.line + 1, end: items.slice(index + 1).find(isOutside)?.line ?? lines.length };
  }
  return undefined;
}

function endOfValue(lines: readonly string[], from: number, end: number): number {
  let depth = 0;
  let quotes = 0;
  for (let at = from; at < end; at++) {
    const line = lines[at] as string;
    quotes += (line.match(/"""|'''/g) ?? []).length;
    const bare = line.replace(/"(?:\\.|[^"\\])*"|'[^']*'|#.*$/g, '');
    if (quotes % 2 === 0) depth += (bare.match(/[[{]/g) ?? []).length - (bare.match(/[\]}]/g) ?? []).length;
    if (quotes % 2 === 0 && depth <= 0) return at + 1;
  }
  return end;
}

interface Block {
  readonly from: number;
  readonly to: number;
  /** The indentation of the key that holds the block. */
  readonly indent: number;
}

function findYaml(lines: readonly string[], [first, ...rest]: readonly string[], block: Block): Section | undefined {
  let level: number | undefined;
  for (let at = block.from; at < block.to; at++) {
    const line = lines[at] as string;
    if (isBlank(line)) continue;
    const indent = line.search(/\S/);
    level ??= indent;
    if (indent !== level || nameOf(line)?.join('.') !== first) continue;
    let end = at + 1;
    while (end < block.to && (isBlank(lines[end] as string) || isDeeper(lines[end] as string, indent))) end++;
    return rest.length === 0 ? { start: at + 1, end } : findYaml(lines, rest, { from: at + 1, to: end, indent });
  }
  return undefined;
}

function isDeeper(line: string, indent: number): boolean {
  const own = line.search(/\S/);
  return own > indent || (own === indent && /^\s*-(\s|$)/.test(line));
}

function isBlank(line: string): boolean {
  return /^\s*(#.*|---\s*)?$/.test(line);
}

function topKeys(lines: readonly string[]): string[] {
  return lines.filter((line) => /^\S/.test(line)).flatMap((line) => nameOf(line)?.join('.') ?? []);
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((part, index) => part === b[index]);
}

function withoutBlankEnd(lines: readonly string[], { start, end }: Section): Section {
  let last = end;
  while (last > start && (lines[last - 1] as string).trim() === '') last--;
  return { start, end: last };
}
