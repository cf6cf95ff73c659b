/** What a symbol is, in words that are the same for all languages. */
export type SymbolKind =
  | 'module'
  | 'namespace'
  | 'class'
  | 'interface'
  | 'trait'
  | 'impl'
  | 'extension'
  | 'struct'
  | 'union'
  | 'enum'
  | 'enum_member'
  | 'type'
  | 'function'
  | 'method'
  | 'constructor'
  | 'property'
  | 'field'
  | 'variable'
  | 'constant'
  | 'macro'
  | 'event'
  | 'test'
  | 'table'
  | 'key'
  | 'section'
  | 'element'
  | 'rule'
  | 'block'
  | 'target'
  | 'stage'
  | 'message'
  | 'service'
  | 'operation';

/** Bytes of a file, the first of them and the one behind the last. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** A token of code that is a name. */
export interface Identifier extends ByteRange {
  /** What the grammar calls it, and what it is in: `property_identifier` in a `pair`. */
  readonly type: string;
  readonly parent: string;
  /**
   * The nodes from the root of the tree to the identifier, which is the last. At most the 40 innermost. Absent unless asked
   * for.
   */
  readonly around?: readonly TreeStep[];
}

/** A node of a syntax tree. */
export interface TreeStep extends ByteRange {
  readonly type: string;
  /** The field of its parent that it is in, such as `name`; empty if it has none. */
  readonly field: string;
}

/** A declaration in a file. All offsets are bytes of the file's content; lines count from 1. */
export interface SyntaxSymbol extends ByteRange {
  readonly name: string;
  readonly kind: SymbolKind;
  /** The names of what it is in and its own, joined by slashes: `Outer/inner`. */
  readonly path: string;
  /** Its number, from 0, among the symbols of the file that have the same path. */
  readonly overload: number;
  /** The index of the symbol that it is in, or -1. */
  readonly parent: number;
  /** How many symbols it is in. */
  readonly depth: number;
  /** Where the declaration begins behind doc comments and attributes: its signature starts here. */
  readonly signatureStart: number;
  readonly nameStart: number;
  readonly nameEnd: number;
  /** What follows the signature, with its braces where the language has them; undefined for a symbol without a body. */
  readonly body: ByteRange | undefined;
  /** The comments above it, or the string that documents it at the start of its body. */
  readonly doc: ByteRange | undefined;
  /** The end of the comment that follows it on its last line, with a separator between; `end` if there is none. */
  readonly tailEnd: number;
  /** Lines of the whole range, doc comment and attributes among them. */
  readonly startLine: number;
  readonly endLine: number;
  /** The line of its name. */
  readonly line: number;
  /** True if its range declares other names too, as `int a, b;` does: to replace it is to replace all of them. */
  readonly shared: boolean;
}

/** A place where the text does not fit the grammar. */
export interface SyntaxFault extends ByteRange {
  /** The line where it starts, from 1. */
  readonly line: number;
  /** What the grammar expects here, if it is known: a token such as `}`. Undefined if there is text that does not fit. */
  readonly missing: string | undefined;
  /** What is wrong, where it is not just text that does not fit. */
  readonly problem?: string;
}

export interface Outline {
  readonly language: string;
  /** In the order of the file, each before those inside of it. */
  readonly symbols: readonly SyntaxSymbol[];
  /** Imports, and what is like them; imports that stand together are one range. */
  readonly imports: readonly ByteRange[];
  /** The first 100 of the places that do not fit the grammar. */
  readonly faults: readonly SyntaxFault[];
  /** True if there were more symbols or faults than are kept. */
  readonly truncated: boolean;
}
