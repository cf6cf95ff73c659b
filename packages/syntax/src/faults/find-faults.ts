import type { Node, Tree, TreeCursor } from 'web-tree-sitter';

/** The nodes of Python that hold lines or, as `if_statement` does, clauses with lines of their own. */
const HOLDERS: ReadonlySet<string> = new Set(
  (
    'module block if_statement elif_clause else_clause for_statement while_statement try_statement except_clause ' +
    'except_group_clause finally_clause with_statement match_statement case_clause function_definition class_definition ' +
    'decorated_definition decorator'
  ).split(' '),
);

const EXTRAS: ReadonlySet<string> = new Set(['comment', 'line_continuation']);
export const EMPTY_BLOCK = 'an indented block';
const MISFIT = 'the indentation does not fit the lines around it';

/** The width of the blanks that a line starts with. Python measures tabs in two ways, which must agree. */
interface Indentation {
  /** The width with a tab stop every 8 columns. */
  readonly wide: number;
  /** The width with a tab as one column. */
  readonly narrow: number;
}

interface IndentationSearch {
  readonly text: string;
  readonly cursor: TreeCursor;
  readonly isLate: () => boolean;
  readonly faults: FoundFault[];
}

const BLOCKS = ['if_statement', 'elif_clause', 'else_clause', 'do_group', 'compound_statement', 'subshell'];
const OPENS: ReadonlySet<string> = new Set(['then', 'else', 'do', '{', '(']);
const CLOSES: ReadonlySet<string> = new Set(['fi', 'done', '}', ')', 'elif_clause', 'else_clause']);
const NO_COMMAND: ReadonlySet<string> = new Set(['comment', ';', '\n']);

/** A place that does not fit the grammar, in units of the text. */
export interface FoundFault {
  readonly start: number;
  readonly end: number;
  readonly missing: string | undefined;
  readonly problem?: string;
}

const MOST_FAULTS = 100;
const MOST_LEVELS = 1_000;

/** Finds the outermost errors, at most 100. Walks only where there are some. */
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

function collect(
  cursor: TreeCursor,
  search: { readonly faults: FoundFault[]; readonly isLate: () => boolean; level: number },
): void {
  const node = cursor.currentNode;
  if (node.isError || node.isMissing) {
    const missing = node.isMissing ? node.type : undefined;
    search.faults.push({ start: node.startIndex, end: node.endIndex, missing });
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

/** Finds blocks of Bash without a command, which the grammar accepts. The tree has no other errors. */
export function findEmptyBlocks(tree: Tree, _: string, isLate: () => boolean): FoundFault[] {
  const faults: FoundFault[] = [];
  for (const block of tree.rootNode.descendantsOfType(BLOCKS)) {
    if (isLate()) break;
    const parts = block.children.filter(({ type }) => !NO_COMMAND.has(type));
    const opener = parts.find(({ type }, at) => OPENS.has(type) && CLOSES.has(parts[at + 1]?.type ?? 'fi'));
    if (opener) faults.push(toFault(opener, 'a command is missing'));
  }
  return faults;
}

/**
 * Finds groups of constants in Go whose first has no value, which the grammar accepts. The tree has no other errors.
 */
export function findMissingValues(tree: Tree, _: string, isLate: () => boolean): FoundFault[] {
  const faults: FoundFault[] = [];
  for (const group of tree.rootNode.descendantsOfType('const_declaration')) {
    if (isLate()) break;
    const first = group.namedChildren.find(({ type }) => type === 'const_spec');
    if (first && !first.childForFieldName('value')) faults.push(toFault(first, 'the first constant has no value'));
  }
  return faults;
}

function toFault({ startIndex, endIndex }: Node, problem: string): FoundFault {
  return { start: startIndex, end: endIndex, missing: undefined, problem };
}

/**
 * Finds lines that Python refuses: blocks without lines, and lines deeper than those before, which the grammar accepts.
 * The tree has no other errors.
 */
export function findIndentationFaults(tree: Tree, text: string, isLate: () => boolean): FoundFault[] {
  const search: IndentationSearch = { text, cursor: tree.walk(), isLate, faults: [] };
  try {
    visit(search, { wide: 0, narrow: 0 });
  } finally {
    search.cursor.delete();
  }
  return search.faults;
}

/** `around` is the indentation of the line in which the node starts. The grammar's scanner bounds the depth. */
function visit(search: IndentationSearch, around: Indentation): void {
  const { cursor, faults } = search;
  let lines = 0;
  if (cursor.gotoFirstChild()) {
    lines = visitChildren(search, around, cursor.currentNode.parent?.type ?? '');
    cursor.gotoParent();
  }
  if (lines > 0 || cursor.nodeType !== 'block') return;
  const { parent, startIndex } = cursor.currentNode;
  faults.push({ start: parent?.startIndex ?? startIndex, end: startIndex, missing: EMPTY_BLOCK });
}

function visitChildren(search: IndentationSearch, around: Indentation, parent: string): number {
  const { cursor, text, faults } = search;
  const holdsLines = parent === 'block' || parent === 'module';
  let expected = parent === 'block' ? undefined : around;
  let lines = 0;
  do {
    const { nodeType: type } = cursor;
    const isLine = holdsLines ? !EXTRAS.has(type) : type !== 'block' && HOLDERS.has(type);
    const own = isLine ? indentationAt(text, cursor.startIndex) : undefined;
    if (own && !fits(own, expected, around)) {
      faults.push({ start: cursor.startIndex, end: cursor.endIndex, missing: undefined, problem: MISFIT });
    }
    expected ??= own;
    if (isLine) lines++;
    if (HOLDERS.has(type)) visit(search, own ?? around);
  } while (!search.isLate() && cursor.gotoNextSibling());
  return lines;
}

function fits(own: Indentation, expected: Indentation | undefined, around: Indentation): boolean {
  if (!expected) return own.wide > around.wide && own.narrow > around.narrow;
  return own.wide === expected.wide && own.narrow === expected.narrow;
}

function indentationAt(text: string, at: number): Indentation | undefined {
  let start = at;
  while (start > 0 && ' \t\f'.includes(text[start - 1] as string)) start--;
  const before = text.slice(Math.max(0, start - 3), start);
  // A backslash at the end of a line makes one line of it and the next.
  if (!/(?:^|[\r\n])$/.test(before) || /\\(?:\r\n|[\r\n])$/.test(before)) return undefined;
  let [wide, narrow] = [0, 0];
  for (const blank of text.slice(start, at)) {
    // A form feed starts the line again.
    wide = blank === '\f' ? 0 : blank === '\t' ? (wide | 7) + 1 : wide + 1;
    narrow = blank === '\f' ? 0 : narrow + 1;
  }
  return { wide, narrow };
}
