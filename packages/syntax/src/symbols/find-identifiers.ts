import type { Node, Tree } from 'web-tree-sitter';
import type { NodeRange } from '../grammar.ts';

/** An identifier, in units of the text. */
export interface FoundIdentifier {
  readonly start: number;
  readonly end: number;
  readonly type: string;
  readonly parent: string;
}

export interface IdentifierSearch {
  readonly text: string;
  readonly name: string;
  /** The part of the text that the tree is of; undefined for all of it. */
  readonly part: NodeRange | undefined;
  readonly isLate: () => boolean;
}

const MOST_FOUND = 10_000;
/** Types of tokens that hold text. */
const TEXT = /comment|string|text|content|fragment|char|heredoc|regex|literal/;

/** Finds the tokens of a tree that are exactly this name, but not text in a comment or a string. At most 10,000. */
export function findIdentifiers(tree: Tree, { text, name, part, isLate }: IdentifierSearch): FoundIdentifier[] {
  const found: FoundIdentifier[] = [];
  const limit = part?.endIndex ?? text.length;
  let start = text.indexOf(name, part?.startIndex ?? 0);
  for (; start >= 0 && start + name.length <= limit; start = text.indexOf(name, start + name.length)) {
    if (found.length >= MOST_FOUND || isLate()) break;
    const end = start + name.length;
    const node = tree.rootNode.descendantForIndex(start, end);
    if (!node || node.startIndex !== start || node.endIndex !== end || !isIdentifier(node)) continue;
    found.push({ start, end, type: node.type, parent: node.parent?.type ?? '' });
  }
  return found;
}

function isIdentifier(node: Node): boolean {
  return node.isNamed && node.childCount === 0 && !TEXT.test(node.type);
}
