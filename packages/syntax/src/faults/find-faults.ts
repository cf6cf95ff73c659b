import type { Node, Tree, TreeCursor } from 'web-tree-sitter';

/** A place that does not fit the grammar, in units of the text. */
export interface FoundFault {
  readonly start: number;
  readonly end: number;
  readonly missing: string | undefined;
  /** The fault, if it is not just text that does not fit. */
  readonly problem?: string;
}

const MOST_FAULTS = 100;
const MOST_LEVELS = 1_000;

/**
 * Finds the outermost errors of a tree. It only walks where there are some, and stops at 100 or when the time is up.
 */
export function findFaults(tree: Tree, isLate: () => boolean): FoundFault[] {
  const faults: FoundFault[] = [];
  const cursor = tree.walk();
  try {
    if (cursor.currentNode.hasError) collect(cursor, { faults, isLate, level: 0 });
  } finally {
    cursor.delete();
  }
  return faults;
}

interface Search {
  readonly faults: FoundFault[];
  readonly isLate: () => boolean;
  level: number;
}

function collect(cursor: TreeCursor, search: Search): void {
  const node = cursor.currentNode;
  if (node.isError || node.isMissing) {
    search.faults.push(toFault(node));
    return;
  }
  if (!node.hasError || search.level >= MOST_LEVELS || !cursor.gotoFirstChild()) return;
  search.level++;
  do {
    if (search.faults.length >= MOST_FAULTS || search.isLate()) break;
    collect(cursor, search);
  } while (cursor.gotoNextSibling());
  search.level--;
  cursor.gotoParent();
}

function toFault(node: Node): FoundFault {
  return { start: node.startIndex, end: node.endIndex, missing: node.isMissing ? node.type : undefined };
}
