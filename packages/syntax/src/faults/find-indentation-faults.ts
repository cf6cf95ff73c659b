import type { Tree, TreeCursor } from 'web-tree-sitter';
import type { FoundFault } from './find-faults.ts';

/** The nodes of Python that hold lines or, as `if_statement` does, clauses with lines of their own. */
const HOLDERS: ReadonlySet<string> = new Set(
  (
    'module block if_statement elif_clause else_clause for_statement while_statement try_statement except_clause ' +
    'except_group_clause finally_clause with_statement match_statement case_clause function_definition class_definition ' +
    'decorated_definition decorator'
  ).split(' '),
);
const EXTRAS: ReadonlySet<string> = new Set(['comment', 'line_continuation']);
/** The missing text of a block without lines, whose tree is whole all the same. */
export const EMPTY_BLOCK = 'an indented block';
const MISFIT = 'the indentation does not fit the lines around it';

/** The width of the blanks that a line begins with. Python measures tabs in two ways, which must agree. */
interface Indentation {
  /** The width with a tab stop every 8 columns. */
  readonly wide: number;
  /** The width with a tab as one column. */
  readonly narrow: number;
}

interface Search {
  readonly text: string;
  readonly cursor: TreeCursor;
  readonly isLate: () => boolean;
  readonly faults: FoundFault[];
}

/**
 * Finds the lines that Python refuses with an IndentationError or TabError. The grammar knows where blocks are, but
 * accepts blocks without lines, and lines that are deeper than those before them. The tree has no other errors.
 */
export function findIndentationFaults(tree: Tree, text: string, isLate: () => boolean): FoundFault[] {
  const search: Search = { text, cursor: tree.walk(), isLate, faults: [] };
  try {
    visit(search, { wide: 0, narrow: 0 });
  } finally {
    search.cursor.delete();
  }
  return search.faults;
}

/**
 * Visits the node at the cursor; `around` is the indentation of the line in which it begins. Blocks nest at most some
 * hundred times: the scanner of the grammar has room for no more.
 */
function visit(search: Search, around: Indentation): void {
  const { cursor, faults } = search;
  let lines = 0;
  if (cursor.gotoFirstChild()) {
    lines = visitChildren(search, around, cursor.currentNode.parent?.type ?? '');
    cursor.gotoParent();
  }
  if (lines === 0 && cursor.nodeType === 'block') faults.push(emptyBlock(cursor));
}

/** Visits the node at the cursor and those beside it, in a node of type `parent`. Returns how many begin lines or clauses. */
function visitChildren(search: Search, around: Indentation, parent: string): number {
  const { cursor, text, faults } = search;
  const holdsLines = parent === 'block' || parent === 'module';
  let expected = parent === 'block' ? undefined : around;
  let lines = 0;
  do {
    const { nodeType: type } = cursor;
    const isLine = holdsLines ? !EXTRAS.has(type) : type !== 'block' && HOLDERS.has(type);
    const own = isLine ? indentationAt(text, cursor.startIndex) : undefined;
    if (own && !(expected ? isSame(own, expected) : isDeeper(own, around))) faults.push(misfit(cursor));
    expected ??= own;
    if (isLine) lines++;
    if (HOLDERS.has(type)) visit(search, own ?? around);
  } while (!search.isLate() && cursor.gotoNextSibling());
  return lines;
}

function emptyBlock({ currentNode: { parent, startIndex } }: TreeCursor): FoundFault {
  return { start: parent?.startIndex ?? startIndex, end: startIndex, missing: EMPTY_BLOCK };
}

function misfit({ startIndex, endIndex }: TreeCursor): FoundFault {
  return { start: startIndex, end: endIndex, missing: undefined, problem: MISFIT };
}

/** Returns the indentation of the node that begins here; undefined if other text stands before it in its line. */
function indentationAt(text: string, at: number): Indentation | undefined {
  let start = at;
  while (start > 0 && ' \t\f'.includes(text[start - 1] as string)) start--;
  const before = text.slice(Math.max(0, start - 3), start);
  // A backslash at the end of a line makes one line of it and the next.
  if (!/(?:^|[\r\n])$/.test(before) || /\\(?:\r\n|[\r\n])$/.test(before)) return undefined;
  let [wide, narrow] = [0, 0];
  for (const blank of text.slice(start, at)) {
    // A form feed begins the line anew.
    wide = blank === '\f' ? 0 : blank === '\t' ? (wide | 7) + 1 : wide + 1;
    narrow = blank === '\f' ? 0 : narrow + 1;
  }
  return { wide, narrow };
}

function isSame(one: Indentation, other: Indentation): boolean {
  return one.wide === other.wide && one.narrow === other.narrow;
}

function isDeeper(one: Indentation, other: Indentation): boolean {
  return one.wide > other.wide && one.narrow > other.narrow;
}
