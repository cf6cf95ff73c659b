import type { FoundLocation, FoundSymbol, LocationPage, NamedLocation } from '../index.ts';

/** The answer of an action, before it is known whether it is complete. */
export interface ActionAnswer {
  readonly text: string;
  readonly totalCount?: number;
  readonly truncated?: boolean;
  readonly meta?: object;
  /** The files that an answer about the whole project names; undefined if none can be missing. */
  readonly files?: readonly string[] | undefined;
}

const MAX_LINE = 300;
/** Up to this many references get no headings. */
const MAX_UNGROUPED = 20;
const MAX_SYMBOLS = 2_000;
const MAX_NAMED = 200;
/** The most calls that are shown of one caller. */
const MAX_CALLS = 5;

/** Formats a location as `file:line:col`, then the line; outside of the workspace, only as a name and a line number. */
function showLocation(location: FoundLocation): string {
  const text = 'text' in location ? location.text.trim().slice(0, MAX_LINE) : '';
  return text === '' ? showPlace(location) : `${showPlace(location)}  ${text}`;
}

function showPlace(location: FoundLocation): string {
  if ('outside' in location) return `${location.outside}:${location.line} (outside of the workspace)`;
  const { line, character } = location.range.start;
  return `${location.path}:${line}:${character}`;
}

/** Formats locations, one on a line. */
export function formatLocations(locations: readonly FoundLocation[]): ActionAnswer | undefined {
  if (locations.length === 0) return undefined;
  return { text: locations.map(showLocation).join('\n'), totalCount: locations.length, files: locations.map(fileOf) };
}

/**
 * Formats references, one on a line, sorted by file, and the total if these are not all. Many references in several
 * files get headings.
 */
export function formatReferences(page: LocationPage, offset: number): ActionAnswer | undefined {
  const { locations, total, perFile } = page;
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
  };
}

/**
 * Formats `file: N reference(s)` before the lines of each file; N is the total of the file, even of those not shown.
 */
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

/** Formats symbols, one on a line: the place, the kind, the name, and the container. */
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

/** Formats `Kind Name (line:col)`, one symbol on a line; symbols within another are indented below it. */
export function formatSymbols(symbols: readonly FoundSymbol[]): ActionAnswer | undefined {
  if (symbols.length === 0) return undefined;
  const lines = toLines(symbols, '');
  return toPart(lines.slice(0, MAX_SYMBOLS), lines.length);
}

function toLines(symbols: readonly FoundSymbol[], indent: string): string[] {
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
