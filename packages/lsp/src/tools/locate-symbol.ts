import { nearestName, ToolError } from '@jinn/core/errors';
import { findDocumentSymbols, type Place, type ServerSymbol, type ServerView, type TextLines } from '../index.ts';
import { lastName, linesNaming } from './query.ts';

/** Files in which an identifier may hold a hyphen. */
const HYPHENATED = /\.(css|s[ac]ss|less|html?|clj[cs]?|ya?ml)$/i;
/** Statements that import or export a name in TypeScript or JavaScript without declaring it. */
const SPECIFIERS = /^[ \t]*(?:import\b(?!\s*[(.])[^'"`;]*['"]|export\s+(?:type\s*)?(?:\{[^{}]*\}|\*[^'"`;]*['"]))/gm;
const SCRIPT = /^(?:type|java)script/;
const MAX_CANDIDATES = 20;

interface NamedSymbol {
  /** Names joined by dots. */
  readonly path: string;
  readonly symbol: ServerSymbol;
}

/**
 * Finds `name` or `Container.name`. Throws `not_found`, and `invalid_args` with the candidates if there are several.
 */
export async function locateSymbol(view: ServerView, wanted: string): Promise<Place> {
  const { document } = view;
  const all = withPaths(await ownSymbols(view), []);
  const matching = all.filter(
    ({ path, symbol }) => path === wanted || path.endsWith(`.${wanted}`) || plainName(symbol.name) === wanted,
  );
  const [only, ...others] = matching;
  if (only && others.length === 0) return only.symbol.nameRange.start;
  if (only) throw ambiguous(wanted, document.path, matching);
  throw notFound(wanted, document, all);
}

function withPaths(symbols: readonly ServerSymbol[], above: readonly string[]): NamedSymbol[] {
  return symbols.flatMap((symbol) => {
    const names = [...above, plainName(symbol.name)];
    return [{ path: names.join('.'), symbol }, ...withPaths(symbol.children, names)];
  });
}

/** Some servers add receivers and parameters: `(*S).M` is `S.M`, `m(int)` is `m`. */
function plainName(name: string): string {
  return name
    .replace(/^\(\*?([^)]+)\)\./, '$1.')
    .replace(/\(.*\)$/s, '')
    .trim();
}

function ambiguous(wanted: string, path: string, matching: readonly NamedSymbol[]): ToolError {
  const candidates = matching.slice(0, MAX_CANDIDATES).map(({ path: name, symbol: { kind, nameRange } }) => {
    return `${kind} ${name} (${nameRange.start.line}:${nameRange.start.character})`;
  });
  const message = `${path} has ${matching.length} symbols named ${JSON.stringify(wanted)}: ${candidates.join(', ')}`;
  return new ToolError('invalid_args', message, { suggestion: 'pass line too, or the name with what holds it' });
}

function notFound(wanted: string, { path, lines }: { path: string; lines: TextLines }, all: readonly NamedSymbol[]) {
  const message = `${path} declares no symbol named ${JSON.stringify(wanted)}`;
  const [line] = linesNaming(lines, lastName(wanted));
  const nearest = nearestName(
    wanted,
    all.map((named) => named.path),
  );
  const advice = nearest === undefined ? 'action symbols lists what it declares' : `did you mean ${nearest}?`;
  return new ToolError('not_found', message, {
    suggestion: line === undefined ? advice : `it is on line ${line}: pass line: ${line}`,
  });
}

/** Leaves out imports and exports, which some servers list. */
export async function ownSymbols(view: ServerView): Promise<readonly ServerSymbol[]> {
  const symbols = await findDocumentSymbols(view);
  const { languageId, lines } = view.document;
  if (!SCRIPT.test(languageId)) return symbols;
  const spans = [...lines.text.matchAll(SPECIFIERS)].map(
    ({ index, 0: { length } }) => [index, index + length] as const,
  );
  return symbols.filter(({ nameRange: { start } }) => {
    const position = lines.positionOf(start, 'utf-16');
    const at = position && lines.offsetOf(position, 'utf-16');
    return at === undefined || !spans.some(([from, to]) => from <= at && at < to);
  });
}

/** Returns the identifier at a place. Empty if there is none. */
export function wordAt(lines: TextLines, { line, character }: Place, path: string): string {
  const characters = [...(lines.line(line - 1) ?? '')];
  const word = HYPHENATED.test(path) ? /[\p{ID_Continue}$-]/u : /[\p{ID_Continue}$]/u;
  const isIn = (at: number) => word.test(characters[at] ?? '');
  let start = isIn(character - 1) ? character - 1 : character - 2;
  let end = start;
  while (isIn(start - 1)) start--;
  while (isIn(end)) end++;
  return characters.slice(Math.max(start, 0), end).join('');
}
