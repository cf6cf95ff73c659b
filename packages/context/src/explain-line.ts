import { showPath } from './show-path.ts';
import type { Explanation } from './tree-judge.ts';

/** One decision as a line of text. */
export function explainLine({ path, isDirectory, included, reason }: Explanation): string {
  const kind = isDirectory ? 'directory' : 'file';
  return `${included ? 'Included' : 'Excluded'} ${kind} ${showPath(path)}${isDirectory ? '/' : ''}: ${reason}`;
}
