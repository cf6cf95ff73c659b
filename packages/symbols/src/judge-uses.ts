import type { ByteRange, Identifier, Outline, SymbolKind, SyntaxSymbol } from '@jinn/syntax';
import type { FileUses } from './find-uses.ts';
import type { Source } from './read-source.ts';

const TYPES: ReadonlySet<SymbolKind> = new Set([
  'class',
  'interface',
  'trait',
  'impl',
  'extension',
  'struct',
  'union',
  'enum',
]);
/** How a type names itself within itself. */
const SELF: ReadonlySet<string> = new Set(['this', 'self', 'cls', 'super', 'Self', '@', 'crate']);
/** Where a member may be named alone in the type that it is in. */
const IMPLICIT: ReadonlySet<string> = new Set('java c_sharp kotlin scala swift cpp dart ruby'.split(' '));
/** What may stand between a name and the one before it. */
const ACCESS = /(?:\?\.|\.|->|::)\s*$/;
const QUALIFIER = /([\p{ID_Continue}$@]+)[!?]?\s*(?:\?\.|\.|->|::)\s*$/u;
const KEYS = /property_identifier|field_identifier|hash_key|label|keyword_argument|keyed_element|literal_element/;
const MOST_BEFORE = 300;

/** A symbol that is to get another name. */
export interface Renamed {
  readonly source: Source;
  readonly symbol: SyntaxSymbol;
}

/**
 * True if an identifier that has the name of a symbol can mean nothing else as far as the text tells. `outline` is that
 * of the file where it stands. The symbol must be the only one of its name.
 */
export function isCertain({ source, symbol }: Renamed, file: FileUses, outline: Outline, range: Identifier): boolean {
  if (isDeclaration({ source, symbol }, file, range)) return true;
  const before = textBefore(file.content, range);
  const isAccess = endsInAccess(before);
  const qualifier = isAccess ? QUALIFIER.exec(before)?.[1] : undefined;
  const parent = source.outline.symbols[symbol.parent];
  const isOwn = qualifier !== undefined && (SELF.has(qualifier) || isAround(symbol, qualifier));
  if (parent && TYPES.has(parent.kind)) {
    const isInside = file.path === source.path && parent.start <= range.start && range.end <= parent.end;
    return isAccess ? isOwn : isInside && IMPLICIT.has(source.outline.language);
  }
  if (!isAccess) return !isKey(range) && !isMember(outline, range);
  return (
    qualifier !== undefined && (isOwn || isImported(file, outline, qualifier) || qualifier === stemOf(source.path))
  );
}

/** A file in which a symbol gets a new name, and the identifiers that have this name already. */
export interface Target {
  readonly path: string;
  readonly content: Buffer;
  readonly outline: Outline;
  readonly identifiers: readonly Identifier[];
}

/**
 * Returns an identifier of the new name that could mean the renamed symbol, or hide it. A member only meets what stands in
 * its own type, except where members may be named alone.
 */
export function findClash({ source, symbol }: Renamed, file: Target): ByteRange | undefined {
  const parent = source.outline.symbols[symbol.parent];
  const isOfType = parent !== undefined && TYPES.has(parent.kind);
  if (isOfType && file.path === source.path) {
    const within = file.identifiers.find(({ start, end }) => parent.start <= start && end <= parent.end);
    if (within) return within;
  }
  if (isOfType && !IMPLICIT.has(source.outline.language)) return undefined;
  return file.identifiers.find(
    (range) => !endsInAccess(textBefore(file.content, range)) && !isKey(range) && !isMember(file.outline, range),
  );
}

function textBefore(content: Buffer, { start }: ByteRange): string {
  return content.toString('utf8', Math.max(0, start - MOST_BEFORE), start);
}

/** True if what follows the text is a member of something. Three dots spread what follows them. */
function endsInAccess(text: string): boolean {
  return ACCESS.test(text) && !/\.\.\.\s*$/.test(text);
}

/** True for the key of an object, the name of an argument and the like, which names something else. */
function isKey({ type, parent }: Identifier): boolean {
  return !isShorthand({ type, parent }) && (KEYS.test(type) || KEYS.test(parent));
}

/** True for `{ name }` that stands for `{ name: name }`. */
export function isShorthand({ type, parent }: Pick<Identifier, 'type' | 'parent'>): boolean {
  return type.startsWith('shorthand_property') || parent === 'shorthand_field_initializer';
}

function isDeclaration({ source, symbol }: Renamed, file: FileUses, { start }: ByteRange): boolean {
  if (file.path !== source.path) return false;
  return source.outline.symbols.some(({ path, nameStart }) => path === symbol.path && nameStart === start);
}

/** True if the symbol is in something of that name. */
function isAround({ path }: SyntaxSymbol, name: string): boolean {
  return path.split('/').slice(0, -1).includes(name);
}

/** The declaration of a field or method of another type is no use of a function. */
function isMember({ symbols }: Outline, { start }: ByteRange): boolean {
  return symbols.some((symbol) => symbol.nameStart === start && symbol.parent >= 0);
}

function isImported({ content }: FileUses, { imports }: Outline, name: string): boolean {
  return imports.some(({ start, end }) => wordsOfText(content.toString('utf8', start, end)).includes(name));
}

function wordsOfText(text: string): readonly string[] {
  return text.match(/[\p{ID_Continue}$]+/gu) ?? [];
}

/** The name of a file without its extension: what a module is often called. */
function stemOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\..*$/s, '');
}
