import type { Tree } from 'web-tree-sitter';

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

/**
 * Finds the comments and the strings of several lines in a tree. It skips parts that the parser could not read: a
 * comment there may not be one.
 */
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
