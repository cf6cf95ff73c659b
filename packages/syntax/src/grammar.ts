import type { Node, Tree } from 'web-tree-sitter';
import type { FoundFault } from './faults/find-faults.ts';
import type { HiddenMacros } from './parse/hide-macros.ts';
import type { SymbolKind } from './symbols.ts';

export interface DeclaredName {
  readonly node: Node;
  /** Its name, if it is not the text of the node. */
  readonly name?: string;
  /** Names in front of its own in its path, as of the type that a method is declared for elsewhere. */
  readonly within?: readonly string[];
  /** Its name in the paths of its members, if that is another one. Empty for none. */
  readonly members?: string;
}

export type NodeRange = Pick<Node, 'startIndex' | 'endIndex'>;

export interface NodeSurroundings {
  readonly parent: string;
  readonly wrapper: string;
  readonly head: string;
  readonly inFunction: boolean;
}

/** The way to read a type of node. A name alone is the kind of a symbol whose name is in the field `name`. */
export interface SymbolRule {
  /** 'attribute' and 'comment' belong to the next symbol. Undefined for no symbol that may hold some. */
  readonly kind:
    | SymbolKind
    | ((node: Node, around: NodeSurroundings) => SymbolKind | 'attribute' | 'comment' | 'import' | undefined);
  readonly names?: (node: Node, around: NodeSurroundings) => readonly DeclaredName[];
  /** By default the field `body`. */
  readonly body?: (node: Node) => NodeRange | null;
  /** It is a symbol only as a child of a node of this type. */
  readonly onlyIn?: string;
  /** True for a parameter of a constructor that declares a member of the type around it. */
  readonly promoted?: boolean;
  /** True if nothing in it is looked at. */
  readonly leaf?: boolean;
  /** True if neighbours that declare the same name are one symbol, such as the equations of a function of Haskell. */
  readonly merges?: boolean;
  /** True if all that follows belongs to it, up to the next symbol next to it. */
  readonly takesRest?: boolean;
}

/** The way to read the tree of a language. Lists of node types are separated by spaces. */
export interface Grammar {
  readonly symbols: Readonly<Record<string, SymbolKind | SymbolRule>>;
  readonly inside?: string;
  /** They may hold symbols, but not in functions: wrappers of tests, of old modules, of conditional declarations. */
  readonly insideTop?: string;
  /** Functions without a name that may hold symbols. Variables in them are not symbols. */
  readonly scopes?: string;
  /** Nodes that may hold symbols and that belong to their symbol if it is the only one, such as `export`. */
  readonly wrappers?: string;
  readonly comments?: string;
  /** Siblings or first children that belong to the symbol, but not to its signature. */
  readonly attributes?: string;
  /** Siblings that start the declaration of the next symbol. */
  readonly prefixes?: string;
  /** Siblings that end the declaration of the symbol before them. */
  readonly suffixes?: string;
  readonly imports?: string;
  readonly embedded?: (node: Node) => { readonly language: string; readonly text: Node } | undefined;
  readonly embedding?: string;
  /** A text that a function with symbols must have: most functions are not walked then. */
  readonly nested?: RegExp;
  /** Turns the text into one of the same length that the grammar can read. */
  readonly prepare?: (text: string) => string;
  /** Hides what keeps the grammar from reading a text, which is tried if there are errors. */
  readonly hide?: (text: string) => HiddenMacros;
  /** Finds errors that the grammar does not know, in a tree without others. */
  readonly findFaults?: (tree: Tree, text: string, isLate: () => boolean) => FoundFault[];
  readonly maxDepth?: number;
  /** The mark of comments above a symbol that the grammar puts into the node before it. */
  readonly lineComment?: string;
  readonly docIn?: (node: Node) => Node | null;
}

/** A node may have very many children. Those with its kind and name are among the first. */
const MOST_CHILDREN = 32;

export function field(node: Node, name: string): Node | null {
  return node.childForFieldName(name);
}

/** Looks at the first 32 children. */
export function childOf(node: Node | null, ...types: string[]): Node | null {
  const count = node ? Math.min(node.childCount, MOST_CHILDREN) : 0;
  for (let i = 0; i < count; i++) {
    const child = node?.child(i);
    if (child && types.includes(child.type)) return child;
  }
  return null;
}

export function hasToken(node: Node, ...tokens: string[]): boolean {
  return childOf(node, ...tokens) !== null;
}

export function firstChildren(node: Node): Node[] {
  const children: Node[] = [];
  const count = Math.min(node.childCount, MOST_CHILDREN);
  for (let i = 0; i < count; i++) {
    const child = node.child(i);
    if (child) children.push(child);
  }
  return children;
}

export function named(...nodes: readonly (Node | null | undefined)[]): DeclaredName[] {
  return nodes.flatMap((node) => (node ? [{ node }] : []));
}

export function nameIn(...types: string[]): (node: Node) => DeclaredName[] {
  return (node) => named(childOf(node, ...types));
}

export function nameField(name: string): (node: Node) => DeclaredName[] {
  return (node) => named(field(node, name));
}

export function allNames(node: Node): DeclaredName[] {
  return named(...node.childrenForFieldName('name'));
}

export function bodyIn(...types: string[]): (node: Node) => Node | null {
  return (node) => childOf(node, ...types);
}

/** Returns the part of a node that starts with a token, such as a brace, or null if there is none. */
export function bodyFrom(node: Node | null, token = '{'): NodeRange | null {
  const first = childOf(node, token);
  return node && first ? { startIndex: first.startIndex, endIndex: node.endIndex } : null;
}

/** Null if nothing follows the child. */
export function bodyBehind(node: Node, child: Node | null): NodeRange | null {
  return child && child.endIndex < node.endIndex ? { startIndex: child.endIndex, endIndex: node.endIndex } : null;
}
