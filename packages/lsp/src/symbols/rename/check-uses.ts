import { posix } from 'node:path';
import type { ByteRange, Identifier, Outline, SymbolKind, SyntaxSymbol } from '@jinn/syntax';
import type { FileUses } from '../find/find-uses.ts';
import type { Source } from '../show/read-source.ts';
import { familyOf, isKey, isUse } from './name-role.ts';

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
const MEMBERS: ReadonlySet<SymbolKind> = new Set([
  'method',
  'constructor',
  'property',
  'field',
  'enum_member',
  'event',
]);
const FUNCTIONS: ReadonlySet<SymbolKind> = new Set(['function', 'method', 'constructor']);
/** The names of a type for itself within itself. */
const SELF: ReadonlySet<string> = new Set(['this', 'self', 'cls', 'Self', '@', '$this']);
/** Languages in which a member may be named alone in its type. */
const IMPLICIT: ReadonlySet<string> = new Set('java c_sharp kotlin scala swift cpp dart ruby'.split(' '));
/** The text that may stand between a name and the one before it. */
const ACCESS = /(?:\?\.|\.|->|::)\s*$/;
const QUALIFIER = /([\p{ID_Continue}$@]+(?:\.[\p{ID_Continue}$]+)*)[!?]?\s*(?:\?\.|\.|->|::)\s*$/u;
/** The text before a qualifier that is only the end of a longer one. */
const LONGER = /(?:\?\.|\.|->|::)\s*[\p{ID_Continue}$@.]+[!?]?\s*(?:\?\.|\.|->|::)\s*$/u;
/** Nodes in which `this` and `self` are not those of the type around. */
const OTHER_SELF = /^(?:function_expression|function_declaration|generator_function\w*|object|class)$/;
/** Clauses by which a type takes members from elsewhere. */
const HERITAGE = /\b(?:extends|implements|with|for)\b|[:<(]\s*\w/;
/** Parameters of types, and bases without members. */
const NO_HERITAGE = /<[^<>]*>|\(\s*(?:object\s*)?\)|:\s*$/g;
/** Names by which a language or a library calls a member. */
const CALLED_BY_NAME = /^(?:__\w+__|constructor|toString|toJSON|valueOf|then|next|return|throw|initialize)$/;
/** Names by which a compiled program is started. */
const ENTRY = /^(?:main|Main|init)$/;
/** Languages in which a type has the name of its file. */
const NAMED_AS_FILE: ReadonlySet<string> = new Set('java php ruby'.split(' '));
/** Makes a script a module: without any of these, its names are those of all scripts of a page. */
const MODULE = /^[ \t]*(?:import|export)\b|\brequire\s*\(|\bmodule\.exports\b|^[ \t]*exports\./m;
const MODULE_FILE = /\.(?:[cm][jt]s|vue|svelte)$/;
const MOST_BEFORE = 300;
const MOST_HEAD = 2_000;

/** A symbol that is renamed. */
export interface RenamedSymbol {
  readonly source: Source;
  readonly symbol: SyntaxSymbol;
}

/** The file that declares a symbol, with the identifiers of its name, and the one of the declaration. */
export interface OwnUses extends FileUses {
  readonly declared: Identifier;
}

/** Returns the identifiers of a name in the declaring file that may mean something else than the symbol. */
export function findUncertainUses(renamed: RenamedSymbol, own: OwnUses, newName: string): readonly Identifier[] {
  const { source, symbol } = renamed;
  const isOfType = isMember(renamed, own);
  const isOurs = isOfType ? isUseOfMember : isUseOfName;
  const isCalled = isCalledFromElsewhere(renamed, isOfType);
  return own.ranges.filter((range) => {
    if (changesElement(range, symbol.name, newName) || isFromElsewhere(source, range)) return true;
    return isDeclaration(renamed, range) ? isCalled : !isOurs(renamed, range);
  });
}

/** Reports whether a symbol is named as a member of something, and not by its name alone. */
export function isMember({ source, symbol }: RenamedSymbol, { declared }: OwnUses): boolean {
  const parent = source.outline.symbols[symbol.parent];
  if (MEMBERS.has(symbol.kind) || (parent && TYPES.has(parent.kind))) return true;
  return isKey(declared) || endsInAccess(textBefore(source.content, declared));
}

/** Reports whether no other file can name a symbol: it stands in a function, or a module does not export it. */
export function isOfFileAlone(renamed: RenamedSymbol, own: OwnUses): boolean {
  const { source, symbol } = renamed;
  const parent = source.outline.symbols[symbol.parent];
  if (parent && FUNCTIONS.has(parent.kind)) return true;
  if (familyOf(source.outline.language) !== 'script' || isMember(renamed, own)) return false;
  const isModule = MODULE_FILE.test(source.path) || MODULE.test(source.content.toString('latin1'));
  return isModule && !isExported(own);
}

/** Reports whether code outside of the workspace may name a symbol. */
export function isPublic(renamed: RenamedSymbol, own: OwnUses): boolean {
  const { source, symbol } = renamed;
  const { language } = source.outline;
  if (isOfFileAlone(renamed, own)) return false;
  if (language === 'python') return !symbol.name.startsWith('_');
  if (language === 'go') return /^\p{Lu}/u.test(symbol.name);
  const head = source.content.toString('utf8', symbol.signatureStart, symbol.nameStart);
  if (language === 'rust') return /\bpub\b/.test(head);
  return !(language === 'c' ? /\bstatic\b/ : /\bprivate\b/).test(head);
}

function isExported({ content, ranges, declared }: OwnUses): boolean {
  const isInExport = ({ start, parent, around = [] }: Identifier) =>
    /^export_/.test(parent) || (start === declared.start && around.some(({ type }) => type === 'export_statement'));
  return ranges.some(isInExport) || /\bexports\b/.test(content.toString('latin1'));
}

/** Reports whether a name of a component is, or becomes, that of an element of HTML. */
function changesElement({ parent }: Identifier, from: string, to: string): boolean {
  return /^jsx_\w*element$/.test(parent) && [from, to].some((name) => /^[a-z]/.test(name));
}

/** Reports whether an identifier is the name in `export { name } from 'module'`. */
function isFromElsewhere({ content }: Source, { parent, around = [] }: Identifier): boolean {
  const statement = around.findLast(({ type }) => type === 'export_statement');
  if (parent !== 'export_specifier' || !statement) return false;
  return /\}\s*from\b/.test(content.toString('utf8', statement.start, statement.end));
}

/** Reports whether the language, a library or a type that the type is made of may use a symbol by its name. */
function isCalledFromElsewhere({ source, symbol }: RenamedSymbol, isOfType: boolean): boolean {
  const { language, symbols } = source.outline;
  if (!isOfType) {
    if (language === 'python') return /^__\w+__$/.test(symbol.name);
    if (NAMED_AS_FILE.has(language) && isNamedAs(source.path, symbol)) return true;
    return familyOf(language) !== 'script' && ENTRY.test(symbol.name);
  }
  const parent = symbols[symbol.parent];
  if (!parent || !TYPES.has(parent.kind) || symbol.kind === 'constructor') return true;
  return CALLED_BY_NAME.test(symbol.name) || ENTRY.test(symbol.name) || hasHeritage(source, parent);
}

function isNamedAs(file: string, { name, kind }: SyntaxSymbol): boolean {
  const bare = posix.parse(file).name.replaceAll('_', '');
  return TYPES.has(kind) && bare.toLowerCase() === name.toLowerCase();
}

function hasHeritage({ content }: Source, parent: SyntaxSymbol): boolean {
  const end = parent.body && parent.body.start > parent.nameEnd ? parent.body.start : parent.end;
  const head = content.toString('utf8', parent.signatureStart, Math.min(end, parent.signatureStart + MOST_HEAD));
  return HERITAGE.test(head.trimEnd().replace(NO_HERITAGE, ''));
}

function isUseOfName({ source, symbol }: RenamedSymbol, range: Identifier): boolean {
  const parent = source.outline.symbols[symbol.parent];
  if (parent && !isWithin(parent, range)) return false;
  // The arrow in front of a return type is that of an access in other languages.
  const isReturned = range.around?.slice(-2).some(({ field }) => field === 'return_type') === true;
  if (!isReturned && endsInAccess(textBefore(source.content, range))) return false;
  return isUse(range, source.outline.language);
}

function isUseOfMember({ source, symbol }: RenamedSymbol, range: Identifier): boolean {
  const { language, symbols } = source.outline;
  const parent = symbols[symbol.parent];
  if (!parent) return false;
  const before = textBefore(source.content, range);
  if (!endsInAccess(before)) {
    return IMPLICIT.has(language) && isUse(range, language) && isDirectlyIn(source, parent, range);
  }
  const qualifier = LONGER.test(before) ? undefined : QUALIFIER.exec(before)?.[1];
  if (qualifier === parent.name) return parent.kind === 'enum';
  return qualifier !== undefined && SELF.has(qualifier) && isDirectlyIn(source, parent, range);
}

function isWithin(outer: ByteRange, { start, end }: ByteRange): boolean {
  return outer.start <= start && end <= outer.end;
}

/** Reports whether nothing between a type and an identifier in it has members of its own. */
function isDirectlyIn({ outline }: Source, parent: SyntaxSymbol, range: Identifier): boolean {
  if (!isWithin(parent, range)) return false;
  const isNested = outline.symbols.some(
    (other) => other !== parent && TYPES.has(other.kind) && isWithin(parent, other) && isWithin(other, range),
  );
  return !isNested && !range.around?.some((step) => step.start > parent.nameEnd && OTHER_SELF.test(step.type));
}

/** A file in which a symbol gets a new name, and the identifiers that already have this name. */
export interface Target {
  readonly path: string;
  readonly content: Buffer;
  readonly outline: Outline;
  readonly identifiers: readonly Identifier[];
}

/**
 * Returns an identifier of the new name that could mean the renamed symbol, or hide it. A member only clashes with
 * identifiers in its own type, unless members may be named alone.
 */
export function findClash({ source, symbol }: RenamedSymbol, file: Target): ByteRange | undefined {
  const parent = source.outline.symbols[symbol.parent];
  const isOfType = parent !== undefined && TYPES.has(parent.kind);
  if (isOfType && file.path === source.path) {
    const within = file.identifiers.find(({ start, end }) => parent.start <= start && end <= parent.end);
    if (within) return within;
  }
  if (isOfType && !IMPLICIT.has(source.outline.language)) return undefined;
  return file.identifiers.find(
    (range) => !endsInAccess(textBefore(file.content, range)) && !isKey(range) && !isInside(file.outline, range),
  );
}

function textBefore(content: Buffer, { start }: ByteRange): string {
  return content.toString('utf8', Math.max(0, start - MOST_BEFORE), start);
}

/** Reports whether a name behind the text would be a member of something. Three dots spread the name behind them. */
function endsInAccess(text: string): boolean {
  return ACCESS.test(text) && !/\.\.\.\s*$/.test(text);
}

/** Reports whether an identifier declares the symbol. Overloads are renamed together. */
function isDeclaration({ source, symbol }: RenamedSymbol, { start }: ByteRange): boolean {
  return source.outline.symbols.some(({ path, nameStart }) => path === symbol.path && nameStart === start);
}

/** Reports whether an identifier declares a field or method, which is not a use of a function. */
function isInside({ symbols }: Outline, { start }: ByteRange): boolean {
  return symbols.some((symbol) => symbol.nameStart === start && symbol.parent >= 0);
}
