import type { FoundLocation, FoundSymbol, LocationPage, NamedLocation } from '@jinn/lsp';

/** What an action answers, before it is known whether the server has told everything. */
export interface Told {
  readonly text: string;
  readonly totalCount?: number;
  readonly truncated?: boolean;
  readonly meta?: object;
}

const MAX_LINE = 300;
/** So few references get no headings. */
const MAX_UNGROUPED = 20;
const MAX_SYMBOLS = 2_000;
const MAX_NAMED = 200;

/** `file:line:col`, then the line; only a name and a line for what lies outside of the workspace. */
function showLocation(location: FoundLocation): string {
  const text = 'text' in location ? location.text.trim().slice(0, MAX_LINE) : '';
  return text === '' ? showPlace(location) : `${showPlace(location)}  ${text}`;
}

function showPlace(location: FoundLocation): string {
  if ('outside' in location) return `${location.outside}:${location.line} (outside of the workspace)`;
  const { line, character } = location.range.start;
  return `${location.path}:${line}:${character}`;
}

/** One line a location. */
export function tellLocations(locations: readonly FoundLocation[]): Told | undefined {
  if (locations.length === 0) return undefined;
  return { text: locations.map(showLocation).join('\n'), totalCount: locations.length };
}

/** One line a reference, sorted by file, and how many there are if these are not all. Many of several files get headings. */
export function tellReferences(page: LocationPage, offset: number): Told | undefined {
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
  };
}

/** `file: N reference(s)` before the lines of each file; N is how many the file has, also if not all are shown. */
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

/** One line a symbol: where it is, its kind, its name, and what holds it. */
export function tellNamed(named: readonly NamedLocation[]): Told | undefined {
  if (named.length === 0) return undefined;
  const lines = named.slice(0, MAX_NAMED).map(({ name, kind, container, location }) => {
    const within = container === undefined ? '' : ` in ${container}`;
    return `${showPlace(location)}  ${kind} ${name}${within}`;
  });
  return toPart(lines, named.length);
}

/** `Kind Name (line:col)`, one line a symbol; what is within another is indented below it. */
export function tellSymbols(symbols: readonly FoundSymbol[]): Told | undefined {
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

/** The answer of some lines out of `total`. */
export function toPart(lines: readonly string[], total: number): Told {
  if (lines.length === total) return { text: lines.join('\n'), totalCount: total };
  const text = [...lines, `[truncated: showing ${lines.length} of ${total}]`].join('\n');
  return { text, totalCount: total, truncated: true };
}
