import { nearestName, ToolError } from '@jinn/core/errors';
import type { FoundSymbol, Lines, Place, ServerView } from '../index.ts';
import { ownSymbols } from './own-symbols.ts';
import { lastName, linesOf } from './query.ts';

const MAX_CANDIDATES = 20;

interface NamedSymbol {
  /** The name, after those of its containers, joined by dots. */
  readonly path: string;
  readonly symbol: FoundSymbol;
}

/**
 * Finds where a file declares a symbol: `name`, or `Container.name`. Throws `not_found` if it does not, and `invalid_args`
 * with the candidates if it does so several times.
 */
export async function locateSymbol(view: ServerView, wanted: string): Promise<Place> {
  const { document } = view;
  const all = withPaths(await ownSymbols(view), []);
  const matching = all.filter(({ path, symbol }) => isCalled(path, wanted) || plainName(symbol.name) === wanted);
  const [only, ...others] = matching;
  if (only && others.length === 0) return only.symbol.nameRange.start;
  if (only) throw ambiguous(wanted, document.path, matching);
  throw notFound(wanted, document, all);
}

function withPaths(symbols: readonly FoundSymbol[], above: readonly string[]): NamedSymbol[] {
  return symbols.flatMap((symbol) => {
    const names = [...above, plainName(symbol.name)];
    return [{ path: names.join('.'), symbol }, ...withPaths(symbol.children, names)];
  });
}

/** Simplifies a name with a receiver or parameters, which some servers add: `(*S).M` is `S.M`, `m(int)` is `m`. */
function plainName(name: string): string {
  return name
    .replace(/^\(\*?([^)]+)\)\./, '$1.')
    .replace(/\(.*\)$/s, '')
    .trim();
}

function isCalled(path: string, wanted: string): boolean {
  return path === wanted || path.endsWith(`.${wanted}`);
}

function ambiguous(wanted: string, path: string, matching: readonly NamedSymbol[]): ToolError {
  const candidates = matching.slice(0, MAX_CANDIDATES).map(({ path: name, symbol: { kind, nameRange } }) => {
    return `${kind} ${name} (${nameRange.start.line}:${nameRange.start.character})`;
  });
  const message = `${path} has ${matching.length} symbols named ${JSON.stringify(wanted)}: ${candidates.join(', ')}`;
  return new ToolError('invalid_args', message, { suggestion: 'pass line too, or the name with what holds it' });
}

function notFound(wanted: string, { path, lines }: { path: string; lines: Lines }, all: readonly NamedSymbol[]) {
  const message = `${path} declares no symbol named ${JSON.stringify(wanted)}`;
  const [line] = linesOf(lines, lastName(wanted));
  const nearest = nearestName(
    wanted,
    all.map((named) => named.path),
  );
  const advice = nearest === undefined ? 'action symbols lists what it declares' : `did you mean ${nearest}?`;
  return new ToolError('not_found', message, {
    suggestion: line === undefined ? advice : `it stands on line ${line}: pass line: ${line}`,
  });
}
