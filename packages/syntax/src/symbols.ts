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

/** Bytes of a file, the first of them and the one after the last. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface Identifier extends ByteRange {
  /** Its type in the grammar, and that of the node around it: `property_identifier` in a `pair`. */
  readonly type: string;
  readonly parent: string;
}

/** A declaration in a file. All offsets are bytes of the file's content. Lines count from 1. */
export interface SyntaxSymbol extends ByteRange {
  readonly name: string;
  readonly kind: SymbolKind;
  /** The names of its containers and its own, joined by slashes: `Outer/inner`. */
  readonly path: string;
  /** Its number, from 0, among the symbols of the file that have the same path. */
  readonly overload: number;
  readonly parent: number;
  readonly depth: number;
  /** The start of the declaration behind doc comments and attributes, where its signature starts. */
  readonly signatureStart: number;
  readonly nameStart: number;
  readonly nameEnd: number;
  /** The text after the signature, with its braces if the language has them, or undefined for a symbol without a body. */
  readonly body: ByteRange | undefined;
  /** The comments above it, or the string that documents it at the start of its body. */
  readonly doc: ByteRange | undefined;
  /** The end of the comment that follows it on its last line, with a separator between. `end` if there is none. */
  readonly tailEnd: number;
  readonly startLine: number;
  readonly endLine: number;
  readonly line: number;
  /** True if its range declares other names too, as `int a, b;` does: replacing it replaces all of them. */
  readonly shared: boolean;
}

/** A place where the text does not fit the grammar. */
export interface SyntaxFault extends ByteRange {
  readonly line: number;
  readonly endLine: number;
  /** What the grammar expects, such as `}`, or undefined for text that does not fit. */
  readonly missing: string | undefined;
  readonly problem?: string;
}

export interface Outline {
  readonly language: string;
  /** The symbols in the order of the file, each before those inside of it. */
  readonly symbols: readonly SyntaxSymbol[];
  readonly imports: readonly ByteRange[];
  readonly faults: readonly SyntaxFault[];
  /** True if there were more symbols or faults than are kept. */
  readonly truncated: boolean;
}

export interface NoOutline {
  readonly reason: 'no_grammar' | 'too_large' | 'binary' | 'too_slow' | 'too_complex';
  readonly message: string;
}

export function isOutline(answer: Outline | NoOutline): answer is Outline {
  return 'symbols' in answer;
}
