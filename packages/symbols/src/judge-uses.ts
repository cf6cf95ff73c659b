import type { ByteRange, Identifier, Outline, SymbolKind, SyntaxSymbol } from '@jinn/syntax';
import type { FileUses } from './find-uses.ts';
import { isKeyType, isShorthand, isTakenOut, moduleSystemOf, type NameRole, roleOf } from './name-role.ts';
import { areNeighbours, declares, hasSource, type Meant, type NameViews, type UsedFile } from './name-views.ts';
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
const MEMBERS: ReadonlySet<SymbolKind> = new Set([
  'method',
  'constructor',
  'property',
  'field',
  'enum_member',
  'event',
]);
const FUNCTIONS: ReadonlySet<SymbolKind> = new Set(['function', 'method', 'constructor']);
/** How a type names itself within itself. */
const SELF: ReadonlySet<string> = new Set(['this', 'self', 'cls', 'Self', '@', '$this']);
/** Where a member may be named alone in the type that it is in. */
const IMPLICIT: ReadonlySet<string> = new Set('java c_sharp kotlin scala swift cpp dart ruby'.split(' '));
/** Languages in which the files of a directory see the names of each other. */
const BY_DIRECTORY: ReadonlySet<string> = new Set('go java c cpp c_sharp'.split(' '));
/** What may stand between a name and the one before it. */
const ACCESS = /(?:\?\.|\.|->|::)\s*$/;
const QUALIFIER = /([\p{ID_Continue}$@]+(?:\.[\p{ID_Continue}$]+)*)[!?]?\s*(?:\?\.|\.|->|::)\s*$/u;
/** What stands before a qualifier that is only the end of a longer one. */
const LONGER = /(?:\?\.|\.|->|::)\s*[\p{ID_Continue}$@.]+[!?]?\s*(?:\?\.|\.|->|::)\s*$/u;
/** Where `this` and `self` are those of something else than the type around. */
const OTHER_SELF = /^(?:function_expression|function_declaration|generator_function\w*|object|class)$/;
/** What a type says that takes members from elsewhere. */
const HERITAGE = /\b(?:extends|implements|with|for)\b|[:<(]\s*\w/;
/** Parameters of types, and bases that say nothing. */
const NO_HERITAGE = /<[^<>]*>|\(\s*(?:object\s*)?\)|:\s*$/g;
/** Names by which a language or a library calls a member. */
const CALLED_BY_NAME = /^(?:__\w+__|constructor|toString|toJSON|valueOf|then|next|return|throw|initialize)$/;
const MOST_BEFORE = 300;
const MOST_HEAD = 2_000;

/** A symbol that is to get another name. */
export interface Renamed {
  readonly source: Source;
  readonly symbol: SyntaxSymbol;
}

/** What becomes of an identifier. With `doubt`, the rename is refused. */
export type Verdict = 'rename' | 'leave' | 'doubt';

const OF_MEANT: Readonly<Record<Meant, Verdict>> = { symbol: 'rename', other: 'leave', unknown: 'doubt' };

interface Judging {
  readonly views: NameViews;
  /** True if the symbol is named as a member of something. */
  readonly isMember: boolean;
}

/** Judges the identifiers that have the name of a symbol, which must be the only one of its name. */
export class UseJudge {
  readonly #renamed: Renamed;
  readonly #views: NameViews;
  readonly #isMember: boolean;

  constructor(renamed: Renamed, { views, isMember }: Judging) {
    this.#renamed = renamed;
    this.#views = views;
    this.#isMember = isMember;
  }

  /** Tells whether an identifier means the symbol, as far as the text tells. */
  async judge(file: UsedFile, range: Identifier): Promise<Verdict> {
    if (isDeclaration(this.#renamed, file, range)) return this.#isCalledByPython() ? 'doubt' : 'rename';
    if (this.#isMember) return this.#judgeUseOfMember(file, range);
    return this.#views.system ? this.#judgeByImports(file, range) : this.#judgeByDirectory(file, range);
  }

  #judgeUseOfMember(file: UsedFile, range: Identifier): Verdict {
    const { source, symbol } = this.#renamed;
    const parent = source.outline.symbols[symbol.parent];
    if (!parent || file.path !== source.path || isInherited(this.#renamed, parent)) return 'doubt';
    const before = textBefore(file.content, range);
    if (endsInAccess(before)) {
      const qualifier = LONGER.test(before) ? undefined : QUALIFIER.exec(before)?.[1];
      const isOwn = qualifier !== undefined && SELF.has(qualifier) && isDirectlyIn(file, parent, range);
      return isOwn || (qualifier === parent.name && parent.kind === 'enum') ? 'rename' : 'doubt';
    }
    const isBare = roleOf(range, source.outline.language) === 'reference' && IMPLICIT.has(source.outline.language);
    return isBare && isDirectlyIn(file, parent, range) ? 'rename' : 'doubt';
  }

  /** In languages whose imports are not read, only the files around are known to see a name. */
  #judgeByDirectory(file: UsedFile, range: Identifier): Verdict {
    const { source, symbol } = this.#renamed;
    const isNear = file.path === source.path || BY_DIRECTORY.has(source.outline.language);
    if (!isNear || symbol.parent >= 0 || !areNeighbours(file.path, source.path)) return 'doubt';
    if (endsInAccess(textBefore(file.content, range))) return 'doubt';
    return roleOf(range, file.outline.language) === 'reference' ? 'rename' : 'doubt';
  }

  #judgeByImports(file: UsedFile, range: Identifier): Verdict | Promise<Verdict> {
    const { source, symbol } = this.#renamed;
    const parent = source.outline.symbols[symbol.parent];
    if (parent && !FUNCTIONS.has(parent.kind)) return 'doubt';
    const isHidden = parent !== undefined || (this.#views.isModule && !this.#views.isExported);
    if (isHidden && file.path !== source.path) return 'leave';
    const role = roleOf(range, file.outline.language);
    if (isHidden && (role === 'member' || role === 'key')) return 'leave';
    if (role === 'reference' && parent && !isWithin(parent, range)) return 'doubt';
    return this.#judgeRole(file, range, role);
  }

  #judgeRole(file: UsedFile, range: Identifier, role: NameRole): Verdict | Promise<Verdict> {
    switch (role) {
      case 'module':
        return 'leave';
      case 'member':
        return this.#judgeMember(file, range);
      case 'key':
        return this.#views.system === 'python' && !this.#views.sees(file) ? 'leave' : 'doubt';
      case 'binding':
        return this.#judgeBinding(file, range);
      case 'import':
        return OF_MEANT[this.#views.importedBy(file, range)];
      case 'export':
        return hasSource(file, range) ? OF_MEANT[this.#views.importedBy(file, range)] : this.#judgeReference(file);
      case 'reference':
        return isElement(range) && /^[a-z]/.test(this.#renamed.symbol.name) ? 'doubt' : this.#judgeReference(file);
      default:
        return 'doubt';
    }
  }

  async #judgeMember(file: UsedFile, range: Identifier): Promise<Verdict> {
    const before = textBefore(file.content, range);
    const qualifier = LONGER.test(before) && this.#views.system === 'script' ? undefined : QUALIFIER.exec(before)?.[1];
    if (qualifier === undefined) return 'doubt';
    if (SELF.has(qualifier)) return 'leave';
    if (!this.#views.isExported) return 'doubt';
    return OF_MEANT[await this.#views.qualifiedBy(file, qualifier)];
  }

  #judgeBinding(file: UsedFile, range: Identifier): Verdict {
    if (isTakenOut(range) && this.#views.isExported) {
      const meant = this.#views.takenFrom(file, range);
      return meant === undefined ? 'doubt' : OF_MEANT[meant];
    }
    // A decorator may make the name known to others, as that of a fixture is to the tests.
    const isOpen = !this.#views.isModule || this.#isDecorated();
    return this.#views.sees(file) || isOpen ? 'doubt' : 'leave';
  }

  #judgeReference(file: UsedFile): Verdict {
    if (this.#views.sees(file)) return 'rename';
    return this.#views.isModule && declares(file) ? 'leave' : 'doubt';
  }

  /** Names such as `__all__` mean something to Python. */
  #isCalledByPython(): boolean {
    return this.#views.system === 'python' && /^__\w+__$/.test(this.#renamed.symbol.name);
  }

  #isDecorated(): boolean {
    const { source, symbol } = this.#renamed;
    return (
      this.#views.system === 'python' &&
      source.content.toString('latin1', symbol.start, symbol.signatureStart).includes('@')
    );
  }
}

/** True for what is named as a member of something, not by its name alone. */
export function isMember({ source, symbol }: Renamed, declared: Identifier): boolean {
  const parent = source.outline.symbols[symbol.parent];
  if (MEMBERS.has(symbol.kind) || (parent && TYPES.has(parent.kind))) return true;
  if (endsInAccess(textBefore(source.content, declared))) return true;
  return (
    moduleSystemOf(source.outline.language) !== undefined && roleOf(declared, source.outline.language) !== 'binding'
  );
}

/** True if what a type is made of, or a caller outside of the project, may go by the name of a member. */
function isInherited({ source, symbol }: Renamed, parent: SyntaxSymbol): boolean {
  if (CALLED_BY_NAME.test(symbol.name) || symbol.kind === 'constructor') return true;
  const end = parent.body && parent.body.start > parent.nameEnd ? parent.body.start : parent.end;
  const head = source.content.toString('utf8', parent.signatureStart, Math.min(end, parent.signatureStart + MOST_HEAD));
  return HERITAGE.test(head.trimEnd().replace(NO_HERITAGE, ''));
}

function isWithin(outer: ByteRange, { start, end }: ByteRange): boolean {
  return outer.start <= start && end <= outer.end;
}

/** True if nothing between a type and what is in it has members of its own. */
function isDirectlyIn(file: UsedFile, parent: SyntaxSymbol, { start, end, around = [] }: Identifier): boolean {
  if (!isWithin(parent, { start, end })) return false;
  const isNested = file.outline.symbols.some(
    (other) =>
      other !== parent &&
      TYPES.has(other.kind) &&
      other.start >= parent.start &&
      other.start <= start &&
      end <= other.end,
  );
  return !isNested && !around.some((step) => step.start > parent.nameEnd && OTHER_SELF.test(step.type));
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
    (range) => !endsInAccess(textBefore(file.content, range)) && !isKey(range) && !isInside(file.outline, range),
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
  return !isShorthand({ type, parent }) && (isKeyType(type) || isKeyType(parent));
}

/** The name of an element of JSX: in lower case it is one of HTML. */
function isElement({ parent }: Identifier): boolean {
  return /^jsx_\w*element$/.test(parent);
}

function isDeclaration({ source, symbol }: Renamed, file: FileUses, { start }: ByteRange): boolean {
  if (file.path !== source.path) return false;
  return source.outline.symbols.some(({ path, nameStart }) => path === symbol.path && nameStart === start);
}

/** True for the declaration of a field or method, which is no use of a function. */
function isInside({ symbols }: Outline, { start }: ByteRange): boolean {
  return symbols.some((symbol) => symbol.nameStart === start && symbol.parent >= 0);
}
