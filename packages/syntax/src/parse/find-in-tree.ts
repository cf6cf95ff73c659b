import type { Tree } from 'web-tree-sitter';
import type { NodeRange } from '../grammar.ts';

/** A comment or a string, in units of the text. A string may hold comments. */
export interface TextPart {
  readonly kind: 'comment' | 'string';
  readonly start: number;
  readonly end: number;
}

const COMMENT = /comment|haddock|marginalia/;

/** Types of nodes whose line ends belong to a value. */
const STRING =
  /string|heredoc|nowdoc|text_block|sigil|regex|block_scalar|quote_scalar|quasiquote|bracket_argument|uninterpreted|^str_lit$|^literal$/;

export interface FoundIdentifier {
  readonly start: number;
  readonly end: number;
  readonly type: string;
  readonly parent: string;
}

const MOST_FOUND = 10_000;
const TEXT = /comment|string|text|content|fragment|char|heredoc|regex|literal/;

/** Finds the tokens of a tree that are exactly this name, but not text in a comment or a string. At most 10,000. */
export function findIdentifiers(
  tree: Tree,
  {
    text,
    name,
    part,
    isLate,
  }: { readonly text: string; readonly name: string; readonly part: NodeRange | undefined; isLate(): boolean },
): FoundIdentifier[] {
  const found: FoundIdentifier[] = [];
  const limit = part?.endIndex ?? text.length;
  let start = text.indexOf(name, part?.startIndex ?? 0);
  for (; start >= 0 && start + name.length <= limit; start = text.indexOf(name, start + name.length)) {
    if (found.length >= MOST_FOUND || isLate()) break;
    const end = start + name.length;
    const node = tree.rootNode.descendantForIndex(start, end);
    if (!node || node.startIndex !== start || node.endIndex !== end) continue;
    if (!node.isNamed || node.childCount > 0 || TEXT.test(node.type)) continue;
    found.push({ start, end, type: node.type, parent: node.parent?.type ?? '' });
  }
  return found;
}

/** Finds comments and strings of several lines. In parts that the parser could not read, a comment may not be one. */
export function findTextParts(tree: Tree, isLate: () => boolean): TextPart[] {
  const parts: TextPart[] = [];
  const cursor = tree.walk();
  try {
    for (let isOver = false; !isOver && !isLate(); ) {
      const { nodeType, nodeIsNamed, startIndex: start, endIndex: end } = cursor;
      const isComment = nodeIsNamed && COMMENT.test(nodeType);
      const isLong = cursor.startPosition.row < cursor.endPosition.row;
      if (isComment) parts.push({ kind: 'comment', start, end });
      else if (isLong && nodeIsNamed && STRING.test(nodeType)) parts.push({ kind: 'string', start, end });
      if (!isComment && nodeType !== 'ERROR' && cursor.gotoFirstChild()) continue;
      while (!cursor.gotoNextSibling() && !isOver) isOver = !cursor.gotoParent();
    }
  } finally {
    cursor.delete();
  }
  return parts;
}

const STRING_NODE = /string|heredoc|text_block|sigil|regex/;

/** Finds the lines, from 1, that start within a string: their white space is part of its value. */
export function findTextLines(tree: Tree, isLate: () => boolean): number[] {
  const lines: number[] = [];
  const cursor = tree.walk();
  try {
    for (let isOver = false; !isOver && !isLate(); ) {
      const [first, last] = [cursor.startPosition.row, cursor.endPosition.row];
      const isString = cursor.nodeIsNamed && STRING_NODE.test(cursor.nodeType);
      // The last row of a node that ends with a line is the one after it.
      for (let row = first + 1; isString && row <= last && cursor.endPosition.column > 0; row++) lines.push(row + 1);
      if (first < last && !isString && cursor.gotoFirstChild()) continue;
      while (!cursor.gotoNextSibling() && !isOver) isOver = !cursor.gotoParent();
    }
  } finally {
    cursor.delete();
  }
  return lines;
}
