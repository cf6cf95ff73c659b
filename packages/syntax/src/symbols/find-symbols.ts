import { nearestName, ToolError } from '@jinn/core/errors';
import type { Outline, SyntaxSymbol } from '../symbols.ts';

const MOST_NAMED = 20;
const MOST_PATH = 120;
const sharedPaths = new WeakMap<readonly SyntaxSymbol[], ReadonlySet<string>>();
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
  // Members of `impl Trait for Type` have the path of the type, and this one.
  const byParent = ({ parent, name, path: own }: SyntaxSymbol) =>
    symbols[parent] ? `${symbols[parent].path}/${name}` : own;
  const exact = symbols.filter(
    (symbol) => symbol.path === path || formOf(symbol.path) === wanted || formOf(byParent(symbol)) === wanted,
  );
  if (exact.length > 0 || path.startsWith('/')) return exact;
  return symbols.filter((symbol) => formOf(symbol.path).endsWith(`/${wanted}`));
}

/** Returns the innermost symbol that holds a byte. */
export function symbolAt({ symbols }: Pick<Outline, 'symbols'>, byte: number): SyntaxSymbol | undefined {
  return innermost(symbols, (symbol) => symbol.start <= byte && byte < symbol.end);
}

/** A line, from 1, of its doc comment belongs to a symbol. */
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

/** Throws `not_found`, and `invalid_args` with the candidates if there are several. */
export function chooseSymbol(outline: Outline, namePath: string, file: string): SyntaxSymbol {
  const found = findSymbols(outline, namePath);
  const [symbol] = found;
  if (!symbol) throw notFound(outline, namePath, file);
  if (found.length === 1) return symbol;
  const message = `${found.length} symbols of ${file} are called ${namePath}: ${nameSome(outline, found)}`;
  throw new ToolError('invalid_args', message, {
    suggestion: `give the whole name path of one of them, such as ${namePathOf(outline, symbol)}`,
  });
}

/** The unique path in its file: with an index if several have the same. */
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
  const gap = cut === '' ? describeGap(outline) : undefined;
  return new ToolError('not_found', `symbol not found: ${namePath} in ${file}${cut}${gap ? `; ${gap}` : ''}`, {
    suggestion: `${meant ?? ''}${file} declares ${declared || 'nothing'}`,
  });
}

/** Describes what the parser did not understand of a file. Undefined if that is less than `leastBytes`, or nothing. */
export function describeGap({ faults, language }: Outline, leastBytes = 0): string | undefined {
  const [first] = faults;
  if (!first || faults.reduce((sum, { start, end }) => sum + end - start, 0) < leastBytes) return undefined;
  const count = faults.length > 1 ? ` (${faults.length} errors in all)` : '';
  return `the ${language} grammar does not understand what starts in line ${first.line}${count}, so symbols may be missing or wrong`;
}

function nameSome(outline: Outline, symbols: readonly SyntaxSymbol[]): string {
  const named = symbols.slice(0, MOST_NAMED).map((each) => {
    const path = namePathOf(outline, each);
    return `${path.length <= MOST_PATH ? path : `…${path.slice(1 - MOST_PATH)}`} (line ${each.line})`;
  });
  const more = symbols.length > named.length ? ` and ${symbols.length - named.length} more` : '';
  return `${named.join(', ')}${more}`;
}
