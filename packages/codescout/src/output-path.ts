import type { Workspace } from '@jinn/workspace';

/** Makes the absolute path, as answers show it, of a path below the workspace root, or of a file that jinn keeps. */
export function outputPath({ root }: Pick<Workspace, 'root'>, path: string): string {
  if (path === '.') return root;
  if (path.startsWith('/')) return path;
  return `${root === '/' ? '' : root}/${path}`;
}
