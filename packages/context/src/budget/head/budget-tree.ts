import type { Section } from '../../document/formats.ts';
import { showPath } from '../../targets/show-path.ts';

interface Directory {
  readonly name: string;
  readonly directories: Map<string, Directory>;
  readonly files: string[];
  /** The rank of the best file below. */
  readonly rank: number;
  /** All files below. */
  count: number;
}

/** The most directories that are tried although there is no room for them. */
const MOST_FAILURES = 8;

/**
 * Draws files, which come in the order of their rank, as an indented tree that fits. A directory without room is one
 * line with the number of its files; directories with the best files are opened first. Returns undefined if not even
 * the top fits.
 */
export function drawBudgetTree(paths: readonly string[], fits: (section: Section) => boolean): Section | undefined {
  const root = toTree(paths);
  const open = new Set<Directory>([root]);
  let drawn: Section | undefined;
  const attempt = () => {
    const section = { title: 'tree', text: [...linesOf(root, '', open)].join('\n') };
    if (!fits(section)) return false;
    drawn = section;
    return true;
  };
  if (!attempt()) return undefined;
  const waiting = [...root.directories.values()];
  for (let failures = 0; waiting.length > 0 && failures < MOST_FAILURES; ) {
    waiting.sort((a, b) => a.rank - b.rank);
    const next = waiting.shift() as Directory;
    open.add(next);
    if (attempt()) waiting.push(...next.directories.values());
    else {
      open.delete(next);
      failures++;
    }
  }
  return drawn;
}

function toTree(paths: readonly string[]): Directory {
  const root = newDirectory('', 0);
  for (const [rank, path] of paths.entries()) {
    const names = path.split('/');
    const file = names.pop() ?? '';
    let at = root;
    at.count++;
    for (const name of names) {
      const next = at.directories.get(name) ?? newDirectory(name, rank);
      at.directories.set(name, next);
      at = next;
      at.count++;
    }
    at.files.push(file);
  }
  return root;
}

function newDirectory(name: string, rank: number): Directory {
  return { name, directories: new Map(), files: [], rank, count: 0 };
}

function* linesOf(directory: Directory, indent: string, open: ReadonlySet<Directory>): Iterable<string> {
  for (const inner of directory.directories.values()) {
    const name = `${indent}${showPath(inner.name)}/`;
    if (open.has(inner)) {
      yield name;
      yield* linesOf(inner, `${indent} `, open);
    } else yield `${name} ${inner.count} ${inner.count === 1 ? 'file' : 'files'}`;
  }
  if (directory.files.length > 0) yield `${indent}${directory.files.toSorted().map(showPath).join(' ')}`;
}
