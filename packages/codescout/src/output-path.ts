import type { Workspace } from '@jinn/core';

/** Makes the absolute path, as answers show it, of a path below the workspace root. */
export function outputPath({ root }: Pick<Workspace, 'root'>, path: string): string {
  if (path === '.') return root;
  return `${root === '/' ? '' : root}/${path}`;
}
