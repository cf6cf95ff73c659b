import type { FileEdit, FoundLocation, LocationPage, NamedLocation, ServerSymbol } from '../index.ts';

const MAX_LINES = 1_000;
const MAX_TEXT = 200;

export interface ActionAnswer {
  readonly text: string;
  readonly totalCount?: number;
  readonly truncated?: boolean;
  readonly meta?: object;
  /** Undefined if no file can be missing. */
  readonly files?: readonly string[] | undefined;
  /** False if references lack the place that was asked about. */
  readonly hasPlace?: boolean;
}

const MAX_LINE = 300;
/** Up to this many references get no headings. */
const MAX_UNGROUPED = 20;
const MAX_SYMBOLS = 2_000;
const MAX_NAMED = 200;
const MAX_CALLS = 5;

function showLocation(location: FoundLocation): string {
  const text = 'text' in location ? location.text.trim().slice(0, MAX_LINE) : '';
  return text === '' ? showPlace(location) : `${showPlace(location)}  ${text}`;
}

function showPlace(location: FoundLocation): string {
  if ('outside' in location) return `${location.outside}:${location.line} (outside of the workspace)`;
  const { line, character } = location.range.start;
  return `${location.path}:${line}:${character}`;
}

export function formatLocations(locations: readonly FoundLocation[]): ActionAnswer | undefined {
  if (locations.length === 0) return undefined;
  return { text: locations.map(showLocation).join('\n'), totalCount: locations.length, files: locations.map(fileOf) };
}

/** Many references in several files get headings. */
export function formatReferences(page: LocationPage, offset: number): ActionAnswer | undefined {
  const { locations, total, perFile, hasPlace } = page;
  if (total === 0) return undefined;
  const end = offset + locations.length;
  const isPart = locations.length < total;
  const from = offset > 0 ? `, from ${offset + 1} on` : '';
  const next = end < total ? ` pass offset: ${end} for the next ones` : '';
  const bounds = isPart ? [`[truncated: showing ${locations.length} of ${total}${from}]${next}`] : [];
  const isGrouped = total > MAX_UNGROUPED && perFile.size > 1;
  const lines = isGrouped ? toGroups(page) : locations.map(showLocation);
  return {
    text: [...lines, ...bounds].join('\n'),
    totalCount: total,
    ...(end < total && { truncated: true }),
    meta: { per_file: Object.fromEntries(perFile) },
    files: [...perFile.keys()],
    hasPlace,
  };
}

function toGroups({ locations, perFile }: LocationPage): string[] {
  return locations.flatMap((location, i) => {
    const file = fileOf(location);
    const before = locations[i - 1];
    if (before && fileOf(before) === file) return [showLocation(location)];
    const where = 'outside' in location ? ' (outside of the workspace)' : '';
    return [`${file}: ${perFile.get(file)} reference(s)${where}`, showLocation(location)];
  });
}

function fileOf(location: FoundLocation): string {
  return 'outside' in location ? location.outside : location.path;
}

export function formatNamed(named: readonly NamedLocation[]): ActionAnswer | undefined {
  if (named.length === 0) return undefined;
  const lines = named.slice(0, MAX_NAMED).map(({ name, kind, container, location, calls = [] }) => {
    const within = container === undefined ? '' : ` in ${container}`;
    const shown = calls.slice(0, MAX_CALLS).map((call) => `\n  ${showLocation(call)}`);
    const more = calls.length > MAX_CALLS ? `\n  and ${calls.length - MAX_CALLS} more calls` : '';
    return `${showPlace(location)}  ${kind} ${name}${within}${shown.join('')}${more}`;
  });
  return { ...toPart(lines, named.length), files: named.map(({ location }) => fileOf(location)) };
}

export function formatSymbols(symbols: readonly ServerSymbol[]): ActionAnswer | undefined {
  if (symbols.length === 0) return undefined;
  const lines = toLines(symbols, '');
  return toPart(lines.slice(0, MAX_SYMBOLS), lines.length);
}

function toLines(symbols: readonly ServerSymbol[], indent: string): string[] {
  return symbols.flatMap(({ kind, name, nameRange: { start }, children }) => [
    `${indent}${kind} ${name} (${start.line}:${start.character})`,
    ...toLines(children, `${indent}  `),
  ]);
}

/** Makes an answer of some lines out of `total`. */
export function toPart(lines: readonly string[], total: number): ActionAnswer {
  if (lines.length === total) return { text: lines.join('\n'), totalCount: total };
  const text = [...lines, `[truncated: showing ${lines.length} of ${total}]`].join('\n');
  return { text, totalCount: total, truncated: true };
}

/** Formats the edits of each file, and how many there are. Undefined for none. */
export function formatEdits(edits: readonly FileEdit[]): ActionAnswer | undefined {
  if (edits.length === 0) return undefined;
  const lines = edits.flatMap(showEdit);
  const count = edits.reduce((sum, edit) => sum + (edit.kind === 'change' ? edit.edits.length : 0), 0);
  const shown = toPart(lines.slice(0, MAX_LINES), lines.length);
  const { totalCount: _, ...told } = shown;
  return { ...told, text: `${told.text}\n\n${edits.length} file(s), ${count} edit(s) total` };
}

function showEdit(edit: FileEdit): string[] {
  switch (edit.kind) {
    case 'change':
      return [`${edit.path}: ${edit.edits.length} edit(s)`, ...showChange(edit)];
    case 'create':
      return [`${edit.path}: created`];
    case 'rename':
      return [`${edit.path}: renamed to ${edit.to}${edit.before === edit.after ? '' : ', and edited'}`];
    case 'delete':
      return [`${edit.path}: deleted`];
  }
}

function showChange({ before, after, edits }: Extract<FileEdit, { kind: 'change' }>): string[] {
  const [old, present] = [before, after].map((text) => text.split(/\r?\n/)) as [string[], string[]];
  let shift = 0;
  return hunksOf(edits).flatMap(({ from, to, added }) => {
    const first = from + shift;
    shift += added;
    const show = (sign: string, lines: readonly string[], [start, end]: readonly [number, number]) =>
      lines.slice(start - 1, end).map((line, i) => `  ${sign} ${start + i}: ${cut(line)}`);
    return [...show('-', old, [from, to]), ...show('+', present, [first, to + shift])];
  });
}

function hunksOf(edits: Extract<FileEdit, { kind: 'change' }>['edits']) {
  const hunks: { from: number; to: number; added: number }[] = [];
  for (const { range, newText } of edits) {
    const { start, end } = range;
    const added = newText.split('\n').length - 1 - (end.line - start.line);
    const last = hunks.at(-1);
    if (last && start.line <= last.to)
      Object.assign(last, { to: Math.max(last.to, end.line), added: last.added + added });
    else hunks.push({ from: start.line, to: end.line, added });
  }
  return hunks;
}

function cut(line: string): string {
  return line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT)}…` : line;
}
