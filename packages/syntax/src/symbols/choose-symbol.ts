import { nearestName, ToolError } from '@jinn/core/errors';
import type { Outline, SyntaxSymbol } from '../symbols.ts';
import { findSymbols, toNamePath } from './find-symbols.ts';

const MOST_NAMED = 20;
const MOST_PATH = 120;

/**
 * Returns the symbol of a file that has a name path. Throws `not_found`, and `invalid_args` if there are several, with
 * the name path of each.
 */
export function chooseSymbol(outline: Outline, namePath: string, file: string): SyntaxSymbol {
  const found = findSymbols(outline, namePath);
  const [symbol] = found;
  if (!symbol) throw notFound(outline, namePath, file);
  if (found.length === 1) return symbol;
  throw new ToolError(
    'invalid_args',
    `${found.length} symbols of ${file} are called ${namePath}: ${nameSome(outline, found)}`,
    {
      suggestion: `give the whole name path of one of them, such as ${namePathOf(outline, symbol)}`,
    },
  );
}

/** The paths that several symbols of an outline have. */
const sharedPaths = new WeakMap<readonly SyntaxSymbol[], ReadonlySet<string>>();

/** Returns the unique path of a symbol in its file: with its index if several have the same path. */
export function namePathOf({ symbols }: Outline, { path, overload }: SyntaxSymbol): string {
  let shared = sharedPaths.get(symbols);
  if (!shared) {
    shared = new Set(symbols.filter((symbol) => symbol.overload > 0).map((symbol) => symbol.path));
    sharedPaths.set(symbols, shared);
  }
  return shared.has(path) ? `${path}[${overload}]` : path;
}

function notFound(outline: Outline, namePath: string, file: string): ToolError {
  const slashed = toNamePath(namePath);
  const last = slashed.slice(slashed.lastIndexOf('/') + 1);
  const wanted = nearestName(
    last,
    outline.symbols.map(({ name }) => name),
  );
  const likely = outline.symbols.filter(({ name }) => name === wanted);
  const others = outline.symbols.filter(({ name }) => name !== wanted).sort((a, b) => a.depth - b.depth);
  const meant = likely[0] && `did you mean ${namePathOf(outline, likely[0])}? `;
  const declared = nameSome(outline, [...likely, ...others]);
  const cut = outline.truncated ? ', of which there is no whole outline' : '';
  return new ToolError('not_found', `symbol not found: ${namePath} in ${file}${cut}`, {
    suggestion: `${meant ?? ''}${file} declares ${declared || 'nothing'}`,
  });
}

function nameSome(outline: Outline, symbols: readonly SyntaxSymbol[]): string {
  const named = symbols.slice(0, MOST_NAMED).map((each) => `${shorten(namePathOf(outline, each))} (line ${each.line})`);
  const more = symbols.length > named.length ? ` and ${symbols.length - named.length} more` : '';
  return `${named.join(', ')}${more}`;
}

function shorten(path: string): string {
  return path.length <= MOST_PATH ? path : `…${path.slice(1 - MOST_PATH)}`;
}
