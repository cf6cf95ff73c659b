import type { Tree } from 'web-tree-sitter';

/** Types of nodes that hold the text of a string. */
const STRING = /string|heredoc|text_block|sigil|regex/;

/** Returns the lines, from 1, that begin within a string: the white space in front of them is a part of its value. */
export function findTextLines(tree: Tree, isLate: () => boolean): number[] {
  const lines: number[] = [];
  const cursor = tree.walk();
  try {
    for (let isOver = false; !isOver && !isLate(); ) {
      const [first, last] = [cursor.startPosition.row, cursor.endPosition.row];
      const isString = cursor.nodeIsNamed && STRING.test(cursor.nodeType);
      // The last row of a node that ends with a line is the one behind it.
      for (let row = first + 1; isString && row <= last && cursor.endPosition.column > 0; row++) lines.push(row + 1);
      if (first < last && !isString && cursor.gotoFirstChild()) continue;
      while (!cursor.gotoNextSibling() && !isOver) isOver = !cursor.gotoParent();
    }
  } finally {
    cursor.delete();
  }
  return lines;
}
