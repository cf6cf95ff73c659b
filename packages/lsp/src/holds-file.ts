import path from 'node:path';
import type { ToolContext } from '@jinn/core';
import { realPath } from '@jinn/process';
import { walk } from '@jinn/walk';

/** Whether a file of one of these names is anywhere in the workspace, whatever git ignores, or in a directory above it. */
export async function holdsFile(
  { workspace }: Pick<ToolContext, 'workspace'>,
  names: readonly string[],
): Promise<boolean> {
  if (isAbove(workspace.root, names)) return true;
  let isFound = false;
  await walk(workspace, '.', { hidden: true, checkpoint }, ({ name }) => {
    isFound ||= names.includes(name);
    return isFound ? 'skip' : undefined;
  });
  return isFound;
}

function isAbove(root: string, names: readonly string[]): boolean {
  for (let directory = path.dirname(root); ; directory = path.dirname(directory)) {
    if (names.some((name) => realPath(path.join(directory, name)) !== undefined)) return true;
    if (directory === path.dirname(directory)) return false;
  }
}

async function checkpoint(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
