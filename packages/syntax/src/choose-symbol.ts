import { nearestName, ToolError } from '@jinn/core';
import { findSymbols } from './find-symbols.ts';
import type { Outline, SyntaxSymbol } from './symbols.ts';

const MOST_NAMED = 20;

/**
 * Returns the one symbol of a file that a name path names. Throws `not_found`, and `invalid_args` if there are several,
 * with the name path of each.
 */
export function chooseSymbol(outline: Outline, namePath: string, file: string): SyntaxSymbol {
  const found = findSymbols(outline, namePath);
  const [symbol] = found;
  if (!symbol) throw notFound(outline, namePath, file);
  if (found.length === 1) return symbol;
  const names = found.slice(0, MOST_NAMED).map((each) => `${namePathOf(outline, each)} (line ${each.line})`);
  const more = found.length > names.length ? ` and ${found.length - names.length} more` : '';
  throw new ToolError(
    'invalid_args',
    `${found.length} symbols of ${file} are called ${namePath}: ${names.join(', ')}${more}`,
    {
      suggestion: `give the whole name path of one of them, such as ${namePathOf(outline, symbol)}`,
    },
  );
}

/** The paths that several symbols of an outline have. */
const sharedPaths = new WeakMap<readonly SyntaxSymbol[], ReadonlySet<string>>();

/** The path of a symbol, which names no other in its file: with its index where several have the same path. */
export function namePathOf({ symbols }: Outline, { path, overload }: SyntaxSymbol): string {
  let shared = sharedPaths.get(symbols);
  if (!shared) {
    shared = new Set(symbols.filter((symbol) => symbol.overload > 0).map((symbol) => symbol.path));
    sharedPaths.set(symbols, shared);
  }
  return shared.has(path) ? `${path}[${overload}]` : path;
}

function notFound({ symbols }: Outline, namePath: string, file: string): ToolError {
  const last = namePath.slice(namePath.lastIndexOf('/') + 1);
  const name = nearestName(
    last,
    symbols.map((symbol) => symbol.name),
  );
  const nearest = symbols.find((symbol) => symbol.name === name);
  return new ToolError('not_found', `symbol not found: ${namePath} in ${file}`, {
    suggestion: nearest ? `did you mean ${nearest.path}?` : 'look at what the file declares',
  });
}
