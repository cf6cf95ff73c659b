import type { Outline, SyntaxSymbol } from '../symbols.ts';

/** `Outer/inner[1]` is the second of two. */
const WITH_INDEX = /^(.+)\[(\d{1,6})\]$/s;

/**
 * Finds the symbols of a name path such as `Outer/inner`: those of exactly that path or, if there are none, those whose
 * path ends with it. `inner[1]` is the second of those with one path. If nothing is found, parameters of types are
 * ignored: `List<T>` finds List. Then other separators count as slashes.
 */
export function findSymbols({ symbols }: Pick<Outline, 'symbols'>, path: string): readonly SyntaxSymbol[] {
  const found = find(symbols, path, (written) => written);
  const slashed = toNamePath(path);
  return found.length > 0 || slashed === path || slashed === '' ? found : find(symbols, slashed, toNamePath);
}

/**
 * Returns the name path of a path in the form of a language: `Outer.inner`, `Outer::inner<T>`, `Outer#inner()`,
 * `p->inner`, `Outer.prototype.inner` or `(*Outer).inner`.
 */
export function toNamePath(written: string): string {
  return written
    .replace(/^\(\*?([^()]+)\)/, '$1')
    .replace(/\([^()]*\)?$/, '')
    .replace(/\.prototype\./g, '.')
    .replace(/->/g, '/')
    .replace(/<[^<>]*>|\[\D[^[\]]*\]/g, '')
    .replace(/^[.#]|::|\.|#/g, (separator, at) => (at === 0 && separator !== '::' ? '' : '/'))
    .replace(/\/{2,}/g, '/');
}

/** Finds the symbols of a path; `formOf` brings the paths of the symbols into the form of `path`. */
function find(
  symbols: readonly SyntaxSymbol[],
  path: string,
  formOf: (path: string) => string,
): readonly SyntaxSymbol[] {
  const exact = matching(symbols, path, formOf);
  if (exact.length > 0) return exact;
  const [, base, index] = WITH_INDEX.exec(path) ?? [];
  if (base !== undefined) return matching(symbols, base, formOf).filter((symbol) => symbol.overload === Number(index));
  const plain = withoutParameters(path);
  return symbols.filter((symbol) => withoutParameters(formOf(symbol.path)) === plain);
}

function withoutParameters(path: string): string {
  return path.includes('<') ? path.replace(/<[^/]*>/g, '') : path;
}

function matching(
  symbols: readonly SyntaxSymbol[],
  path: string,
  formOf: (path: string) => string,
): readonly SyntaxSymbol[] {
  const wanted = path.startsWith('/') ? path.slice(1) : path;
  const exact = symbols.filter(
    (symbol) =>
      symbol.path === path || formOf(symbol.path) === wanted || formOf(pathByParent(symbols, symbol)) === wanted,
  );
  if (exact.length > 0 || path.startsWith('/')) return exact;
  return symbols.filter((symbol) => formOf(symbol.path).endsWith(`/${wanted}`));
}

/**
 * Returns the path of a symbol through its parent: members of `impl Trait for Type` have the path of the type, and this
 * one too.
 */
function pathByParent(symbols: readonly SyntaxSymbol[], { parent, name, path }: SyntaxSymbol): string {
  const outer = symbols[parent];
  return outer ? `${outer.path}/${name}` : path;
}

/** Returns the innermost symbol that holds a byte; undefined outside of all. */
export function symbolAt({ symbols }: Pick<Outline, 'symbols'>, byte: number): SyntaxSymbol | undefined {
  return innermost(symbols, (symbol) => symbol.start <= byte && byte < symbol.end);
}

/**
 * Returns the innermost symbol that holds a line, from 1; undefined outside of all. A line of its doc comment is a line
 * of the symbol.
 */
export function symbolAtLine({ symbols }: Pick<Outline, 'symbols'>, line: number): SyntaxSymbol | undefined {
  return innermost(symbols, (symbol) => symbol.startLine <= line && line <= symbol.endLine);
}

function innermost(
  symbols: readonly SyntaxSymbol[],
  holds: (symbol: SyntaxSymbol) => boolean,
): SyntaxSymbol | undefined {
  let found: SyntaxSymbol | undefined;
  for (const symbol of symbols) if (holds(symbol) && (!found || symbol.depth >= found.depth)) found = symbol;
  return found;
}
