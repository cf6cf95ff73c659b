import { ToolError } from '@jinn/core/errors';
import { showJsonPart } from './json-part.ts';
import { type LineSection, type Navigation, showPart } from './shown-part.ts';

const TABLE = /^\s*\[{1,2}\s*([^\]]+?)\s*\]{1,2}\s*(?:#.*)?$/;
const KEY = /^(\s*)(?:-\s+)?("[^"]*"|'[^']*'|[\w.\- ]+?)\s*[:=](?=\s|$|["'[{\d])/;
const MAX_LISTED = 20;

/** The longest name of a key or table. The patterns take time quadratic in the length of a line. */
const MAX_NAME = 300;

/** A table or a key of TOML. Lines count from 0. `end` is the line after it. */
interface TomlItem {
  readonly isTable: boolean;
  readonly name: readonly string[];
  readonly line: number;
  readonly end: number;
}

interface Block {
  readonly from: number;
  readonly to: number;
  /** The indentation of the key that holds the block. */
  readonly indent: number;
}

const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*)$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

interface Heading {
  readonly level: number;
  readonly title: string;
  /** From 1. */
  readonly line: number;
}

const MAX_BYTES = 16 * 1024 * 1024;

/** Finds a part of a structured text, and its lines. Throws `not_found` or `invalid_args`. */
export function navigate(text: string, navigation: Navigation): object {
  const { by, to, path } = navigation;
  if (text.length > MAX_BYTES) {
    throw new ToolError('file_too_large', `${path} is too large for ${by} (over 16 MiB)`, {
      suggestion: 'find the lines with search_pattern, and read them with start_line and end_line',
    });
  }
  if (by === 'json_path') return showJsonPart(text, navigation);
  const lines = text.split('\n');
  const section = by === 'heading' ? findHeading(lines, to, path) : findKey(lines, to, path);
  const content = lines.slice(section.start - 1, section.end).join('\n');
  return showPart({ ...section, content: section.end < lines.length ? `${content}\n` : content }, navigation);
}

function findHeading(lines: readonly string[], wanted: string, path: string): LineSection {
  const headings = headingsOf(lines);
  const title = wanted.replace(/^#+\s*/, '').trim();
  const folded = title.toLowerCase();
  const found =
    headings.findIndex((heading) => heading.title === title) + 1 ||
    headings.findIndex((heading) => heading.title.toLowerCase() === folded) + 1 ||
    headings.findIndex((heading) => heading.title.toLowerCase().includes(folded)) + 1;
  const heading = title === '' ? undefined : headings[found - 1];
  if (!heading) throw noHeading(headings, wanted, path);
  const next = headings.slice(found).find(({ level }) => level <= heading.level);
  return { start: heading.line, end: next ? next.line - 1 : lastLine(lines) };
}

function headingsOf(lines: readonly string[]): Heading[] {
  const headings: Heading[] = [];
  let fence: string | undefined;
  for (const [index, line] of lines.entries()) {
    const mark = FENCE.exec(line)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence)) fence = undefined;
      continue;
    }
    fence = mark;
    const [, hashes, title] = HEADING.exec(line.trimEnd()) ?? [];
    if (hashes === undefined || title === undefined) continue;
    headings.push({ level: hashes.length, title: withoutHashes(title), line: index + 1 });
  }
  return headings;
}

function withoutHashes(title: string): string {
  let end = title.length;
  while (title[end - 1] === '#') end--;
  return end === title.length || title[end - 1] === ' ' ? title.slice(0, end).trim() : title.trim();
}

function lastLine(lines: readonly string[]): number {
  return lines.at(-1) === '' ? lines.length - 1 : lines.length;
}

function noHeading(headings: readonly Heading[], wanted: string, path: string): ToolError {
  const titles = headings.slice(0, MAX_LISTED).map(({ title }) => JSON.stringify(title.slice(0, 80)));
  return new ToolError('not_found', `${path} has no heading ${JSON.stringify(wanted.slice(0, 100))}`, {
    suggestion: titles.length === 0 ? 'it has no headings: read its lines' : `its headings: ${titles.join(', ')}`,
  });
}

/** It reads only lines and indentation, so that it works in a faulty file too. */
function findKey(lines: readonly string[], wanted: string, path: string): LineSection {
  const parts = splitKey(wanted);
  const isToml = /\.toml$/i.test(path) || lines.some((line) => tableOf(line) !== undefined);
  const found = isToml ? findToml(lines, parts) : findYaml(lines, parts, { from: 0, to: lines.length, indent: -1 });
  if (found) return withoutBlankEnd(lines, found);
  const known = isToml ? lines.flatMap((line) => tableOf(line) ?? []) : topKeys(lines);
  const shown =
    known.length === 0 ? 'read the file to see its keys' : `it has ${known.slice(0, MAX_LISTED).join(', ')}`;
  throw new ToolError('not_found', `${path} has no key ${wanted.slice(0, 100)}`, {
    suggestion: isJson(lines) ? 'it is JSON: use json_path, such as $.key.inner, instead of toml_key' : shown,
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

function findToml(lines: readonly string[], parts: readonly string[]): LineSection | undefined {
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

function findYaml(
  lines: readonly string[],
  [first, ...rest]: readonly string[],
  block: Block,
): LineSection | undefined {
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

function withoutBlankEnd(lines: readonly string[], { start, end }: LineSection): LineSection {
  let last = end;
  while (last > start && (lines[last - 1] as string).trim() === '') last--;
  return { start, end: last };
}
