import { parse, TomlDocument } from '@decimalturn/toml-patch';
import { type Editor, isObject, type Member, type Members, splice } from './config-editor.ts';
import { addMember, type BracedBlock, removeMember } from './edit-braced.ts';
import { addLines, cutLines, indentOfLine, lineStart, type Span } from './edit-lines.ts';

const BARE_KEY = /^[\w-]+$/;
const GAP = /^(?:\s|#[^\n]*(?:\n|$))*/;

/** Edits TOML. A new entry is a table at the end of the file; everything else keeps its form. */
export const tomlEditor: Editor = {
  parse: (text) => parse(text),
  set: (text, path, { name, value }, eol) => {
    const known = assignmentsOf(text).find((assignment) => isSame(assignment.path, [...path, name]));
    if (known) return splice(text, known.value.from, known.value.to, toToml(value));
    return insert(tomlEditor.remove(text, path, name), path, { name, value }, eol);
  },
  remove: (text, path, name) => {
    const target = [...path, name];
    const tables = tablesOf(text).filter((table) => startsWith(table.path, target));
    const rows = assignmentsOf(text).filter(
      ({ path: key, table }) => startsWith(key, target) && !startsWith(table.path, target),
    );
    const outermost = rows.filter(({ within }) => !within || !startsWith(within.path, target));
    const cuts = [
      ...tables.map((table) => ({ at: table.from, apply: (now: string) => cutTable(now, table) })),
      ...outermost.map((row) => ({ at: row.from, apply: (now: string) => cutAssignment(now, row) })),
    ];
    // From the end, so that the offsets of the others stay.
    return cuts.sort((a, b) => b.at - a.at).reduce((now, { apply }) => apply(now), text);
  },
};

type Path = readonly string[];

/** A table with a header; or the part above the first header, which has no path and may be empty. */
interface Table extends Span {
  readonly path: Path;
  readonly isList: boolean;
  readonly rows: readonly Assignment[];
}

/** A key with its value, by its path from the root of the document. */
interface Assignment extends Span {
  readonly path: Path;
  readonly value: Span;
  readonly table: Pick<Table, 'path'>;
  /** The assignment of the inline table that it stands in. */
  readonly within: Assignment | undefined;
  /** The assignments in its value, if that is an inline table. */
  readonly members: readonly Assignment[] | undefined;
}

type Node = TomlDocument['cst'][number];
type KeyValue = Extract<Node, { equals: number }>;

/** Finds where a node of the library stands in the text. */
type NodeLocator = (node: Pick<Node, 'loc'>) => Span;

function locatorOf(text: string): NodeLocator {
  const starts = [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
  const offset = ({ line, column }: Node['loc']['start']) => (starts[line - 1] ?? 0) + column;
  return ({ loc }) => ({ from: offset(loc.start), to: offset(loc.end) });
}

function tablesOf(text: string): Table[] {
  const blocks = new TomlDocument(text).cst;
  const source = { text, locate: locatorOf(text) };
  const top = { path: [], isList: false };
  const loose = blocks.flatMap((block) => ('equals' in block ? toAssignment(source, block, { table: top }) : []));
  const tables = blocks.flatMap((block) => {
    if (!('items' in block)) return [];
    const header = source.locate(block.key);
    const table = { path: block.key.item.value, isList: text.startsWith('[[', header.from) };
    const rows = block.items.flatMap((row) => ('equals' in row ? toAssignment(source, row, { table }) : []));
    return { ...table, rows, from: header.from, to: rows.at(-1)?.to ?? header.to };
  });
  return [{ ...top, rows: loose, from: 0, to: loose.at(-1)?.to ?? 0 }, ...tables];
}

function toAssignment(
  source: { readonly text: string; readonly locate: NodeLocator },
  { key, value }: KeyValue,
  { table, within }: { readonly table: Pick<Table, 'path'>; readonly within?: Assignment },
): Assignment {
  const path = [...(within ?? table).path, ...key.value];
  const span = source.locate(value);
  const isInline = 'items' in value && source.text[span.from] === '{';
  const members: Assignment[] = [];
  const { from } = source.locate(key);
  const assignment = { path, table, within, value: span, from, to: span.to, members: isInline ? members : undefined };
  for (const { item } of isInline ? value.items : []) {
    if ('equals' in item) members.push(toAssignment(source, item as KeyValue, { table, within: assignment }));
  }
  return assignment;
}

/** Returns all assignments, also those in inline tables. */
function assignmentsOf(text: string): Assignment[] {
  const deep = (assignment: Assignment): Assignment[] => [assignment, ...(assignment.members ?? []).flatMap(deep)];
  return tablesOf(text).flatMap(({ rows }) => rows.flatMap(deep));
}

/** Adds a member to the table at `path`, in the first of the ways to write it that the file allows. */
function insert(text: string, path: Path, { name, value }: Member, eol: string): string {
  const tables = tablesOf(text);
  const rows = tables.flatMap((table) => table.rows);
  const line = (prefix: Path = []) => `${[...prefix, name].map(toKey).join('.')} = ${toToml(value)}`;
  const ways: (() => string)[] = [];
  const inline = assignmentsOf(text).find(({ path: key, members }) => members && isSame(key, path));
  if (inline) ways.push(() => addMember(text, toBraced(inline), { eol, unit: '', print: () => line() }));
  if (isObject(value)) ways.push(() => appendTable(text, [...path, name], value, eol));
  const table = tables.find((one) => one.path.length > 0 && !one.isList && isSame(one.path, path));
  if (table) ways.push(() => addLines(text, table.to, [indentOfLine(text, table.to) + line()], eol));
  const dotted = rows.findLast((row) => startsWith(row.path, path) && row.table.path.length < path.length);
  if (dotted) {
    const prefix = path.slice(dotted.table.path.length);
    ways.push(() => addLines(text, dotted.to, [indentOfLine(text, dotted.from) + line(prefix)], eol));
  }
  ways.push(() => appendTable(text, path, { [name]: value }, eol));
  return ways.map((way) => way()).find(isToml) ?? text;
}

function isToml(text: string): boolean {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Adds a table at the end of the file, behind an empty line. */
function appendTable(text: string, path: Path, members: Members, eol: string): string {
  const rows = Object.entries(members).map(([key, value]) => `${toKey(key)} = ${toToml(value)}`);
  const header = `[${path.map(toKey).join('.')}]`;
  return addLines(text, text.length, [...(text === '' ? [] : ['']), header, ...rows], eol);
}

/** Cuts a table with the empty line above it. Comments behind it stay, since they may be about the next one. */
function cutTable(text: string, { from, to }: Table): string {
  const above = /(?:^|\n)(\r?\n)$/.exec(text.slice(0, lineStart(text, from)))?.[1] ?? '';
  return cutLines(text, { from: lineStart(text, from) - above.length, to });
}

function cutAssignment(text: string, { within, ...span }: Assignment): string {
  if (within === undefined) return cutLines(text, span);
  const braced = toBraced(within);
  return removeMember(
    text,
    braced,
    braced.members.findIndex(({ from }) => from === span.from),
  );
}

function toBraced({ value, members = [] }: Assignment): BracedBlock {
  return { open: value.from, close: value.to - 1, members, gap: GAP };
}

function startsWith(path: Path, prefix: Path): boolean {
  return prefix.every((key, i) => path[i] === key);
}

function isSame(one: Path, other: Path): boolean {
  return one.length === other.length && startsWith(one, other);
}

function toKey(name: string): string {
  return BARE_KEY.test(name) ? name : JSON.stringify(name);
}

/** Writes strings, numbers, truth values and lists of them as JSON does. */
function toToml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toToml).join(', ')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, member]) => `${toKey(key)} = ${toToml(member)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}
