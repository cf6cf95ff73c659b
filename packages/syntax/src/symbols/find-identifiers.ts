import type { Node, Tree, TreeCursor } from 'web-tree-sitter';
import type { NodeRange } from '../grammar.ts';

/** A node on the way from the root to an identifier, in units of the text. */
export interface FoundStep {
  readonly type: string;
  readonly field: string;
  readonly start: number;
  readonly end: number;
}

/** An identifier, in units of the text. */
export interface FoundIdentifier {
  readonly start: number;
  readonly end: number;
  readonly type: string;
  readonly parent: string;
  readonly around?: readonly FoundStep[];
}

export interface IdentifierSearch {
  readonly text: string;
  readonly name: string;
  /** The part of the text that the tree is of; undefined for all of it. */
  readonly part: NodeRange | undefined;
  /** True to return the nodes around each. */
  readonly withAround: boolean;
  readonly isLate: () => boolean;
}

const MOST_FOUND = 10_000;
/** The most nodes around an identifier that are returned; those further out are left out. */
const MOST_AROUND = 40;
/** Nodes nested deeper than this are not visited. */
const MOST_LEVELS = 2_000;
/** Types of tokens that hold text. */
const TEXT = /comment|string|text|content|fragment|char|heredoc|regex|literal/;

/** Finds the tokens of a tree that are exactly this name, but not text in a comment or a string. At most 10,000. */
export function findIdentifiers(
  tree: Tree,
  { text, name, part, withAround, isLate }: IdentifierSearch,
): FoundIdentifier[] {
  const found: FoundIdentifier[] = [];
  const limit = part?.endIndex ?? text.length;
  const way = new Way(tree);
  try {
    let start = text.indexOf(name, part?.startIndex ?? 0);
    for (; start >= 0 && start + name.length <= limit; start = text.indexOf(name, start + name.length)) {
      if (found.length >= MOST_FOUND || isLate()) break;
      const end = start + name.length;
      const node = tree.rootNode.descendantForIndex(start, end);
      if (!node || node.startIndex !== start || node.endIndex !== end || !isIdentifier(node)) continue;
      const parent = node.parent?.type ?? '';
      found.push({ start, end, type: node.type, parent, ...(withAround && { around: way.to(node) }) });
    }
  } finally {
    way.delete();
  }
  return found;
}

/** Follows the identifiers of a tree from one to the next. */
class Way {
  readonly #cursor: TreeCursor;
  /** The nodes from the root to the cursor. */
  readonly #steps: FoundStep[];

  constructor(tree: Tree) {
    this.#cursor = tree.walk();
    this.#steps = [toStep(this.#cursor)];
  }

  /** Returns the nodes from the root to a node, which is the last. The node must be behind those of earlier calls. */
  to({ id, startIndex }: Node): readonly FoundStep[] {
    const cursor = this.#cursor;
    while (this.#steps.length > 1 && !this.#forward(startIndex)) {
      cursor.gotoParent();
      this.#steps.pop();
    }
    while (cursor.nodeId !== id && this.#steps.length < MOST_LEVELS && cursor.gotoFirstChild()) {
      this.#steps.push(toStep(cursor));
      this.#forward(startIndex);
    }
    return this.#steps.slice(-MOST_AROUND);
  }

  delete(): void {
    this.#cursor.delete();
  }

  /** Goes on to the sibling that ends behind a unit of the text. Returns false if there is none. */
  #forward(unit: number): boolean {
    if ((this.#steps.at(-1) as FoundStep).end > unit) return true;
    while (this.#cursor.endIndex <= unit) if (!this.#cursor.gotoNextSibling()) return false;
    this.#steps[this.#steps.length - 1] = toStep(this.#cursor);
    return true;
  }
}

function toStep({ nodeType: type, currentFieldName: field, startIndex: start, endIndex: end }: TreeCursor): FoundStep {
  return { type, field: field ?? '', start, end };
}

function isIdentifier(node: Node): boolean {
  return node.isNamed && node.childCount === 0 && !TEXT.test(node.type);
}
