import type { Node, Tree } from 'web-tree-sitter';
import type { FoundFault } from './find-faults.ts';

/** The parts of Bash that need a command, each with the words that it may stand between. */
const BLOCKS = ['if_statement', 'elif_clause', 'else_clause', 'do_group', 'compound_statement', 'subshell'];
const OPENS: ReadonlySet<string> = new Set(['then', 'else', 'do', '{', '(']);
const CLOSES: ReadonlySet<string> = new Set(['fi', 'done', '}', ')', 'elif_clause', 'else_clause']);
const NO_COMMAND: ReadonlySet<string> = new Set(['comment', ';', '\n']);

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
 * Finds groups of constants of Go whose first has no value, which the grammar accepts. The tree has no other errors.
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
